"""Which option of a verified plan is carried out: chosen by people, by a policy, or not yet."""

from typing import Any

import pytest

from states.advance import advance
from states.artifacts.plan import Complexity, Impact
from states.facts import mode_facts_of, waived_by
from states.ledger import EntryKind
from states.policy import AUTO_SELECT
from states.receive import receive
from states.record import JobRecord
from states.review import OptionFact, PhaseFacts
from states.view import next_commands, view_of
from states.words import Mode, Phase, State, Trigger
from tests.states.job_maker import NOW, fresh_digest, hand_over, job_in, reviewed


def fact(name: str, rank: int, **more: Any) -> OptionFact:
    known: dict[str, Any] = {
        "complexity": Complexity.LOW,
        "confidence": 0.9,
        "duration_minutes": 10,
        "risk": Impact.LOW,
        "steps": 2,
        "plan": fresh_digest(),
    }
    return OptionFact(id=name, title=name.upper(), rank=rank, score=50.0 - rank, **{**known, **more})


OPTIONS = (fact("minimal", 1), fact("full", 2), fact("staged", 3))


def at_gate(*options: OptionFact, **policy: Any) -> JobRecord:
    record = job_in(State.VALIDATION_HUMAN_REVIEW, **policy)
    record.facts[Phase.VALIDATION] = PhaseFacts(options=options)
    return record


def passed(record: JobRecord) -> JobRecord:
    assert receive(record, "approve", [{"by": "ann"}], NOW)
    advance(record, Trigger.HUMAN_APPROVE, NOW)
    assert record.state is State.VERIFIED
    return record


def refusal(record: JobRecord, message: str, given: Any) -> str:
    assert receive(record, message, [given], NOW) is None
    last = record.ledger[-1]
    assert last.kind is EntryKind.REFUSED
    return last.why


def test_an_approval_selects_the_option_it_names() -> None:
    record = at_gate(*OPTIONS)
    ack = receive(record, "approve", [{"option": "FULL", "by": "ann"}], NOW)
    assert ack
    assert "option full selected" in ack.note
    chosen = record.selected
    ref = record.current(Phase.VALIDATION)
    assert chosen is not None
    assert ref is not None
    assert (chosen.option, chosen.by, chosen.plan, chosen.digest) == (
        "full",
        "ann",
        OPTIONS[1].plan,
        ref.digest,
    )
    assert mode_facts_of(record).option_selected


def test_an_unknown_option_is_refused_with_those_that_there_are() -> None:
    record = at_gate(*OPTIONS)
    for message, given in (("approve", {"option": "z"}), ("select", "z")):
        why = refusal(record, message, given)
        assert why == "there is no option 'z'; options are minimal, full, staged"
    assert not record.gate or not record.gate.decisions


def test_the_only_option_is_selected_by_approving() -> None:
    record = at_gate(OPTIONS[0])
    assert receive(record, "approve", [{"by": "ann"}], NOW)
    assert record.selected
    assert (record.selected.option, record.selected.by) == ("minimal", "ann")


def test_several_options_and_no_choice_leave_a_verified_job_without_one() -> None:
    record = passed(at_gate(*OPTIONS))
    assert record.selected is None
    offered = [each.phasegate for each in next_commands(record)]
    assert offered[:3] == [f"phasegate select job-1 {each.id}" for each in OPTIONS]
    why = refusal(record, "act", {})
    assert "an option is selected" in why
    assert receive(record, "select", [{"option": "2", "by": "bob"}], NOW), "by rank"
    assert record.selected
    assert record.selected.option == "full"
    assert receive(record, "select", ["minimal"], NOW), "losers stay selectable"
    assert record.selected.option == "minimal"


def test_the_gate_offers_an_approval_for_each_option_until_one_is_selected() -> None:
    record = at_gate(*OPTIONS)
    offered = [each.phasegate for each in next_commands(record)]
    assert sum("--option" in each for each in offered) == 3
    assert receive(record, "select", ["full"], NOW)
    assert not any("--option" in each.phasegate for each in next_commands(record))
    assert passed(record).selected


