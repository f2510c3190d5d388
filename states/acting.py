"""Act mode's books: an execution begins, waits for operators, comes to rest, goes back, ends."""

import re
import shlex
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from pydantic import ValidationError

from states.act import CANCELLED, ActEnd, ActNote, ActOutcome, Report, StepAnswer, StepAsk, Undo
from states.agents import AgentKind
from states.artifacts.base import digest_of
from states.carrying import bounded
from states.execution import ExecutionStatus, Progress, StepStatus
from states.facts import mode_facts_of
from states.holding import pause
from states.ledger import EntryKind
from states.machine import move_mode
from states.record import Gate, Hold, JobRecord
from states.undoing import START
from states.words import HoldKind, Mode, ModeTrigger, Phase, State

STARTED_WITH = "policy:act"
"""who carries a plan out because the job was started so"""
LEARNT = 20
"""errors of an execution that a restart remembers"""


def begin_act(record: JobRecord, by: str, now: datetime) -> None:
    """Carry the selected plan out. Raises MoveRefused where the mode table does."""
    _move(record, ModeTrigger.ACT, by, now)
    chosen = record.selected
    assert chosen is not None, "the mode table lets nothing act without a selected option"
    record.acts += 1
    record.act = ActNote(
        id=f"{record.job}.act-{record.acts}",
        option=chosen.option,
        plan=chosen.plan,
        branch=branch_of(record.job, record.acts),
        by=by,
        started=now,
    )
    record.note(
        now, EntryKind.ACT, f"option {chosen.option} on {record.act.branch}", who=by, digest=chosen.plan
    )


def branch_of(job: str, number: int) -> str:
    """The branch of a job's execution: the first has the job's name, later ones a number behind it."""
    safe = re.sub(r"\.(?=\.|lock$|$)", "-", job)
    return f"phasegate/{safe}" if number == 1 else f"phasegate/{safe}-{number}"


def acts_now(record: JobRecord) -> bool:
    """Whether the execution is what goes on now: to carry out, or to go back."""
    return record.state is State.VERIFIED and (undoing(record) or record.mode is Mode.ACT)


def undoing(record: JobRecord) -> bool:
    """Whether a rollback is wanted that has not happened yet."""
    return record.act is not None and record.act.undo is not None


def starts_to_act(record: JobRecord) -> bool:
    """Whether a job that was started with `act` has come to where it acts by itself."""
    waits = record.state is State.VERIFIED and record.mode is Mode.PLAN and record.hold is None
    return record.spec.act and waits and record.selected is not None and record.act is None


def set_running(record: JobRecord) -> None:
    """The execution's workflow is about to be started."""
    assert record.act is not None
    record.act = record.act.model_copy(update={"running": True, "status": ExecutionStatus.RUNNING})


def go_on_acting(record: JobRecord, now: datetime) -> None:
    """A job was opened again: an execution that had not ended is paused where it was."""
    act = record.act
    if act is None or act.status is ExecutionStatus.COMPLETED or record.selected is None:
        return
    record.act = act.model_copy(update={"running": False, "undo": None, "status": ExecutionStatus.PAUSED})
    _move(record, ModeTrigger.ACT, "phasegate", now)
    reason = "the job was closed while its plan was carried out; resume carries on"
    pause(record, Hold(reason=reason, by="phasegate", since=now), now)


def note_report(record: JobRecord, given: Sequence[Any]) -> bool:
    """Take in what an execution says of itself; False when it is not the one that runs.

    Anybody can send such a signal. What it asks is shown to people, and what they allow is an exact text:
    nothing runs by it that the plan does not hold.
    """
    act = record.act
    try:
        report = Report.model_validate(given[0] if len(given) == 1 else None)
    except ValidationError:
        return False
    if act is None or not act.running or report.execution != act.id:
        return False
    progress = Progress.model_validate(report.model_dump(exclude={"asks"}))
    record.act = act.model_copy(update={"last": act.last.model_copy(update={"progress": progress})})
    if report.asks is not None:
        _note_asks(record, bounded(report.asks))
    return True


