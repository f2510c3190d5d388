"""Which message is refused when, with which sentence; and that a refusal changes nothing but the ledger."""

from typing import Any

import pytest

from states.advance import advance, end
from states.artifacts.plan import Complexity, Impact
from states.execution import ExecutionStatus
from states.facts import decisions_enough
from states.machine import MoveRefused
from states.people import UNNAMED
from states.receive import receive
from states.record import JobRecord, QuestionState, Selection
from states.review import OptionFact, PhaseFacts
from states.words import Message, Mode, Phase, State, Trigger
from tests.states.job_maker import NOW, QUESTION, everything_but_the_ledger, hand_over, job_in, story

RIGHT: dict[Message, Any] = {
    Message.APPROVE: {"comment": "good"},
    Message.REVISE: "not like this",
    Message.ANSWER: {"question": "q1", "text": "both"},
    Message.SAY: "mind the cache",
    Message.EDIT: {"artifact": {"a": 1}, "base": "a" * 64},
    Message.RESTART_FROM: "discovery",
    Message.SELECT: "2",
    Message.SET_BUDGET: {"usd": 1},
    Message.SET_MODELS: {"model": "m"},
}
"""a message of each kind that takes something, well formed"""


def in_state(state: State, **policy: Any) -> JobRecord:
    """A job of one's own in this state."""
    return job_in(state, **policy)


def why_refused(record: JobRecord, message: Message, given: Any = None) -> str:
    """Send a message that must be refused; the reason."""
    before = everything_but_the_ledger(record)
    assert receive(record, message, [given], NOW) is None
    assert everything_but_the_ledger(record) == before
    return record.ledger[-1].why


def test_an_approval_before_after_and_beside_its_gate() -> None:
    early = in_state(State.CONTRACTS)
    assert "no gate is open in contracts; the last one, clarification-1, approved by person 1" in why_refused(
        early, Message.APPROVE
    )
    assert "stale: gate clarification-1 is closed, approved by person 1" in why_refused(
        early, Message.APPROVE, "clarification-1"
    )
    at_gate = in_state(State.CONTRACTS_HUMAN_REVIEW)
    assert "stale: the open gate is contracts-1, not contracts-2" in why_refused(
        at_gate, Message.APPROVE, "contracts-2"
    )
    assert "stale: gate contracts-1 reviews" in why_refused(at_gate, Message.APPROVE, {"digest": "0" * 64})
    assert at_gate.gate is not None
    right = at_gate.gate.digest
    assert receive(at_gate, Message.APPROVE, [{"digest": f"sha256:{right[:12]}", "by": "Ann"}], NOW)
    assert "duplicate: Ann has approved contracts-1 already" in why_refused(
        at_gate, Message.APPROVE, {"by": "Ann"}
    )
    assert "duplicate: contracts-1 is approved already" in why_refused(
        at_gate, Message.APPROVE, {"by": "Bob"}
    )
    assert "approved already; restart_from goes back" in why_refused(at_gate, Message.REVISE, "too late")


def test_a_digest_prefix_must_be_long_enough_to_mean_something() -> None:
    record = in_state(State.CONTRACTS_HUMAN_REVIEW)
    assert record.gate is not None
    assert "stale" in why_refused(record, Message.APPROVE, {"digest": record.gate.digest[:7]})


def test_a_quorum_needs_different_people() -> None:
    record = in_state(State.VALIDATION_HUMAN_REVIEW, approvals=2)
    assert receive(record, Message.APPROVE, [{"by": "Ann"}], NOW)
    assert "duplicate" in why_refused(record, Message.APPROVE, {"by": "Ann"})
    ack = receive(record, Message.APPROVE, [{"by": "Bob"}], NOW)
    assert ack is not None
    assert ack.note == "validation-1 approved"


def test_approvals_pass_nothing_but_what_was_read() -> None:
    record = in_state(State.VALIDATION_HUMAN_REVIEW)
    assert receive(record, Message.APPROVE, [], NOW)
    assert decisions_enough(record)
    hand_over(record)
    assert not decisions_enough(record)
    with pytest.raises(MoveRefused, match="needs that enough valid decisions on the current digest"):
        advance(record, Trigger.HUMAN_APPROVE, NOW)