def test_nothing_is_selected_while_the_plan_is_carried_out() -> None:
    record = passed(at_gate(*OPTIONS))
    assert receive(record, "select", ["full"], NOW)
    record.mode = Mode.ACT
    assert "is being carried out" in refusal(record, "select", "minimal")
    record.mode, record.paused_from = Mode.PAUSED, Mode.ACT
    assert "is being carried out" in refusal(record, "select", "minimal")


@pytest.mark.parametrize(
    "message",
    [
        {"name": "revise", "feedback": "smaller steps, please"},
        {"name": "revise", "feedback": "another interface", "kind": "contract"},
        {"name": "restart_from", "phase": "CLARIFICATION"},
    ],
)
def test_a_choice_ends_with_what_it_was_made_from(message: dict[str, str]) -> None:
    record = at_gate(*OPTIONS)
    assert receive(record, "select", ["full"], NOW)
    assert receive(record, message.pop("name"), [message], NOW)
    assert record.demand
    advance(record, record.demand.trigger, NOW)
    assert record.selected is None
    assert view_of(record).options == ()
    assert "options are chosen at the VALIDATION gate" in refusal(record, "select", "full")


def test_an_edit_ends_a_choice() -> None:
    record = at_gate(*OPTIONS)
    assert receive(record, "select", ["full"], NOW)
    hand_over(record)
    assert record.selected is None


def test_the_policy_selects_the_best_when_nobody_did() -> None:
    record = passed(at_gate(*OPTIONS, auto_select_best=True))
    assert record.selected
    assert (record.selected.option, record.selected.by) == ("minimal", AUTO_SELECT)
    assert [e.who for e in record.ledger if e.what == "option minimal is selected"] == [AUTO_SELECT]


def test_the_policy_leaves_a_persons_choice_alone() -> None:
    record = at_gate(*OPTIONS, auto_select_best=True)
    assert receive(record, "select", [{"option": "staged", "by": "ann"}], NOW)
    assert passed(record).selected
    assert record.selected
    assert (record.selected.option, record.selected.by) == ("staged", "ann")


@pytest.mark.parametrize(
    ("doubtful", "why"),
    [
        (fact("minimal", 1, confidence=0.6), "a confidence of 60%, below 70%"),
        (fact("minimal", 1, complexity=Complexity.VERY_HIGH), "of very_high complexity, above high"),
    ],
)
def test_a_doubtful_best_option_is_left_to_a_person(doubtful: OptionFact, why: str) -> None:
    record = passed(at_gate(doubtful, OPTIONS[1], auto_select_best=True))
    assert record.selected is None
    assert why in view_of(record).unselected
    assert any(why in e.why for e in record.ledger if e.who == AUTO_SELECT)


@pytest.mark.parametrize("confidence", [0.6, 0.9])
def test_no_policy_waives_the_gate_of_a_doubtful_option(confidence: float) -> None:
    record = job_in(State.VALIDATION_AI_REVIEW, skip_human_reviews=True)
    facts = PhaseFacts(options=(fact("minimal", 1, confidence=confidence), OPTIONS[1]))
    trigger = reviewed(record, facts=facts)
    assert (waived_by(record) is None) is (confidence < 0.7)
    advance(record, trigger, NOW)
    assert record.state is (State.VALIDATION_HUMAN_REVIEW if confidence < 0.7 else State.VERIFIED)
    if record.gate:
        assert any("60%" in why for why in record.gate.safeguards)


def test_two_people_approve_and_the_last_choice_holds() -> None:
    record = at_gate(*OPTIONS, approvals=2)
    assert record.gate
    record.gate = record.gate.model_copy(update={"needed": 2})
    assert receive(record, "approve", [{"option": "full", "by": "ann"}], NOW)
    ack = receive(record, "approve", [{"option": "minimal", "by": "bob"}], NOW)
    assert ack
    assert "instead of full" in ack.note
    assert record.selected
    assert record.selected.by == "bob"