def _note_asks(record: JobRecord, asks: tuple[StepAsk, ...]) -> None:
    """What waits now. What was decided holds as long as the very ask that it was about."""
    act = record.act
    assert act is not None
    still = {ask.step for ask in asks if ask.attempt and ask in act.last.asks}
    record.act = act.model_copy(
        update={
            "last": act.last.model_copy(update={"asks": asks}),
            "ready": tuple(step for step in act.ready if step in still),
            "refused": {step: why for step, why in act.refused.items() if step in still},
            "done": {step: by for step, by in act.done.items() if step in still},
        }
    )


def book_rest(record: JobRecord, outcome: ActOutcome, undone: Undo | None, now: datetime) -> None:
    """An execution came to rest: keep what it says, and let the job stand where it can go on.

    `undone` is the rollback that was tried; one that was asked for meanwhile is still to come.
    """
    act = record.act
    assert act is not None
    coming = act.undo if act.undo != undone else None
    # One that says nothing of its steps, or could keep nothing, is gone on with from where it last stood.
    kept = outcome.end is not ActEnd.BROKEN or outcome.kept not in ("", act.last.kept)
    _note_asks(record, outcome.asks if outcome.steps and kept else act.last.asks)
    act = record.act
    assert act is not None
    last = outcome.model_copy(update={"kept": outcome.kept or act.last.kept, "asks": act.last.asks})
    settled: dict[str, object] = {"running": False, "again": False, "undo": coming}
    if outcome.end in (ActEnd.FAILED, ActEnd.ROLLED_BACK):
        # What was written for a step that failed, or that is to be done anew, is written anew.
        done = {line.id for line in outcome.steps if line.status == StepStatus.COMPLETED}
        settled["written"] = {step: each for step, each in act.written.items() if step in done}
    if outcome.end is ActEnd.FAILED:
        settled["learnt"] = _errors(outcome)
    record.act = act.model_copy(update={"last": last, "status": _status(outcome), **settled})
    record.note(now, EntryKind.ACT, f"{act.id}: {outcome.end}", why=told(outcome), digest=last.kept)
    gate = record.gate
    if gate and gate.step and not any((ask.step, ask.asks) == (gate.step, gate.asks) for ask in last.asks):
        close_ask(record, f"step {gate.step} does not wait for it any more", now)
    match outcome.end:
        case ActEnd.COMPLETED if coming is None:
            _move(record, ModeTrigger.CLOSE, "phasegate", now)
            record.hold, record.paused_from = None, None
            record.open_until = now + timedelta(seconds=record.spec.policy.keep_open_seconds)
        case ActEnd.FAILED | ActEnd.BROKEN if record.demand is None and act.undo is None:
            record.act = record.act.model_copy(update={"again": True})
            hold = Hold(reason=told(outcome), by="phasegate", kind=HoldKind.FAILURE, since=now)
            pause(record, hold, now)
        case ActEnd.BROKEN if undone is not None and record.hold:
            record.hold = record.hold.model_copy(update={"reason": f"not rolled back: {outcome.reason}"})
        case _:
            pass


def stopped_alone(record: JobRecord, outcome: ActOutcome) -> bool:
    """Whether the execution was cancelled by somebody who told the job nothing."""
    cancelled = outcome.end is ActEnd.STOPPED and outcome.reason == CANCELLED
    return cancelled and record.hold is None and record.demand is None and not undoing(record)


def hold_stopped(record: JobRecord, now: datetime) -> None:
    """Else it would be gone on with at once, which nobody wants who has cancelled it."""
    reason = "the execution was cancelled in Temporal; resume carries on"
    pause(record, Hold(reason=reason, by="phasegate", since=now), now)


def _status(outcome: ActOutcome) -> ExecutionStatus:
    match outcome.end:
        case ActEnd.COMPLETED:
            return ExecutionStatus.COMPLETED
        case ActEnd.FAILED:
            return ExecutionStatus.FAILED
        case _:
            return ExecutionStatus.PAUSED