def test_policies_of_approvals() -> None:
    record = in_state(State.CONTRACTS_HUMAN_REVIEW)
    strict = record.spec.policy.model_copy(update={"require_digest": True, "forbid_self_approval": True})
    record.spec = record.spec.model_copy(update={"policy": strict, "submitted_by": "Ann"})
    assert "require_digest" in why_refused(record, Message.APPROVE, {"by": "Bob"})
    assert record.gate is not None
    bound = {"digest": record.gate.digest}
    assert "forbid_self_approval" in why_refused(record, Message.APPROVE, bound)
    assert "forbid_self_approval" in why_refused(record, Message.APPROVE, {**bound, "by": "Ann"})
    assert receive(record, Message.APPROVE, [{**bound, "by": "Bob"}], NOW)


def test_feedback_on_an_approval_is_a_technical_revision_and_a_comment_is_not() -> None:
    record = in_state(State.CONTRACTS_HUMAN_REVIEW)
    assert receive(record, Message.APPROVE, [{"feedback": "rename it"}], NOW)
    assert record.demand is not None
    assert (record.demand.trigger, record.demand.text) == ("revise_technical", "rename it")
    other = in_state(State.CONTRACTS_HUMAN_REVIEW)
    assert receive(other, Message.APPROVE, [{"comment": "rename it"}], NOW)
    assert other.demand is None
    assert other.gate is not None
    assert other.gate.decisions[0].comment == "rename it"


def test_answers_are_for_open_questions_of_clarification() -> None:
    record = in_state(State.CLARIFICATION)
    assert "the job has asked nothing" in why_refused(record, Message.ANSWER, "both")
    second = QUESTION.model_copy(update={"id": "q2", "text": "Should old sessions be kept?"})
    record.questions = [QuestionState(ref=QUESTION), QuestionState(ref=second)]
    assert "answer needs question, one of q1, q2: 2 are open" in why_refused(record, Message.ANSWER, "both")
    assert "there is no question 'q3'; questions are q1, q2" in why_refused(
        record, Message.ANSWER, {"question": "q3", "text": "both"}
    )
    assert receive(record, Message.ANSWER, [{"question": "q2", "text": "yes", "by": "Ann"}], NOW)
    assert receive(record, Message.ANSWER, ["both"], NOW)
    corrected = receive(record, Message.ANSWER, [{"question": "q2", "text": "no"}], NOW)
    assert corrected is not None
    assert corrected.note == "q2 corrected, 0 open"
    assert [(q.text, q.by) for q in record.questions] == [("both", UNNAMED), ("no", UNNAMED)]


def test_only_one_demand_waits_and_only_cancel_overtakes_it() -> None:
    record = in_state(State.CONTRACTS_HUMAN_REVIEW)
    assert receive(record, Message.REVISE, [{"feedback": "no", "by": "Ann"}], NOW)
    for message in (Message.APPROVE, Message.REVISE, Message.EDIT, Message.RESTART_FROM):
        assert "revise_technical by Ann is under way" in why_refused(record, message, RIGHT.get(message))
    assert receive(record, Message.CANCEL, [], NOW)
    assert "duplicate: the job is being cancelled already" in why_refused(record, Message.CANCEL)


@pytest.mark.parametrize("message", [Message.SELECT, Message.ACT, Message.ROLLBACK, Message.RESUME])
def test_what_makes_no_sense_is_refused_in_every_state(message: Message) -> None:
    for record in story():
        assert why_refused(record, message, RIGHT.get(message))


@pytest.mark.parametrize("message", Message)
def test_a_cancelled_job_takes_no_message(message: Message) -> None:
    assert why_refused(in_state(State.CANCELLED), message, RIGHT.get(message))


@pytest.mark.parametrize("message", Message)
def test_a_verified_job_that_is_no_longer_kept_open_takes_no_message(message: Message) -> None:
    """Between its end and its closing there is a moment in which a message could still be taken and lost."""
    record = in_state(State.VERIFIED)
    end(record, NOW)
    assert why_refused(record, message, RIGHT.get(message))


