"""May this message be acted on now? One sentence when it may not; nothing is changed here."""

from dataclasses import replace

from states.acting import why_not_act, why_not_roll_back
from states.amounts import counted
from states.before_act import before_act
from states.execution import ExecutionStatus
from states.facts import decisions_enough, facts_of, mode_facts_of
from states.guards import Facts
from states.machine import MoveRefused, can_fire, move_mode, triggers_from, why_not
from states.messages import (
    Act,
    Answer,
    Approve,
    Bound,
    Cancel,
    Edit,
    Finish,
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
)
from states.people import UNNAMED, same_person
from states.record import JobRecord, QuestionState
from states.restart import preview
from states.review import OptionFact
from states.selecting import CHOOSING, find_option, options_at_hand
from states.spending import used_up
from states.table import revision_target
from states.words import HoldKind, Mode, ModeTrigger, Phase, ReviewKind, Stage, State, Trigger

MOST_RESTARTS = 100
"""restarts over a job's whole life"""
MOST_WORDS = 200_000
"""characters of feedback and changes that a job keeps; its record goes through Temporal as a whole"""


class Refused(ValueError):
    """The message cannot be acted on now. The text says why, and what to send instead."""


def check(record: JobRecord, request: Request) -> None:
    """Raise Refused if the job cannot act on this message now."""
    match request:
        case Approve():
            _check_approve(record, request)
        case Revise():
            _check_revise(record, request, request.kind)
        case Edit():
            _check_edit(record, request)
        case Answer():
            question_of(record, request)
        case Say():
            _check_dialogue(record, "say")
        case Finish():
            _check_dialogue(record, "finish")
        case RestartFrom():
            _check_restart(record, request)
        case Cancel():
            _check_cancel(record)
        case Pause():
            _check_pause(record)
        case Resume():
            _check_resume(record)
        case SetBudget():
            _still_runs(record)
            if request.usd is None and request.tokens is None:
                raise Refused("set_budget needs usd or tokens")
        case SetModels():
            _still_runs(record)
            if request.model is None and not request.models:
                raise Refused("set_models needs model or models")
        case Select():
            _check_select(record, request)
        case Act():
            _check_act(record, request)
        case Rollback():
            _check_rollback(record, request)
        case _:
            raise Refused(f"{type(request).__name__} is not understood")


def _pending(record: JobRecord) -> None:
    if record.demand is not None:
        raise Refused(f"{record.demand.trigger} by {record.demand.by} is under way")


def _check_bound(record: JobRecord, request: Bound) -> None:
    """The gate is open, and it is the one that was read."""
    _pending(record)
    gate = record.gate
    if request.gate and request.gate in record.gates_closed:
        raise Refused(f"stale: gate {request.gate} is closed, {record.gates_closed[request.gate]}")
    if gate is None:
        last = next(reversed(record.gates_closed.items()), None)
        hint = f"; the last one, {last[0]}, {last[1]}" if last else ""
        raise Refused(f"no gate is open in {record.state}{hint}")
    if request.gate and request.gate != gate.id:
        raise Refused(f"stale: the open gate is {gate.id}, not {request.gate}")
    digest = request.digest.removeprefix("sha256:")
    if request.digest and (len(digest) < 8 or not gate.digest.startswith(digest)):
        raise Refused(f"stale: gate {gate.id} reviews {gate.digest[:12]}, not {digest[:12]}")