def told(outcome: ActOutcome) -> str:
    """Why it rests, for people."""
    if outcome.end is ActEnd.FAILED:
        failed = [f"{line.id} ({line.error})" for line in outcome.steps if line.status == "failed"]
        return f"steps failed: {', '.join(failed)}" if failed else "a required step was skipped"
    return outcome.reason


# --- operator gates -----------------------------------------------------------------------------------


def rests_waiting(record: JobRecord) -> bool:
    """Whether the execution rests because nothing goes on without an answer."""
    return record.act is not None and record.act.last.end is ActEnd.WAITING


def next_code(record: JobRecord) -> StepAsk | None:
    """The first step that waits for code, where the job has models that write it."""
    asked = record.gate.step if record.gate else ""
    if not rests_waiting(record) or not _written_by_models(record):
        return None
    return next((ask for ask in _undecided(record) if ask.by_hand and ask.step != asked), None)


def _written_by_models(record: JobRecord) -> bool:
    return bool(record.spec.ladder(AgentKind.CODE, Phase.VERIFIED))


def _undecided(record: JobRecord) -> list[StepAsk]:
    act = record.act
    return [ask for ask in act.last.asks if not _decided(act, ask)] if act else []


def enter_code(record: JobRecord, step: str, changes: str, models: tuple[str, ...], now: datetime) -> None:
    """A model wrote the code of a step: `changes` is the digest of what it wants done to files."""
    act = record.act
    assert act is not None
    written = {**act.written, step: changes}
    record.act = act.model_copy(update={"written": written, "ready": (*act.ready, step)})
    who = ", ".join(f"model:{name}" for name in models)
    record.note(now, EntryKind.ACT, f"the code of step {step} is written", who=who, digest=changes)


def next_ask(record: JobRecord, *, all_by_hand: bool = False) -> StepAsk | None:
    """The first thing that a step waits for and no person has decided; code is left to models, where the
    job has some, unless `all_by_hand`."""
    people = all_by_hand or not _written_by_models(record)
    return next((ask for ask in _undecided(record) if people or not ask.by_hand), None)


def answers(record: JobRecord) -> tuple[StepAnswer, ...]:
    """What was decided about steps that wait, as far as the job knows."""
    act = record.act
    if act is None:
        return ()
    return tuple(
        StepAnswer(ask=ask, done_by=act.done.get(ask.step, ""), refused=act.refused.get(ask.step, ""))
        for ask in act.last.asks
        if _decided(act, ask)
    )


def _decided(act: ActNote, ask: StepAsk) -> bool:
    return ask.step in act.refused or ask.step in act.ready


def open_ask(record: JobRecord, ask: StepAsk, now: datetime) -> None:
    """Open the operator gate of one waiting step. Its digest is that of exactly what is asked."""
    act = record.act
    assert act is not None
    record.operator_gates += 1
    record.gate = Gate(
        id=f"operator-{record.operator_gates}",
        phase=Phase.VERIFIED,
        digest=digest_of([act.id, ask.step, ask.asks]),
        opened=now,
        needed=record.spec.policy.approvals,
        step=ask.step,
        asks=ask.asks,
        by_hand=ask.by_hand,
        notes=ask.notes,
    )
    what = f"gate {record.gate.id} opened for step {ask.step}"
    record.note(now, EntryKind.GATE, what, why=ask.asks, digest=record.gate.digest)


def settle_ask(record: JobRecord, now: datetime) -> None:
    """Enough people said yes: the command may run, or the code is written."""
    gate, act = record.gate, record.act
    assert gate is not None
    assert act is not None
    names = ", ".join(d.by for d in gate.decisions)
    allowed = act.allowed if gate.by_hand or gate.asks in act.allowed else (*act.allowed, gate.asks)
    done = {**act.done, gate.step: names} if gate.by_hand else act.done
    ready = (*act.ready, gate.step)
    record.act = act.model_copy(update={"allowed": allowed, "done": done, "ready": ready})
    close_ask(record, f"{'done' if gate.by_hand else 'allowed'} by {names}", now)


