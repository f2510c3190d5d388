"""JobView: what people see of a job, with the exact next commands in both forms."""

import shlex
from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

from states.act import ActNote, FormerAct
from states.act_commands import (
    NextCommand,
    act_commands,
    command,
    mend_commands,
    step_commands,
    undo_commands,
)
from states.acting import acts_now, starts_to_act
from states.agents import AgentKind, AgentNote, Usage
from states.facts import decisions_enough, facts_of
from states.ledger import cut
from states.machine import can_fire, triggers_from
from states.models import REVIEW
from states.record import (
    ArtifactRef,
    Gate,
    Hold,
    JobRecord,
    QuestionState,
    Reply,
    RestartNote,
    Selection,
    Span,
)
from states.review import Finding, OptionFact
from states.selecting import not_selected_because, options_at_hand
from states.spending import spending
from states.words import (
    WORK_PHASES,
    Awaiting,
    HoldKind,
    Message,
    Mode,
    Phase,
    PhaseStatus,
    Stage,
    State,
    Trigger,
)
from states.workspace import WorkspaceRef

LONGEST_SAID = 200
"""characters of what a person said that a view repeats"""


class PhaseProgress(BaseModel):
    """One line of progress."""

    phase: Phase
    status: PhaseStatus
    version: int = 0
    accepted_by: tuple[str, ...] = ()
    span: Span = Field(default_factory=Span)


class JobView(BaseModel):
    """A job at one moment."""

    job: str
    title: str
    task: str
    repository: str
    state: State
    phase: Phase | None
    mode: Mode
    awaiting: Awaiting
    hold: Hold | None = None
    gate: Gate | None = None
    questions: tuple[QuestionState, ...] = ()
    act: ActNote | None = None
    """the execution of the selected plan, once there is one; steps as of its last rest"""
    former: tuple[FormerAct, ...] = ()
    """executions that restarts have left behind, oldest first; their branches are still there"""
    acting: bool = False
    """whether the plan is carried out or undone now, or will be without another word from anybody"""
    wants_act: bool = False
    """whether the job was started to be carried out as well"""
    artifacts: tuple[ArtifactRef, ...] = ()
    findings: tuple[Finding, ...] = ()
    progress: tuple[PhaseProgress, ...] = ()
    restarts: tuple[RestartNote, ...] = ()
    revisions: dict[Phase, int] = Field(default_factory=dict)
    skipped: tuple[Phase, ...] = ()
    allowed: tuple[Trigger, ...] = ()
    next_commands: tuple[NextCommand, ...] = ()
    workspace: WorkspaceRef | None = None
    model: tuple[str, ...] = ()
    """the models that plan, the preferred one first; none: no model"""
    models: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """other models for single phases and for `review`; `states.models.ladder_for` reads both"""
    agents: tuple[AgentNote, ...] = ()
    spending: dict[Phase, Usage] = Field(default_factory=dict)
    """what the agents of each phase used; one that still runs is counted when it ends"""
    said: tuple[str, ...] = ()
    """what people said in CLARIFICATION, each in short; `Reply.to` counts these from 1"""
    replies: tuple[Reply, ...] = ()
    tokens: int = 0
    cost_usd: float = 0.0
    unpriced_calls: int = 0
    """model calls whose cost is not known and not in `cost_usd`"""
    budget_usd: float | None = None
    budget_tokens: int | None = None
    submitted_by: str = ""
    started: datetime | None = None
    open_until: datetime | None = None
    ledger_count: int = 0
    options: tuple[OptionFact, ...] = ()
    """what can be chosen from now, best first"""
    selected: Selection | None = None
    unselected: str = ""
    """why a policy that selects options left it to a person"""

    @property
    def spent(self) -> Usage:
        """What all agents used that are done."""
        return sum(self.spending.values(), Usage())

    @property
    def running(self) -> AgentNote | None:
        """The agent that is at work, if any: the newest one without an end."""
        last = self.agents[-1] if self.agents else None
        return last if last and last.end is None else None


class JobResult(BaseModel):
    """How a job ended, with the digests it stood on."""

    job: str
    state: State
    artifacts: dict[Phase, str]


