"""The agents of a job in its record: who goes on keeps its line, old lines are summed up, sums stay."""

import random

import pytest

from states.agents import AgentEnd, AgentKind, Usage
from states.metrics import measure
from states.receive import receive
from states.record import JobRecord
from states.spending import spending
from states.staff import MOST_AGENTS, book, call_back, hire, hold_for_budget
from states.view import view_of
from states.words import WORK_PHASES, Awaiting, HoldKind, Message, Phase
from tests.states.job_maker import NOW, new_job

ONE = Usage(calls=1, prompt_tokens=100, completion_tokens=10, cost_usd=0.25)


def worked(record: JobRecord, kind: AgentKind, phase: Phase, used: Usage = ONE) -> str:
    """An agent that has come and gone."""
    agent = hire(record, kind, phase, ("m",)).id
    book(record, agent, AgentEnd.SUBMITTED, used, ("m",), "", NOW, "a digest")
    return agent


def test_an_agent_that_goes_on_keeps_its_line_and_all_that_it_used() -> None:
    record = new_job()
    agent = hire(record, AgentKind.PLAN, Phase.DISCOVERY, ("m",)).id
    for number in range(2, 6):
        book(record, agent, AgentEnd.STOPPED, ONE, ("m",), "paused", NOW, f"head {number}")
        again = call_back(record, agent, ("n", "m"))
        assert again
        assert (again.id, again.runs, again.end, again.head) == (agent, number, None, f"head {number}")
        assert again.workflow == f"{agent}.{number}"
    book(record, agent, AgentEnd.SUBMITTED, ONE, ("n",), "", NOW)
    [note] = record.agents
    assert (note.usage.calls, note.used, note.models) == (5, ("m", "n"), ("n", "m"))
    assert record.spent() == note.usage
    assert view_of(record).running is None


def test_who_is_not_known_any_more_is_not_called_back() -> None:
    assert call_back(new_job(), "discovery-1", ("m",)) is None


def test_many_agents_are_summed_up_to_the_last_token() -> None:
    record, dice, by_phase = new_job(), random.Random(7), dict.fromkeys(WORK_PHASES, Usage())
    ids = set()
    for _ in range(500):
        kind, phase = dice.choice(list(AgentKind)[:3]), dice.choice(WORK_PHASES)
        used = ONE.model_copy(update={"prompt_tokens": dice.randrange(10**6)})
        ids.add(worked(record, kind, phase, used))
        by_phase[phase] += used
    assert len(ids) == 500, "no two agents ever have one id"
    assert spending(record) == by_phase
    assert record.spent() == sum(by_phase.values(), Usage())
    assert len(record.agents) <= MOST_AGENTS + 15
    assert sum(note.agents for note in record.agents) == 500
    assert measure(record, {}).agents == 500
    assert len(view_of(record).agents) == len(record.agents)
    earlier = [note for note in record.agents if note.summed]
    assert {note.id for note in earlier} >= {"earlier-discovery", "earlier-review-validation"}
    assert all(note.end and not note.head for note in earlier)


def test_the_record_of_a_job_that_never_ends_stays_small() -> None:
    record = new_job()
    sizes = []
    for _ in range(4):
        for _ in range(100):
            worked(record, AgentKind.PLAN, Phase.DISCOVERY)
        sizes.append(len(record.model_dump_json(include={"agents"})))
    assert sizes[3] < sizes[1] * 1.05


def test_a_persons_pause_outlasts_a_budget_that_runs_out() -> None:
    record = new_job(budget_usd=0.2)
    receive(record, Message.PAUSE, [{"by": "ann", "reason": "lunch"}], NOW)
    worked(record, AgentKind.PLAN, Phase.DISCOVERY)
    hold_for_budget(record, "$0.25 of $0.20 are used", NOW)
    assert record.hold
    assert (record.hold.by, record.hold.reason, record.hold.kind) == ("ann", "lunch", HoldKind.PERSON)
    assert [command.phasegate for command in view_of(record).next_commands] == ["phasegate resume job-1"]
    assert "the budget is used up" in [entry.what for entry in record.ledger]
    receive(record, Message.RESUME, [{"by": "ann"}], NOW)
    hold_for_budget(record, "$0.25 of $0.20 are used", NOW)
    assert view_of(record).awaiting is Awaiting.BUDGET


@pytest.mark.parametrize("kind", [HoldKind.FAILURE, HoldKind.BUDGET])
def test_any_other_hold_gives_way_to_a_budget_that_runs_out(kind: HoldKind) -> None:
    record = new_job()
    hold_for_budget(record, "first", NOW)
    assert record.hold
    record.hold = record.hold.model_copy(update={"kind": kind})
    hold_for_budget(record, "again", NOW)
    assert record.hold.kind is HoldKind.BUDGET
