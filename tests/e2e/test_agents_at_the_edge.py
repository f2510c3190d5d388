"""Agents whose models, limits and stores are at the edge: no job hangs, nothing is begun or paid too much."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from pydantic import ValidationError
from temporalio.exceptions import ApplicationError

from activities.agents import MOST_CALLS
from activities.store import Store, StoreUnusable, open_store
from states.agents import AgentEnd, AgentLimits
from states.record import JobSpec
from states.words import Message, Mode, State
from tests.e2e.stage import job_id, stage, until
from tests.scripted import scripted_activities
from tests.scripted_agents import LOOK, Asked, Calls, ScriptedProvider, good, scripted_agents

NO_GATES: dict[str, Any] = {"gates": ()}


def spec(**more: Any) -> JobSpec:
    """A job with the model `m` and no gates, unless said otherwise."""
    given = {
        "task": "do it",
        "repository": "/r",
        "model": "m",
        "models": {"options": "none"},
        "policy": NO_GATES,
        **more,
    }
    return JobSpec.model_validate(given)


async def test_thousands_of_calls_in_one_reply_do_not_hang_the_job(address: str) -> None:
    def script(asked: Asked) -> Calls:
        if asked.agent == "discovery-1" and asked.turn == 1:
            return [(LOOK, {"what": "x"})] * 5_000
        return good(asked) if asked.agent != "discovery-1" else [("submit", {})]

    store, provider = open_store("memory://"), ScriptedProvider(script)
    async with stage(address, store=store, agents=scripted_agents(store, provider)) as ready:
        job = await ready.jobs.start(spec(), job_id("many"))
        await ready.at(job, State.VERIFIED)
    second = next(a for a in provider.asked if a.agent == "discovery-1" and a.turn == 2).messages
    # Each call that the conversation shows is answered, or providers refuse to read on.
    assert len(second[-MOST_CALLS - 1]["tool_calls"]) == MOST_CALLS
    assert {m["role"] for m in second[-MOST_CALLS:]} == {"tool"}


@pytest.mark.parametrize("limits", [{"call_seconds": 1e300}, {"max_output_tokens": 10**400}])
def test_limits_that_no_clock_or_price_can_count_with_are_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="less than or equal to"):
        AgentLimits.model_validate(limits)


async def test_once_paused_no_other_model_of_the_ladder_is_asked(address: str) -> None:
    refusing, refuse = asyncio.Event(), asyncio.Event()

    class Refusing(ScriptedProvider):
        async def complete(self, *given: Any, **more: Any) -> Any:
            if given[0] == "first":
                refusing.set()
                await refuse.wait()
                raise ApplicationError("no credit", type="ModelQuotaExhausted", non_retryable=True)
            return await super().complete(*given, **more)

    store, provider = open_store("memory://"), Refusing()
    async with stage(address, store=store, agents=scripted_agents(store, provider)) as ready:
        job = await ready.jobs.start(spec(model="first,second"), job_id("ladder"))
        await refusing.wait()
        await ready.jobs.send(job, Message.PAUSE, {})
        handle = ready.temporal.get_workflow_handle(f"{job}.discovery-1")

        async def told() -> bool:
            events = (await handle.fetch_history()).events
            return any(e.HasField("workflow_execution_signaled_event_attributes") for e in events)

        await until(told, bool)
        refuse.set()
        record = await ready.recorded(job, lambda record: record.rest)
        assert (record.mode, record.agents[0].end, provider.asked) == (Mode.PAUSED, AgentEnd.STOPPED, [])
        await ready.jobs.send(job, Message.RESUME, {})
        await ready.at(job, State.VERIFIED)


async def test_a_reply_that_the_store_did_not_take_is_not_paid_again(address: str) -> None:
    class FullForAMoment(Store):
        refusals = 0

        async def remember(self, key: str, data: bytes) -> None:
            if self.refusals < 2:
                self.refusals += 1
                raise StoreUnusable(where=self.where, why="no space left on device")
            await super().remember(key, data)

    plain = open_store("memory://")
    store, provider = FullForAMoment(plain.where, plain._backend), ScriptedProvider()
    planning = scripted_activities(store)
    async with stage(address, planning, store, agents=scripted_agents(store, provider)) as ready:
        job = await ready.jobs.start(spec(), job_id("full"))
        view = await ready.at(job, State.VERIFIED)
    assert store.refusals == 2
    assert (len(provider.asked), view.spent.calls) == (15, 15)


async def test_a_call_that_was_given_up_says_nothing_about_prices(address: str) -> None:
    entered = asyncio.Event()

    class Hanging(ScriptedProvider):
        async def complete(self, *given: Any, **more: Any) -> Any:
            if not entered.is_set():
                entered.set()
                await asyncio.sleep(timedelta(minutes=1).total_seconds())
            return await super().complete(*given, **more)

    store, provider = open_store("memory://"), Hanging()
    async with stage(address, store=store, agents=scripted_agents(store, provider)) as ready:
        job = await ready.jobs.start(spec(policy={**NO_GATES, "budget_usd": 5}), job_id("lost"))
        await entered.wait()
        await ready.jobs.send(job, Message.RESTART_FROM, {"phase": "discovery"})
        await ready.at(job, State.VERIFIED)
        record = await ready.record(job)
    assert (record.spent().unpriced_calls, record.spent().estimated_calls) == (0, 1)
    assert [e.what for e in record.ledger if "price is not known" in e.what] == []