def awaiting(record: JobRecord) -> Awaiting:
    """Whom the job waits for."""
    if record.hold is not None:
        return Awaiting.BUDGET if record.hold.kind is HoldKind.BUDGET else Awaiting.OPERATOR
    if record.gate is not None and not decisions_enough(record) and record.demand is None:
        return Awaiting.OPERATOR if record.gate.step else Awaiting.HUMAN_REVIEW
    if record.state is State.CLARIFICATION and record.open_questions() and not record.finished:
        return Awaiting.ANSWERS
    return Awaiting.NONE


def view_of(record: JobRecord) -> JobView:
    """The record as people see it."""
    facts = facts_of(record)
    return JobView(
        job=record.job,
        title=record.spec.headline(),
        task=record.spec.task[:2_000],
        repository=record.spec.shown_repository(),
        state=record.state,
        phase=record.state.phase,
        mode=record.mode,
        awaiting=awaiting(record),
        hold=record.hold,
        gate=record.gate,
        act=record.act,
        former=tuple(record.former),
        acting=acts_now(record) or starts_to_act(record),
        wants_act=record.spec.act,
        questions=tuple(record.questions),
        artifacts=tuple(record.artifacts),
        findings=tuple(record.findings),
        progress=tuple(_progress(record, phase) for phase in Phase),
        restarts=tuple(record.restarts),
        revisions={p: n for p in WORK_PHASES if (n := _revisions(record, p))},
        skipped=tuple(record.skipped),
        allowed=tuple(
            t
            for t in triggers_from(record.state)
            if t.value.startswith("restart") or can_fire(record.state, t, facts)
        ),
        next_commands=tuple(next_commands(record)),
        workspace=record.workspace,
        model=record.spec.model,
        models=dict(record.spec.models),
        agents=tuple(record.agents),
        spending=spending(record),
        said=tuple(cut(text)[:LONGEST_SAID] for text in record.says),
        replies=tuple(record.replies),
        tokens=record.spent().tokens,
        cost_usd=round(record.spent().cost_usd, 6),
        unpriced_calls=record.spent().unpriced_calls,
        budget_usd=record.budget_usd,
        budget_tokens=record.budget_tokens,
        submitted_by=record.spec.submitted_by,
        started=record.started,
        open_until=record.open_until,
        ledger_count=record.ledger_count,
        options=options_at_hand(record),
        selected=record.selected,
        unselected=not_selected_because(record),
    )


def _revisions(record: JobRecord, phase: Phase) -> int:
    return len(record.versions(phase)) - 1 if record.versions(phase) else 0


def _progress(record: JobRecord, phase: Phase) -> PhaseProgress:
    ref = None if phase is Phase.VERIFIED else record.current(phase)
    if phase is record.state.phase:
        waits = record.state.stage is Stage.HUMAN_REVIEW or awaiting(record) is not Awaiting.NONE
        status = PhaseStatus.WAITING if waits else PhaseStatus.ACTIVE
        status = PhaseStatus.DONE if phase is Phase.VERIFIED else status
    elif ref and ref.accepted_by:
        kept = record.restarts and ref.at is not None and _before_restart(record, phase)
        status = PhaseStatus.KEPT if kept else PhaseStatus.DONE
    elif phase in record.skipped:
        status = PhaseStatus.SKIPPED
    else:
        status = PhaseStatus.PENDING
    return PhaseProgress(
        phase=phase,
        status=status,
        version=ref.version if ref else 0,
        accepted_by=ref.accepted_by if ref else (),
        span=record.spans.get(phase, Span()),
    )


def _before_restart(record: JobRecord, phase: Phase) -> bool:
    last = record.restarts[-1].phase
    return phase in WORK_PHASES and WORK_PHASES.index(phase) < WORK_PHASES.index(last)


def _larger_budget(record: JobRecord, job: str) -> NextCommand:
    """Twice the limit that is reached, as a suggestion."""
    if record.budget_tokens is not None and record.spent().tokens >= record.budget_tokens:
        more: dict[str, Any] = {"tokens": 2 * max(record.budget_tokens, record.spent().tokens)}
    else:
        more = {"usd": round(2 * max(record.budget_usd or 0.0, record.spent().cost_usd), 2) or 1.0}
    words = " ".join(f"--{name} {value}" for name, value in more.items())
    return command(job, "allow more", f"budget {job} {words}", Message.SET_BUDGET, more)


