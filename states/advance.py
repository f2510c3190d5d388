"""What a move does to the record: the machine decides where, this file keeps the books."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from states.acting import learnt
from states.execution import ExecutionStatus
from states.facts import facts_of, mode_facts_of, standing_safeguards, waived_by
from states.former import leave_act
from states.holding import replan
from states.ledger import EntryKind
from states.machine import fire, move_mode, triggers_from
from states.people import AI_REVIEW
from states.record import ArtifactRef, Demand, FeedbackNote, Gate, JobRecord, QuestionState, RestartNote, Span
from states.restart import preview
from states.review import QuestionRef, Review
from states.selecting import drop_stale_selection, select_by_policy
from states.words import (
    WORK_PHASES,
    ArtifactStatus,
    Mode,
    ModeTrigger,
    Phase,
    ReviewKind,
    Stage,
    State,
    Trigger,
)

REVISIONS = {
    Trigger.REVISE_TECHNICAL: ReviewKind.TECHNICAL,
    Trigger.REVISE_REQUIREMENT: ReviewKind.REQUIREMENT,
    Trigger.REVISE_CONTRACT: ReviewKind.CONTRACT,
}


def advance(record: JobRecord, trigger: Trigger, now: datetime) -> None:
    """Fire `trigger` and bring the record in line. Raises MoveRefused, having changed nothing."""
    source = record.state
    # Work that was finished just as a demand came in leaves the demand to the next round.
    demand = record.demand if record.demand and record.demand.trigger is trigger else None
    waiver = waived_by(record) if trigger is Trigger.AI_APPROVE else None
    dest = fire(source, trigger, facts_of(record))
    _clock(record, now)
    who = demand.by if demand else _actor(record, trigger, waiver)
    record.state = dest
    record.note(now, EntryKind.TRANSITION, f"{source} -> {dest} ({trigger})", who=who)
    _account(record, trigger, source, waiver, demand, now)
    drop_stale_selection(record, now)
    if demand:
        record.demand = None
    if dest.stage is Stage.HUMAN_REVIEW:
        _open_gate(record, trigger, now)
    elif dest is State.VERIFIED:
        record.open_until = now + timedelta(seconds=record.spec.policy.keep_open_seconds)
        select_by_policy(record, now)
    elif dest is State.CANCELLED:
        _close(record, demand.by if demand else "phasegate", now)


def _actor(record: JobRecord, trigger: Trigger, waiver: str | None) -> str:
    if trigger is Trigger.AI_APPROVE:
        return waiver or AI_REVIEW
    if trigger is Trigger.HUMAN_APPROVE and record.gate:
        return ", ".join(d.by for d in record.gate.decisions)
    return AI_REVIEW if trigger in REVISIONS or trigger is Trigger.ESCALATE else "phasegate"


def _account(
    record: JobRecord,
    trigger: Trigger,
    source: State,
    waiver: str | None,
    demand: Demand | None,
    now: datetime,
) -> None:
    phase = source.phase
    if demand and demand.restart:
        _restart(record, demand, now)
    elif trigger in REVISIONS and phase:
        _revise(record, REVISIONS[trigger], source, demand, now)
    elif trigger is Trigger.HUMAN_APPROVE and phase and record.gate:
        names = tuple(d.by for d in record.gate.decisions)
        _accept(record, phase, names)
        _shut(record, f"approved by {', '.join(names)}", now)
    elif trigger is Trigger.AI_APPROVE and phase and record.state.stage is not Stage.HUMAN_REVIEW:
        _accept(record, phase, (waiver or AI_REVIEW,))
        if waiver:
            record.note(now, EntryKind.GATE, f"{phase} gate waived, not reviewed by a person", who=waiver)
    elif trigger is Trigger.EDIT:
        if phase and record.gate:
            # The gate that it earns again shows what the person changed.
            record.refused[phase] = record.gate.digest
            record.human_revisions[phase] = record.human_revisions.get(phase, 0) + 1
        _shut(record, f"edited by {demand.by}" if demand else "edited", now)
    _enter(record, source)


def _enter(record: JobRecord, source: State) -> None:
    """What being in a new phase means, whichever way led there."""
    order, phase, before = list(WORK_PHASES), record.state.phase, source.phase
    skips = before is Phase.CLARIFICATION and phase is Phase.IMPLEMENTATION_PLAN
    if skips and Phase.CONTRACTS not in record.skipped:
        record.skipped.append(Phase.CONTRACTS)
    if phase in order and order.index(phase) <= order.index(Phase.CONTRACTS) and not skips:
        record.skipped.clear()
    if phase is not before:
        record.findings = []


def _accept(record: JobRecord, phase: Phase, names: tuple[str, ...]) -> None:
    ref = record.current(phase)
    assert ref is not None, "the table lets no phase pass without its artifact"
    record.replace(ref, accepted_by=names)
    record.ai_revisions.pop(phase, None)
    record.stuck = ""


def _revise(record: JobRecord, kind: ReviewKind, source: State, demand: Demand | None, now: datetime) -> None:
    phase, target = source.phase, record.state.phase
    assert phase is not None
    assert target is not None
    refused = record.current(phase)
    by_person = demand is not None
    text = demand.text if demand else "; ".join(f.what for f in record.findings if f.blocking)
    by = demand.by if demand else AI_REVIEW
    digest = refused.digest if refused else ""
    record.feedback.append(FeedbackNote(target=target, kind=kind, text=text, by=by, digest=digest))
    counter = record.human_revisions if by_person else record.ai_revisions
    counter[phase] = counter.get(phase, 0) + 1
    if by_person:
        record.ai_revisions.clear()
    else:
        record.stuck = digest
    for p in WORK_PHASES[WORK_PHASES.index(target) :]:
        if ref := record.current(p):
            record.refused[p] = ref.digest
            status = ArtifactStatus.SUPERSEDED if p is target else ArtifactStatus.INVALIDATED
            record.replace(ref, status=status)
    if target is Phase.CLARIFICATION:
        record.finished = ""
    if record.gate:
        _shut(record, f"revised ({kind}) by {by}", now)


def _restart(record: JobRecord, demand: Demand, now: datetime) -> None:
    request = demand.restart
    assert request is not None
    plan = preview(record, request)
    for ref in plan.invalidated:
        record.replace(ref, status=ArtifactStatus.INVALIDATED)
    record.restarts.append(
        RestartNote(
            phase=request.phase,
            trigger=request.trigger,
            changes=request.changes,
            invalidated_decisions=request.invalidated_decisions,
            partial=plan.partial,
            by=demand.by,
            learnt=learnt(record),
        )
    )
    record.restarts_in_a_row += 1
    record.restarts_total += 1
    record.ai_revisions.clear()
    record.stuck = ""
    # What people asked for still holds; what AI review found was about artifacts that are gone.
    fresh = request.phase is Phase.DISCOVERY
    record.feedback = [] if fresh else [f for f in record.feedback if f.by != AI_REVIEW]
    for phase in plan.redone:
        record.refused.pop(phase, None)
        record.facts.pop(phase, None)
        record.human_revisions.pop(phase, None)
    leave_act(record, demand.by, now)
    _ask_again(record, request.phase)
    if record.gate:
        _shut(record, f"overtaken by a restart from {request.phase.name}", now)
    replan(record, demand.by, now)
    record.open_until, record.rest = None, None


def _ask_again(record: JobRecord, phase: Phase) -> None:
    """A restart from DISCOVERY forgets the questions; one from CLARIFICATION asks them anew."""
    if phase is Phase.DISCOVERY:
        record.questions, record.says, record.replies = [], [], []
        record.workspace = None
    elif phase is Phase.CLARIFICATION:
        record.questions = [q.model_copy(update={"by": ""}) for q in record.questions]
    if phase in (Phase.DISCOVERY, Phase.CLARIFICATION):
        record.finished, record.follow_ups = "", 0


def _open_gate(record: JobRecord, trigger: Trigger, now: datetime) -> None:
    phase = record.state.phase
    assert phase is not None
    ref = record.current(phase)
    assert ref is not None, "AI review stands before every gate"
    count = record.gates_opened.get(phase, 0) + 1
    record.gates_opened[phase] = count
    against = record.refused.get(phase, "")
    record.gate = Gate(
        id=f"{phase}-{count}",
        phase=phase,
        digest=ref.digest,
        opened=now,
        needed=record.spec.policy.approvals,
        findings=tuple(record.findings),
        escalated="the revision limit is reached" if trigger is Trigger.ESCALATE else "",
        against=against if against != ref.digest else "",
        feedback=ref.feedback,
        safeguards=standing_safeguards(record),
    )
    record.note(now, EntryKind.GATE, f"gate {record.gate.id} opened", digest=ref.digest)


def _shut(record: JobRecord, outcome: str, now: datetime) -> None:
    gate = record.gate
    assert gate is not None
    record.gates_closed[gate.id] = outcome
    record.note(now, EntryKind.GATE, f"gate {gate.id} closed: {outcome}", digest=gate.digest)
    record.gate = None


def _close(record: JobRecord, by: str, now: datetime) -> None:
    if record.gate:
        _shut(record, f"the job was cancelled by {by}", now)
    if record.mode is not Mode.NORMAL:
        record.mode = move_mode(record.mode, ModeTrigger.CLOSE, mode_facts_of(record))
    record.hold, record.paused_from, record.open_until = None, None, None
    if record.act and record.act.status is not ExecutionStatus.COMPLETED:
        record.act = record.act.model_copy(update={"status": ExecutionStatus.CANCELLED, "running": False})


def _clock(record: JobRecord, now: datetime) -> None:
    """Book the time since the last move: on people at gates and in dialogue, on work everywhere else."""
    phase, since = record.state.phase, record.entered
    record.entered = now
    if phase is None or since is None:
        return
    span = record.spans.get(phase, Span())
    passed = (now - since).total_seconds()
    people = record.state.stage is Stage.HUMAN_REVIEW or (
        record.state is State.CLARIFICATION and bool(record.questions)
    )
    record.spans[phase] = Span(
        working=span.working + (0.0 if people else passed), waiting=span.waiting + (passed if people else 0.0)
    )


def begin(record: JobRecord, now: datetime) -> None:
    """A job begins to plan."""
    record.mode = move_mode(record.mode, ModeTrigger.PLAN, mode_facts_of(record))
    record.started = record.started or now
    if record.budget_usd is None and record.budget_tokens is None:
        record.budget_usd = record.spec.policy.budget_usd
        record.budget_tokens = record.spec.policy.budget_tokens
    record.entered = now
    record.note(now, EntryKind.MODE, f"{Mode.NORMAL} -> {record.mode}", why=record.spec.headline())


def end(record: JobRecord, now: datetime) -> None:
    """A verified job is no longer kept open."""
    before, record.open_until = record.mode, None
    if before is not Mode.NORMAL:
        record.mode = move_mode(before, ModeTrigger.CLOSE, mode_facts_of(record))
    record.note(now, EntryKind.MODE, f"{before} -> {record.mode}", why="no longer kept open")


def record_artifact(record: JobRecord, ref: ArtifactRef, now: datetime) -> None:
    """A phase handed over: the new version is current, an older one superseded."""
    if old := record.current(ref.phase):
        record.replace(old, status=ArtifactStatus.SUPERSEDED)
    earlier = record.versions(ref.phase)
    for each in earlier:
        # Each version was told all feedback so far: kept on every one, it would grow with the square.
        if each.feedback:
            record.replace(each, feedback=())
    version = len(earlier) + 1
    record.artifacts.append(ref.model_copy(update={"version": version, "at": now}))
    what = f"{ref.phase} v{version}: {ref.summary}"
    record.note(now, EntryKind.ARTIFACT, what, who=ref.made_by, digest=ref.digest)
    drop_stale_selection(record, now)


def record_review(record: JobRecord, review: Review, now: datetime) -> None:
    """An AI review is in: its findings, its facts, and the questions if it was DISCOVERY's."""
    phase = record.state.phase
    assert phase is not None
    record.findings = list(review.findings)
    record.facts[phase] = review.facts
    if phase is Phase.DISCOVERY:
        record.questions = _merge(record.questions, review.facts.questions)
    verdict = "passed" if review.approved else f"asks for a {review.kind} revision"
    why = "; ".join(f.what for f in review.findings)
    record.note(
        now, EntryKind.REVIEW, f"{phase} {verdict}", who=review.reviewer, why=why, digest=review.digest
    )


def _merge(known: Sequence[QuestionState], asked: Sequence[QuestionRef]) -> list[QuestionState]:
    """Answers stay with questions that are asked again in the same words."""
    answers = {q.ref.text: q for q in known}
    return [
        answers[ref.text].model_copy(update={"ref": ref}) if ref.text in answers else QuestionState(ref=ref)
        for ref in asked
    ]


def review_trigger(record: JobRecord, review: Review) -> Trigger:
    """What an AI review amounts to."""
    if review.approved:
        return Trigger.AI_APPROVE
    if facts_of(record).revisions_used_up:
        return Trigger.ESCALATE
    phase = record.state.phase
    assert phase is not None
    trigger = Trigger.revise(review.kind)
    return trigger if trigger in triggers_from(record.state) else Trigger.REVISE_TECHNICAL