def _check_approve(record: JobRecord, request: Approve) -> None:
    if request.feedback:
        _check_revise(record, request, ReviewKind.TECHNICAL)
        return
    _check_bound(record, request)
    gate, policy = record.gate, record.spec.policy
    assert gate is not None
    if request.option:
        option_named(record, request.option)
    if policy.require_digest and not request.digest:
        raise Refused(
            f"the policy require_digest needs the digest that was read ({gate.digest[:12]} is open)"
        )
    nobody = not request.by or same_person(request.by, UNNAMED)
    if policy.forbid_self_approval and (nobody or same_person(request.by, record.spec.submitted_by)):
        raise Refused("the policy forbid_self_approval needs somebody else than the submitter, by name")
    if gate.step and not gate.by_hand and not (request.gate or request.digest):
        # Sent twice, or for the gate before, it would allow a command that nobody has read.
        raise Refused(f"{gate.id} allows a command; name the gate or the digest that was read")
    if any(same_person(d.by, request.who) for d in gate.decisions):
        raise Refused(f"duplicate: {request.who} has approved {gate.id} already")
    if decisions_enough(record):
        raise Refused(f"duplicate: {gate.id} is approved already and goes on as soon as the job does")


def _check_revise(record: JobRecord, request: Bound, kind: ReviewKind) -> None:
    _check_bound(record, request)
    if decisions_enough(record):
        raise Refused("the gate is approved already; restart_from goes back")
    if record.gate and record.gate.step:
        # A step that is not wanted fails; nothing is planned anew for it.
        return
    if _words_kept(record) >= MOST_WORDS:
        raise Refused(
            f"{MOST_WORDS} characters of feedback are kept already; restart_from DISCOVERY forgets them"
        )
    phase = record.state.phase
    if phase is None or revision_target(phase, kind) is None:
        raise Refused(f"a {kind} revision makes no sense in {record.state}; send kind technical")
    _may_fire(record, Trigger.revise(kind), facts_of(record))


def _check_edit(record: JobRecord, request: Edit) -> None:
    _check_bound(record, Bound(digest=request.base))
    if record.gate and record.gate.step:
        raise Refused(
            f"gate {record.gate.id} is about a step and not about an artifact; approve or revise it"
        )
    if decisions_enough(record):
        raise Refused("the gate is approved already; restart_from goes back")
    if facts_of(record).revisions_used_up:
        raise Refused(
            f"{record.state.phase} was revised and edited max_human_revisions times; restart_from goes back"
        )


def question_of(record: JobRecord, request: Answer) -> QuestionState:
    """The question that an answer is for. Raises Refused where it is not clear or not the time."""
    _pending(record)
    if not record.questions:
        raise Refused("the job has asked nothing" if record.facts else "the job has not asked anything yet")
    if record.state.phase is not Phase.CLARIFICATION:
        raise Refused(
            f"answers are taken in CLARIFICATION, the job is in {record.state}; "
            "send restart_from CLARIFICATION to change one"
        )
    ids = ", ".join(q.ref.id for q in record.questions)
    if request.question:
        found = next((q for q in record.questions if q.ref.id == request.question), None)
        if found is None:
            raise Refused(f"there is no question {request.question!r}; questions are {ids}")
    else:
        still_open = record.open_questions()
        if len(still_open) != 1:
            raise Refused(f"answer needs question, one of {ids}: {len(still_open)} are open")
        found = still_open[0]
    if record.state.stage is not Stage.WORK:
        if decisions_enough(record):
            raise Refused("the gate is approved already; restart_from goes back")
        _may_fire(record, Trigger.REVISE_REQUIREMENT, facts_of(record))
    return found


def _check_dialogue(record: JobRecord, what: str) -> None:
    _pending(record)
    if record.state is not State.CLARIFICATION:
        raise Refused(f"{what} is for CLARIFICATION, the job is in {record.state}")
    if record.finished:
        raise Refused(f"duplicate: {record.finished} has ended the dialogue already")
    if what == "say" and len(record.says) >= 100:
        raise Refused("100 messages are kept already; send finish")


def _still_runs(record: JobRecord) -> None:
    """A job that has ended stays for a moment, to be shown and kept; what it takes then would be lost."""
    if record.mode is Mode.NORMAL and record.open_until is None:
        raise Refused(f"the job has ended in {record.state}; `phasegate restart` goes on in a new run")


