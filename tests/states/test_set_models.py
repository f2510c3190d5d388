"""`set_models`: what it changes, what it lets go on, and what is offered when a model cannot go on."""

import pytest

from states.agents import AgentKind, AgentNote
from states.holding import pause
from states.messages import Malformed, parse
from states.models import NO_MODEL
from states.receive import receive
from states.record import Hold, JobRecord
from states.view import next_commands
from states.words import HoldKind, Message, Mode, Phase, State
from tests.states.job_maker import NOW, job_in
from tests.states.test_next_commands import signal_of


def planned_by(model: str, **models: str) -> JobRecord:
    """A job in CONTRACTS with these models."""
    record = job_in(State.CONTRACTS)
    spec = record.spec.model_dump() | {"model": model, "models": models}
    record.spec = type(record.spec).model_validate(spec)
    return record


def stuck(record: JobRecord, kind: AgentKind = AgentKind.PLAN) -> JobRecord:
    """Its agent could not go on."""
    note = AgentNote(id="contracts-1", kind=kind, phase=Phase.CONTRACTS, models=("m",))
    record.agents.append(note)
    pause(record, Hold(reason="no such model", by="phasegate", kind=HoldKind.FAILURE, agent=note.id), NOW)
    return record


def test_what_is_named_changes_and_the_rest_stays() -> None:
    record = planned_by("a", contracts="c", review="r")
    ack = receive(record, Message.SET_MODELS, [{"models": {"VALIDATION": "v,w", "review": "none"}}], NOW)
    assert ack
    assert ack.note == "models are a; CONTRACTS: c; reviews: none; VALIDATION: v, then w"
    assert record.spec.ladder(AgentKind.PLAN, Phase.VALIDATION) == ("v", "w")
    assert record.spec.ladder(AgentKind.REVIEW, Phase.VALIDATION) == ()
    assert record.spec.ladder(AgentKind.PLAN, Phase.DISCOVERY) == ("a",)
    assert receive(record, Message.SET_MODELS, ["b"], NOW)
    assert record.spec.model == ("b",)
    assert record.spec.ladder(AgentKind.PLAN, Phase.CONTRACTS) == ("c",)


def test_a_blank_ladder_takes_an_exception_away() -> None:
    record = planned_by("a", contracts=NO_MODEL)
    assert receive(record, Message.SET_MODELS, [{"models": {"contracts": ""}}], NOW)
    assert record.spec.models == {}
    assert record.spec.ladder(AgentKind.PLAN, Phase.CONTRACTS) == ("a",)


def test_a_job_whose_agent_could_not_go_on_goes_on_with_other_models() -> None:
    record = stuck(planned_by("a"))
    ack = receive(record, Message.SET_MODELS, [{"model": "b", "by": "ann"}], NOW)
    assert ack
    assert ack.note == "models are b; goes on"
    assert (record.hold, record.mode) == (None, Mode.PLAN)


@pytest.mark.parametrize("kind", [HoldKind.PERSON, HoldKind.FAILURE, HoldKind.BUDGET])
def test_a_hold_for_another_reason_stays(kind: HoldKind) -> None:
    record = planned_by("a")
    pause(record, Hold(reason="lunch", by="ann", kind=kind), NOW)
    ack = receive(record, Message.SET_MODELS, ["b"], NOW)
    assert ack
    assert ack.note == "models are b"
    assert record.hold


@pytest.mark.parametrize(
    ("record", "offered"),
    [
        (stuck(planned_by("a")), "--model provider/model"),
        (stuck(planned_by("a", contracts="c")), "--phase-model contracts=provider/model"),
        (stuck(planned_by("a", review="r"), AgentKind.REVIEW), "--review-model provider/model"),
        (stuck(planned_by("a", review="r"), AgentKind.PLAN), "--model provider/model"),
    ],
)
def test_another_model_is_offered_for_what_could_not_go_on(record: JobRecord, offered: str) -> None:
    resume, other = next_commands(record)
    assert resume.phasegate == "phasegate resume job-1"
    assert other.phasegate == f"phasegate models job-1 {offered}"
    message, args = signal_of(other, "job-1")
    assert receive(record, message, args, NOW)
    assert record.hold is None
    assert record.spec.ladder(record.agents[-1].kind, Phase.CONTRACTS) == ("provider/model",)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"models": {"coffee": "m"}}, "set_models: models: unknown phase 'coffee'; name one of DISCOVERY"),
        ({"models": {"verified": "m"}}, "set_models: models: VERIFIED has no work that a model could do"),
        ({"model": "a model"}, "set_models: model: 'a model' is no model name; write it as litellm does"),
        ({"model": "none,a"}, "set_models: model: 'none' stands alone"),
        ({"model": 7}, "set_models: model: models are a name"),
        ({"models": ["a"]}, "set_models: models: models are given by phase, and by `review`"),
        ({"ladder": "a"}, "set_models has no field 'ladder'"),
    ],
)
def test_wrong_names_are_refused(given: object, why: str) -> None:
    with pytest.raises(Malformed) as refused:
        parse(Message.SET_MODELS, [given])
    assert str(refused.value).startswith(why)


def test_nothing_named_changes_nothing() -> None:
    record = planned_by("a")
    assert receive(record, Message.SET_MODELS, [], NOW) is None
    assert record.ledger[-1].why == "set_models needs model or models"
