"""What a message does to the record. Nothing moves here: the loop fires what the record then demands."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from states.acting import ask_undo, begin_act, refuse_ask
from states.amounts import counted
from states.facts import decisions_enough
from states.holding import UNSAID, pause, unpause
from states.ledger import EntryKind
from states.messages import (
    Ack,
    Act,
    Answer,
    Approve,
    Cancel,
    Edit,
    Finish,
    Malformed,
    Pause,
    Request,
    RestartFrom,
    Resume,
    Revise,
    Rollback,
    Say,
    Select,
    SetBudget,
    SetModels,
    parse,
)
from states.models import ladders_in_words
from states.record import Decision, Demand, Hold, JobRecord
from states.refusals import Refused, check, option_named, question_of
from states.selecting import choose, options_at_hand
from states.spending import used_up
from states.words import HoldKind, Message, Mode, ModeTrigger, ReviewKind, Stage, Trigger


def read(record: JobRecord, name: str, args: Sequence[Any]) -> Request:
    """Parse a message and check it against the job. Raises Malformed or Refused; changes nothing."""
    try:
        message = Message(name)
    except ValueError:
        raise Malformed(f"unknown message {name[:60]!r}; messages are {', '.join(Message)}") from None
    request = parse(message, args)
    check(record, request)
    return request


def receive(record: JobRecord, name: str, args: Sequence[Any], now: datetime) -> Ack | None:
    """Take a message, or note in the ledger why not. Never raises; None when it was refused."""
    try:
        request = read(record, name, args)
    except (Malformed, Refused) as problem:
        note_refusal(record, name, str(problem), now)
        return None
    return take(record, Message(name), request, now)


def note_refusal(record: JobRecord, name: str, why: str, now: datetime) -> None:
    """Put a refused message in the ledger."""
    record.note(now, EntryKind.REFUSED, f"{name[:60]} refused", why=why, who="message")


def take(record: JobRecord, message: Message, request: Request, now: datetime) -> Ack:
    """Act on a message that `read` has passed."""
    note = _apply(record, request, now)
    what = f"{message}: {note}"
    entry = record.note(now, EntryKind.MESSAGE, what, who=request.who, why=_words(request))
    return Ack(message=message.value, state=record.state.value, note=note, entry=entry.n)


def _apply(record: JobRecord, request: Request, now: datetime) -> str:
    match request:
        case Approve():
            return _approve(record, request, now)
        case Revise() if record.gate and record.gate.step:
            return _refuse_step(record, request.feedback, request.who, now)
        case Revise():
            return _demand_revision(record, request.kind, request.feedback, request.who)
        case Edit():
            record.demand = Demand(trigger=Trigger.EDIT, by=request.who, artifact=request.artifact)
            return "the edited version is checked and re-earns its gate"
        case Answer():
            return _answer(record, request)
        case Say():
            record.says.append(request.text)
            return "kept"
        case Finish():
            record.finished = request.who
            left = len(record.open_questions())
            guessed = counted(left, "question becomes a best guess", "questions become best guesses")
            return f"the dialogue ends; {guessed}"
        case Select():
            return _select(record, request.option, request.who, now)
        case RestartFrom():
            record.demand = Demand(
                trigger=Trigger.restart(request.phase), by=request.who, text=request.changes, restart=request
            )
            return f"plans again from {request.phase.name}"
        case Cancel():
            record.demand = Demand(trigger=Trigger.CANCEL, by=request.who, text=request.reason)
            return "the job is being cancelled"
        case Act():
            return _act(record, request, now)
        case Rollback():
            ask_undo(record, request.to, request.who, now)
            return f"rolls back to {f'step {request.to}' if request.to else 'the start'}"
        case Pause():
            acting = record.mode is Mode.ACT
            pause(record, Hold(reason=request.reason or UNSAID, by=request.who, since=now), now)
            what = "steps that run are stopped and put back" if acting else "what runs is finished and kept"
            return f"paused; {what}"
        case Resume():
            unpause(record, ModeTrigger.RESUME, request.who, now)
            return "goes on"
        case SetBudget():
            return _set_budget(record, request, now)
        case SetModels():
            return _set_models(record, request, now)
        case _:
            raise AssertionError(f"check() lets no {type(request).__name__} through")


def _words(request: Request) -> str:
    return next(
        (text for name in ("feedback", "comment", "text", "reason") if (text := getattr(request, name, ""))),
        "",
    )


def _approve(record: JobRecord, request: Approve, now: datetime) -> str:
    gate = record.gate
    assert gate is not None, "check() passes approvals of an open gate only"
    if request.feedback and gate.step:
        return _refuse_step(record, request.feedback, request.who, now)
    if request.feedback:
        return _demand_revision(record, ReviewKind.TECHNICAL, request.feedback, request.who)
    decision = Decision(by=request.who, at=now, digest=gate.digest, comment=request.comment)
    record.gate = gate.model_copy(update={"decisions": (*gate.decisions, decision)})
    record.restarts_in_a_row = 0
    chosen = _chosen_by_approving(record, request, now)
    have = len(record.gate.decisions)
    if not decisions_enough(record):
        return f"{gate.id} approved by {have} of {gate.needed}{chosen}"
    return f"{gate.id} approved{chosen}" + (", goes on after resume" if record.hold else "")


def _chosen_by_approving(record: JobRecord, request: Approve, now: datetime) -> str:
    """The option that an approval selects: the one it names, or the only one there is."""
    at_hand = options_at_hand(record)
    if request.option:
        return f", {_select(record, request.option, request.who, now)}"
    if len(at_hand) == 1 and record.selected is None:
        return f", {_select(record, at_hand[0].id, request.who, now)}"
    if at_hand and record.selected is None:
        return f"; none of {counted(len(at_hand), 'option')} is selected yet"
    return ""


def _select(record: JobRecord, name: str, by: str, now: datetime) -> str:
    option, before = option_named(record, name), record.selected
    choose(record, option, by, now)
    instead = f" instead of {before.option}" if before and before.option != option.id else ""
    return f"option {option.id} selected{instead}"


def _refuse_step(record: JobRecord, feedback: str, by: str, now: datetime) -> str:
    assert record.gate is not None
    step = record.gate.step
    refuse_ask(record, by, feedback, now)
    return f"step {step} is refused"


def _act(record: JobRecord, request: Act, now: datetime) -> str:
    if request.option:
        _select(record, request.option, request.who, now)
    begin_act(record, request.who, now)
    assert record.act is not None
    return f"option {record.act.option} is carried out on branch {record.act.branch}"


def _demand_revision(record: JobRecord, kind: ReviewKind, feedback: str, by: str) -> str:
    record.demand = Demand(trigger=Trigger.revise(kind), by=by, text=feedback)
    record.restarts_in_a_row = 0
    return f"{kind} revision"


def _answer(record: JobRecord, request: Answer) -> str:
    found = question_of(record, request)
    corrected = not found.open
    answered = found.model_copy(update={"text": request.text, "by": request.who})
    record.questions[record.questions.index(found)] = answered
    record.restarts_in_a_row = 0
    if record.state.stage is not Stage.WORK:
        text = f"The answer to {found.ref.id} is now: {request.text}"
        record.demand = Demand(trigger=Trigger.REVISE_REQUIREMENT, by=request.who, text=text)
    verb = "corrected" if corrected else "answered"
    return f"{found.ref.id} {verb}, {len(record.open_questions())} open"


def _set_budget(record: JobRecord, request: SetBudget, now: datetime) -> str:
    if request.usd is not None:
        record.budget_usd = request.usd
    if request.tokens is not None:
        record.budget_tokens = request.tokens
    if record.hold is None or record.hold.kind is not HoldKind.BUDGET:
        return "budget set"
    if why := used_up(record):
        return f"budget set, and still {why}"
    unpause(record, ModeTrigger.RESUME, request.who, now)
    return "budget set, goes on"


def _set_models(record: JobRecord, request: SetModels, now: datetime) -> str:
    spec = record.spec
    model = spec.model if request.model is None else request.model
    # A blank one takes the exception for its use away.
    models = {use: ladder for use, ladder in {**spec.models, **request.models}.items() if ladder}
    record.spec = spec.model_copy(update={"model": model, "models": models})
    said = f"models are {ladders_in_words(model, models)}"
    if record.hold is None or not record.hold.agent:
        return said
    unpause(record, ModeTrigger.RESUME, request.who, now)
    return f"{said}; goes on"