def _check_restart(record: JobRecord, request: RestartFrom) -> None:
    _pending(record)
    _still_runs(record)
    plan = preview(record, request)
    if plan.refused:
        raise Refused(plan.refused)
    if record.restarts_total >= MOST_RESTARTS or _words_kept(record) >= MOST_WORDS:
        raise Refused("the job was restarted and told so much that a new job is the better start")
    if record.restarts_in_a_row >= record.spec.policy.max_restarts:
        raise Refused(
            f"{counted(record.restarts_in_a_row, 'restart')} in a row without a person's decision "
            "(max_restarts); approve, revise or answer something first"
        )


def _check_cancel(record: JobRecord) -> None:
    _not_cancelled(record)
    if record.demand is not None and record.demand.trigger is Trigger.CANCEL:
        raise Refused("duplicate: the job is being cancelled already")
    _may_fire(record, Trigger.CANCEL, facts_of(record))


def _not_cancelled(record: JobRecord) -> None:
    if record.act is not None and record.act.status is ExecutionStatus.CANCELLED:
        raise Refused("execution cancelled")


def _check_pause(record: JobRecord) -> None:
    _not_cancelled(record)
    if record.mode is Mode.PAUSED and record.paused_from is Mode.ACT:
        raise Refused("execution already paused")
    if record.mode is Mode.PAUSED:
        raise Refused("duplicate: the job is paused already")
    try:
        move_mode(record.mode, ModeTrigger.PAUSE, mode_facts_of(record))
    except MoveRefused as refused:
        raise Refused(str(refused)) from None


def _check_resume(record: JobRecord) -> None:
    _not_cancelled(record)
    if record.hold is None and record.act is not None:
        raise Refused("execution not paused")
    if record.hold is None:
        raise Refused("the job is not paused")
    if record.hold.kind is HoldKind.BUDGET and (why := used_up(record)):
        raise Refused(f"{why}; set_budget gives the job more")


def _check_act(record: JobRecord, request: Act) -> None:
    _pending(record)
    if why := why_not_act(record):
        raise Refused(why)
    facts = mode_facts_of(record)
    if request.option and record.state is State.VERIFIED:
        option_named(record, request.option)
        facts = replace(facts, option_selected=True)
    try:
        move_mode(record.mode, ModeTrigger.ACT, facts)
    except MoveRefused as refused:
        raise Refused(f"{refused}; {before_act(record)}") from None


def _check_rollback(record: JobRecord, request: Rollback) -> None:
    _pending(record)
    if why := why_not_roll_back(record, request.to):
        raise Refused(why)


def _check_select(record: JobRecord, request: Select) -> None:
    _pending(record)
    if record.mode is Mode.ACT or record.paused_from is Mode.ACT:
        chosen = record.selected.option if record.selected else "the plan"
        raise Refused(f"option {chosen} is being carried out; restart_from goes back to planning")
    _still_runs(record)
    option_named(record, request.option)


def option_named(record: JobRecord, name: str) -> OptionFact:
    """The option that is meant. Raises Refused naming those that there are."""
    at_hand = options_at_hand(record)
    if not at_hand and record.state in CHOOSING:
        raise Refused(f"the job has no option {name!r}: it plans one way only")
    if not at_hand:
        raise Refused(f"options are chosen at the VALIDATION gate and later, the job is in {record.state}")
    found = find_option(record, name)
    if found is None:
        raise Refused(f"there is no option {name!r}; options are {', '.join(each.id for each in at_hand)}")
    return found


def _words_kept(record: JobRecord) -> int:
    return sum(len(f.text) for f in record.feedback) + sum(len(r.changes) for r in record.restarts)


def _may_fire(record: JobRecord, trigger: Trigger, facts: Facts) -> None:
    if trigger not in triggers_from(record.state) or not can_fire(record.state, trigger, facts):
        raise Refused(why_not(record.state, trigger, facts))