def _other_models(record: JobRecord, job: str) -> NextCommand:
    """Another model for what the agent that could not go on does."""
    name = "provider/model"
    given: dict[str, Any]
    note = next((note for note in record.agents if record.hold and note.id == record.hold.agent), None)
    if note and note.kind is AgentKind.REVIEW and record.spec.models.get(REVIEW):
        words, given = f"--review-model {name}", {"models": {REVIEW: name}}
    elif note and record.spec.models.get(note.phase):
        words, given = f"--phase-model {note.phase}={name}", {"models": {note.phase.value: name}}
    else:
        words, given = f"--model {name}", {"model": name}
    return command(job, "go on with another model", f"models {job} {words}", Message.SET_MODELS, given)


def _approvals(record: JobRecord, job: str, flags: str, bound: dict[str, Any]) -> list[NextCommand]:
    """Approve the gate: with each option, where one has to be chosen."""
    gate, at_hand = record.gate, options_at_hand(record)
    assert gate is not None
    if record.selected or len(at_hand) < 2:
        return [command(job, f"approve {gate.id}", f"approve {job} {flags}", Message.APPROVE, bound)]
    return [
        command(
            job,
            f"approve {gate.id} with option {each.id}, rank {each.rank}",
            f"approve {job} --option {shlex.quote(each.id)} {flags}",
            Message.APPROVE,
            {"option": each.id, **bound},
        )
        for each in at_hand
    ]


def _selections(record: JobRecord, job: str) -> list[NextCommand]:
    """Choose an option of a verified plan, where nobody has."""
    if record.selected or record.mode is not Mode.PLAN:
        return []
    return [
        command(
            job,
            f"select option {each.id}, rank {each.rank}",
            f"select {job} {shlex.quote(each.id)}",
            Message.SELECT,
            {"option": each.id},
        )
        for each in options_at_hand(record)
    ]


def next_commands(record: JobRecord) -> list[NextCommand]:
    """What a person can do now, most likely first."""
    job = shlex.quote(record.job)
    match awaiting(record):
        case Awaiting.ANSWERS:
            found = [
                command(
                    job,
                    f"answer {q.ref.id}",
                    f"answer {job} {shlex.quote(q.ref.id)} {shlex.quote(q.ref.recommended or 'your answer')}",
                    Message.ANSWER,
                    {"question": q.ref.id, "text": q.ref.recommended or "your answer"},
                )
                for q in record.open_questions()
            ]
            return [*found, command(job, "take best guesses", f"finish {job}", Message.FINISH, {})]
        case Awaiting.HUMAN_REVIEW if record.gate:
            gate = record.gate
            bound: dict[str, Any] = {"gate": gate.id, "digest": gate.digest[:12]}
            flags = f"--gate {gate.id} --digest {gate.digest[:12]}"
            return [
                *_approvals(record, job, flags, bound),
                command(
                    job,
                    f"refuse {gate.id} with feedback",
                    f"revise {job} 'what to change' {flags}",
                    Message.REVISE,
                    {"feedback": "what to change", **bound},
                ),
            ]
        case Awaiting.BUDGET:
            return [_larger_budget(record, job)]
        case Awaiting.OPERATOR if record.gate and record.gate.step and record.hold is None:
            return step_commands(record.gate, job)
        case Awaiting.OPERATOR:
            again = command(job, "go on", f"resume {job}", Message.RESUME, {})
            others = [_other_models(record, job)] if record.hold and record.hold.agent else []
            return [again, *others, *mend_commands(record, job), *undo_commands(record, job)]
        case _ if record.state is State.VERIFIED:
            return [
                *_selections(record, job),
                *act_commands(record, job),
                *undo_commands(record, job),
                NextCommand(
                    what="read the plan",
                    phasegate=f"phasegate export {job}",
                    temporal=f"temporal workflow query --workflow-id {job} --name view",
                ),
            ]
        case _:
            return []