def refuse_ask(record: JobRecord, by: str, feedback: str, now: datetime) -> None:
    """A person does not want a step done; it fails with what they said."""
    gate, act = record.gate, record.act
    assert gate is not None
    assert act is not None
    record.act = act.model_copy(update={"refused": {**act.refused, gate.step: f"{by} refused: {feedback}"}})
    close_ask(record, f"refused by {by}", now)


def close_ask(record: JobRecord, outcome: str, now: datetime) -> None:
    """The open operator gate is no longer open."""
    gate = record.gate
    assert gate is not None
    record.gates_closed[gate.id] = outcome
    record.note(now, EntryKind.GATE, f"gate {gate.id} closed: {outcome}", digest=gate.digest)
    record.gate = None


def why_not_act(record: JobRecord) -> str:
    """What stands against carrying the plan out besides the mode table; blank when nothing does."""
    act, job = record.act, shlex.quote(record.job)
    if record.mode is Mode.ACT:
        return f"duplicate: the plan is being carried out already; `phasegate watch {job}` follows it"
    if record.mode is Mode.PAUSED and record.paused_from is Mode.ACT:
        return f"the execution is paused; `phasegate resume {job}` carries on"
    if act is not None and act.status is ExecutionStatus.COMPLETED:
        again = f"`phasegate rollback {job}` undoes it, `phasegate restart {job} PHASE` plans anew"
        return f"the plan was carried out already; {again}"
    return ""


# --- going back ---------------------------------------------------------------------------------------


def why_not_roll_back(record: JobRecord, to: str) -> str:
    """What stands against a rollback; blank when nothing does."""
    act = record.act
    if act is None or (record.mode is Mode.NORMAL and record.open_until is None):
        return "nothing was carried out, so there is nothing to roll back"
    if act.undo is not None:
        return f"duplicate: a rollback by {act.undo.by} is under way"
    steps = [line.id for line in act.last.steps]
    known = {*START, *map(str.casefold, steps), *(line.title.strip().casefold() for line in act.last.steps)}
    number = to.casefold().removeprefix("step").strip().removeprefix("#")
    if steps and to.strip().casefold() not in known and not number.isdigit():
        return f"the plan has no step {to[:60]!r}; steps are {', '.join(steps)}"
    return ""


def ask_undo(record: JobRecord, to: str, by: str, now: datetime) -> None:
    """A rollback is wanted: whatever runs stops first, and the job is paused behind it."""
    act = record.act
    assert act is not None
    if record.gate and record.gate.step:
        close_ask(record, f"overtaken by a rollback by {by}", now)
    if record.mode is Mode.NORMAL:
        _move(record, ModeTrigger.PLAN, by, now)
    if record.mode is Mode.PLAN:
        _move(record, ModeTrigger.ACT, by, now)
    where = f"step {to}" if to else "the start"
    record.act = act.model_copy(update={"undo": Undo(to=to, by=by), "refused": {}, "ready": (), "done": {}})
    reason = f"rolled back to {where}; resume carries on from there"
    pause(record, Hold(reason=reason, by=by, since=now), now)


def learnt(record: JobRecord) -> tuple[str, ...]:
    """What carrying the plan out has shown, for the plan that replaces it."""
    act = record.act
    return (_errors(act.last) or act.learnt) if act else ()


def _errors(outcome: ActOutcome) -> tuple[str, ...]:
    lines = [f"step {line.id} ({line.title}): {line.error}" for line in outcome.steps if line.error]
    return tuple(lines[:LEARNT])


def _move(record: JobRecord, trigger: ModeTrigger, by: str, now: datetime) -> None:
    before = record.mode
    record.mode = move_mode(before, trigger, mode_facts_of(record))
    record.note(now, EntryKind.MODE, f"{before} -> {record.mode}", who=by)