@pytest.mark.parametrize("message", [Message.SAY, Message.FINISH, Message.ANSWER])
@pytest.mark.parametrize("state", [s for s in State if s.phase is not Phase.CLARIFICATION])
def test_the_dialogue_is_for_clarification(message: Message, state: State) -> None:
    record = in_state(state)
    record.questions = [QuestionState(ref=QUESTION)]
    assert "CLARIFICATION" in why_refused(record, message, RIGHT.get(message))


def test_a_dialogue_ends_once() -> None:
    record = in_state(State.CLARIFICATION)
    assert receive(record, Message.FINISH, [{"by": "Ann"}], NOW)
    assert "duplicate: Ann has ended the dialogue already" in why_refused(record, Message.FINISH)
    assert "Ann has ended the dialogue already" in why_refused(record, Message.SAY, "one more thing")


def test_only_so_many_messages_are_kept() -> None:
    record = in_state(State.CLARIFICATION)
    record.says = ["more"] * 100
    assert "100 messages are kept already; send finish" in why_refused(record, Message.SAY, "more")


def option(name: str, rank: int) -> OptionFact:
    """One way to carry a plan out."""
    return OptionFact(
        id=name,
        rank=rank,
        score=50,
        complexity=Complexity.LOW,
        confidence=1,
        duration_minutes=0,
        risk=Impact.LOW,
        steps=1,
        plan="p",
    )


@pytest.mark.parametrize(
    ("state", "options", "todo"),
    [
        (State.CONTRACTS, 2, "; planning goes on, `phasegate watch job-1` follows it"),
        (
            State.VALIDATION_HUMAN_REVIEW,
            2,
            "; first pass the open gate: `phasegate approve job-1 --option OPTION --gate validation-1 "
            "--digest {digest}`, where OPTION is full or small",
        ),
        (
            State.VALIDATION_HUMAN_REVIEW,
            1,
            "; first pass the open gate: `phasegate approve job-1 --gate validation-1 --digest {digest}`",
        ),
        (
            State.VERIFIED,
            2,
            "; select one: `phasegate act job-1 --option OPTION`, where OPTION is full or small",
        ),
        (State.VERIFIED, 0, "`phasegate restart job-1 IMPLEMENTATION_PLAN` draws some up"),
    ],
)
def test_who_acts_too_early_is_told_what_to_type(state: State, options: int, todo: str) -> None:
    facts = PhaseFacts(options=(option("full", 1), option("small", 2))[:options])
    record = next(each for each in story(facts, auto_select_best=False) if each.state is state)
    record.selected = None
    digest = record.gate.digest[:12] if record.gate else ""
    told = why_refused(record, Message.ACT)
    assert told.startswith("act is not possible in mode Plan: needs that ")
    assert told.endswith(todo.format(digest=digest))


def test_who_acts_while_questions_are_open_or_the_job_is_paused_is_told_where_to_look() -> None:
    asking = in_state(State.CLARIFICATION)
    asking.questions = [QuestionState(ref=QUESTION)]
    show = "`phasegate show job-1` says"
    assert f"the job waits for a person, {show} what to type" in why_refused(asking, Message.ACT)
    assert receive(asking, Message.PAUSE, [], NOW)
    assert f"the job is paused, {show} why and how it goes on" in why_refused(asking, Message.ACT)


def test_who_acts_again_is_told_what_to_type_instead() -> None:
    record = list(story(PhaseFacts(options=(option("full", 1),))))[-1]
    record.selected = record.selected or Selection(option="full", by="ann", at=NOW, digest="a", plan="p")
    assert receive(record, Message.ACT, [], NOW)
    assert "`phasegate watch job-1` follows it" in why_refused(record, Message.ACT)
    assert receive(record, Message.PAUSE, [], NOW)
    assert "`phasegate resume job-1` carries on" in why_refused(record, Message.ACT)
    record.mode, record.hold = Mode.NORMAL, None
    record.act = record.act and record.act.model_copy(update={"status": ExecutionStatus.COMPLETED})
    again = "`phasegate rollback job-1` undoes it, `phasegate restart job-1 PHASE` plans anew"
    assert again in why_refused(record, Message.ACT)
