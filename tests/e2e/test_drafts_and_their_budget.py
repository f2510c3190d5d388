"""What drafting agents may use: equal shares of what is left, and at most one call more than there is."""

import pytest

from activities.agent_orders import AgentOrder
from activities.store import open_store
from states.agents import Allowance
from states.words import Awaiting, Message, Phase, State
from tests.e2e.drafts_stage import DRAFT, NO_GATES, Held, drafted, planning, start, told_to_stop
from tests.e2e.stage import Stage, stage
from tests.scripted_agents import LOOK, Asked, Calls, ScriptedProvider, good, scripted_agents

BEFORE = 8
"""calls of a job at one cent and 110 tokens each, before its options are drafted"""


def looking(agents: tuple[str, ...], turns: int) -> ScriptedProvider:
    """These agents look so many times before they hand over."""

    def script(asked: Asked) -> Calls:
        looks = asked.agent in agents and asked.turn <= turns
        return [(LOOK, {"what": "src"})] if looks else good(asked)

    return ScriptedProvider(script)


async def allowance_of(ready: Stage, workflow: str) -> Allowance:
    """What an agent's workflow was begun with."""
    began = await anext(ready.temporal.get_workflow_handle(workflow).fetch_history_events())
    payloads = began.workflow_execution_started_event_attributes.input.payloads
    [order] = await ready.temporal.data_converter.decode(payloads, [AgentOrder])
    found: Allowance = order.allowance
    return found


@pytest.mark.parametrize("number", [2, 3])
async def test_each_draft_may_use_an_equal_share_of_what_is_left(address: str, number: int) -> None:
    store, provider = open_store("memory://"), ScriptedProvider(good)
    limits = {"budget_usd": 0.5, "budget_tokens": 200_000, "option_count": number}
    async with stage(address, planning(store), store, agents=scripted_agents(store, provider)) as ready:
        job = await start(ready, policy={**NO_GATES, **limits})
        view = await ready.at(job, State.VERIFIED)
        shares = [await allowance_of(ready, f"{job}.{DRAFT}-{n}") for n in range(1, number + 1)]
    assert len(view.options) == number
    for share in shares:
        assert share.usd == pytest.approx((0.5 - BEFORE * 0.01) / number)
        assert share.tokens == -(-(200_000 - BEFORE * 110) // number)


async def test_a_budget_that_is_raised_meanwhile_is_shared_anew(address: str) -> None:
    store, provider = open_store("memory://"), Held()
    async with stage(address, planning(store), store, agents=scripted_agents(store, provider)) as ready:
        job = await start(ready, policy={**NO_GATES, "budget_usd": 0.5})
        await provider.asked_by(3)
        await ready.jobs.send(job, Message.SET_BUDGET, {"usd": 2, "by": "ann"})
        await told_to_stop(ready, job)
        provider.free.set()
        view = await ready.at(job, State.VERIFIED)
        shares = [await allowance_of(ready, f"{job}.{DRAFT}-{n}.2") for n in (1, 2, 3)]
    assert [share.usd for share in shares] == pytest.approx([(2 - (BEFORE + 3) * 0.01) / 3] * 3)
    assert len(view.options) == 3
    assert [provider.turns(f"{DRAFT}-{n}") for n in (1, 2, 3)] == [2, 2, 2]


async def test_one_call_at_most_goes_over_the_budget_however_many_draft(address: str) -> None:
    store, provider = open_store("memory://"), ScriptedProvider(good)
    async with stage(address, planning(store), store, agents=scripted_agents(store, provider)) as ready:
        job = await start(ready, policy={**NO_GATES, "budget_usd": 0.085})
        view = await ready.until(job, lambda view: view.awaiting is Awaiting.BUDGET)
        assert view.spent.calls == BEFORE + 1
        await ready.jobs.send(job, Message.SET_BUDGET, {"usd": 1, "by": "ann"})
        view = await ready.at(job, State.VERIFIED)
        record = await ready.record(job)
    assert len(view.options) == 3
    assert drafted(record) == [f"{DRAFT}-{n} submitted" for n in (1, 2, 3)]
    assert [provider.turns(f"{DRAFT}-{n}") for n in (1, 2, 3)] == [2, 2, 2]


async def test_all_that_used_up_equal_shares_go_on_alike(address: str) -> None:
    store, provider = open_store("memory://"), looking(tuple(f"{DRAFT}-{n}" for n in (1, 2, 3)), turns=5)
    async with stage(address, planning(store), store, agents=scripted_agents(store, provider)) as ready:
        # Eight and a half cents are left: each share is used up by a third call.
        job = await start(ready, policy={**NO_GATES, "budget_usd": 0.165})
        view = await ready.until(job, lambda view: view.awaiting is Awaiting.BUDGET)
        assert view.spent.calls == BEFORE + 9
        assert [provider.turns(f"{DRAFT}-{n}") for n in (1, 2, 3)] == [3, 3, 3]
        await ready.jobs.send(job, Message.SET_BUDGET, {"usd": 1, "by": "ann"})
        view = await ready.at(job, State.VERIFIED)
    assert len(view.options) == 3
    assert [provider.turns(f"{DRAFT}-{n}") for n in (1, 2, 3)] == [6, 6, 6]


async def test_one_that_uses_up_its_share_is_left_out_and_costs_the_others_nothing(address: str) -> None:
    store, provider = open_store("memory://"), looking((f"{DRAFT}-2",), turns=25)
    async with stage(address, planning(store), store, agents=scripted_agents(store, provider)) as ready:
        # 24 cents are left, eight for each.
        job = await start(ready, policy={**NO_GATES, "budget_usd": 0.32})
        view = await ready.at(job, State.VERIFIED)
        record = await ready.record(job)
        ref = record.current(Phase.IMPLEMENTATION_PLAN)
        assert ref
        plan = (await store.get_artifact(ref.digest)).artifact()
    assert sorted(option.id for option in view.options) == ["option-1", "option-3"]
    why = "left out: its share of the budget is used up"
    assert [p.why for p in plan.open_points if p.subject == "option draft-2"] == [why]
    assert [provider.turns(f"{DRAFT}-{n}") for n in (1, 2, 3)] == [2, 8, 2]
