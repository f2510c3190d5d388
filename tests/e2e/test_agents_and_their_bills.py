"""What agents used is booked to the last call, however they end; nothing that may cost is left out."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from temporalio.exceptions import ApplicationError

from activities.agent_ports import Completion
from activities.models.errors import Trouble
from activities.models.provider import LiteLlmProvider
from activities.store import open_store
from phasegate.server import EmbeddedServer
from phasegate.server_options import ServerOptions
from states.agents import AgentEnd, AgentLimits
from states.record import JobSpec
from states.words import Awaiting, Message, State
from tests.e2e.stage import Stage, job_id, stage, until
from tests.model_server.script import FaultKind, Script, fault, slow
from tests.model_server.server import ModelServer
from tests.scripted import QUESTION, ScriptedReviewer, scripted_activities
from tests.scripted_agents import LOOK, Asked, Calls, ScriptedProvider, good, scripted_agents
from workflows.attributes import REGISTERED

NO_GATES: dict[str, Any] = {"gates": ()}
TOKENS_OF_ONE = 110
"""that the scripted provider says it used for a call"""


class Holding(ScriptedProvider):
    """Waits in the call that is wanted until the test lets it go on."""

    def __init__(self, script: Callable[[Asked], Calls] = good, *, agent: str, turn: int) -> None:
        super().__init__(script)
        self.place = (agent, turn)
        self.reached, self.free = asyncio.Event(), asyncio.Event()

    async def complete(self, *given: Any, **more: Any) -> Completion:
        """As ever, but for that call."""
        turn = 1 + sum(1 for message in given[1] if message["role"] == "assistant")
        if self.place == (self.place[0], turn) and f'"{self.place[0]}"' in given[1][0]["content"]:
            self.reached.set()
            await self.free.wait()
        return await super().complete(*given, **more)


def looking(asked: Asked) -> Calls:
    """DISCOVERY looks twice before it hands over."""
    return (
        [(LOOK, {"what": "src"})] if asked.agent.startswith("discovery") and asked.turn < 3 else good(asked)
    )


@asynccontextmanager
async def job_of(address: str, provider: Any, **more: Any) -> AsyncIterator[tuple[Stage, str]]:
    """A job with the model `m` and no gates, and its worker."""
    store = open_store("memory://")
    given = {
        "task": "do it",
        "repository": "/r",
        "model": "m",
        "models": {"options": "none"},
        "policy": NO_GATES,
        **more,
    }
    async with stage(address, store=store, agents=scripted_agents(store, provider)) as ready:
        yield ready, await ready.jobs.start(JobSpec.model_validate(given), job_id("bill"))


async def test_a_terminated_agent_books_all_that_it_used(address: str) -> None:
    provider = Holding(looking, agent="discovery-1", turn=3)
    async with job_of(address, provider) as (ready, job):
        await provider.reached.wait()
        await ready.temporal.get_workflow_handle(f"{job}.discovery-1").terminate("by hand")
        view = await ready.until(job, lambda view: view.hold)
        [lost] = view.agents
        # Two calls as they were counted, and the third at the most that it may have used.
        assert (lost.end, lost.usage.calls, lost.usage.estimated_calls) == (AgentEnd.FAILED, 3, 1)
        bound = lost.usage.tokens - 2 * TOKENS_OF_ONE
        assert AgentLimits().max_output_tokens < bound < AgentLimits().max_output_tokens + 2_000
        assert lost.usage.cost_usd == pytest.approx(0.02 + bound * 1e-6)
        provider.free.set()
        await ready.jobs.send(job, Message.RESUME, {})
        view = await ready.at(job, State.VERIFIED)
    assert view.spent.calls == 3 + 16


async def test_a_terminated_agent_that_never_asked_books_one_lost_call(address: str) -> None:
    begun = asyncio.Event()

    class NeverOpening(ScriptedProvider):
        async def price(self, model: str) -> Any:
            begun.set()
            await asyncio.sleep(60)
            return await super().price(model)

    async with job_of(address, NeverOpening()) as (ready, job):
        await begun.wait()
        await ready.temporal.get_workflow_handle(f"{job}.discovery-1").terminate("by hand")
        view = await ready.until(job, lambda view: view.hold)
    assert (view.spent.calls, view.spent.given_up_calls) == (1, 1)


async def test_a_cancel_of_temporals_own_books_what_the_agent_used(address: str) -> None:
    provider = Holding(looking, agent="discovery-1", turn=3)
    async with job_of(address, provider) as (ready, job):
        await provider.reached.wait()
        await ready.temporal.get_workflow_handle(job).cancel()
        view = await ready.until(job, lambda view: view.state is State.CANCELLED)
    assert (view.spent.calls, view.spent.estimated_calls, view.spent.given_up_calls) == (3, 1, 0)


async def test_an_attempt_that_may_be_billed_counts_and_may_use_the_budget_up(address: str) -> None:
    asked: list[str] = []

    def script(given: Asked) -> Calls:
        asked.append(given.agent)
        raise ApplicationError("m did not reply within its time-out", type=Trouble.TIME_OUT)

    policy = {**NO_GATES, "budget_tokens": 10_000}
    async with job_of(address, ScriptedProvider(script), policy=policy) as (ready, job):
        view = await ready.until(job, lambda view: view.awaiting is Awaiting.BUDGET)
    # The one call that goes over; no second attempt is made.
    assert asked == ["discovery-1"]
    assert (view.spent.calls, view.spent.estimated_calls) == (1, 1)
    assert view.spent.completion_tokens == AgentLimits().max_output_tokens


@pytest.mark.parametrize("kind", [Trouble.RATE_LIMIT, Trouble.PROVIDER_DOWN, Trouble.UNREACHABLE])
async def test_an_attempt_that_nobody_bills_costs_nothing(address: str, kind: Trouble) -> None:
    refused: list[str] = []

    def script(asked: Asked) -> Calls:
        if not refused:
            refused.append(asked.agent)
            raise ApplicationError("not now", type=kind, next_retry_delay=timedelta(milliseconds=50))
        return good(asked)

    async with job_of(address, ScriptedProvider(script)) as (ready, job):
        view = await ready.at(job, State.VERIFIED)
    assert (view.spent.calls, view.tokens, view.spent.estimated_calls) == (15, 15 * TOKENS_OF_ONE, 0)


@pytest.mark.parametrize(
    "wrong", [slow(30), fault(FaultKind.CUT), fault(FaultKind.CUT_EARLY), fault(FaultKind.GARBAGE)]
)
async def test_over_http_too(address: str, monkeypatch: pytest.MonkeyPatch, wrong: Any) -> None:
    class OverHttp(ScriptedProvider):
        async def complete(self, *given: Any, **more: Any) -> Completion:
            if not self.asked:
                await LiteLlmProvider().complete("openai/scripted", *given[1:], **more)
                raise AssertionError("the first call goes wrong")
            return await super().complete(*given, **more)

    provider, rules = OverHttp(), Script()
    await LiteLlmProvider().warm()
    rules.when().fail(wrong)
    with ModelServer(rules) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        policy = {**NO_GATES, "budget_tokens": 10_000}
        async with job_of(address, provider, policy=policy, agents={"call_seconds": 1}) as (ready, job):
            view = await ready.until(job, lambda view: view.awaiting is Awaiting.BUDGET)
        assert len(server.requests) == 1
    assert (view.spent.calls, view.spent.estimated_calls) == (1, 1)


def rate_limited_for_an_hour(asked: list[str]) -> Callable[[Asked], Calls]:
    """The first call is told to come again in an hour."""

    def script(given: Asked) -> Calls:
        asked.append(given.agent)
        if len(asked) == 1:
            raise ApplicationError(
                "too many calls", type=Trouble.RATE_LIMIT, next_retry_delay=timedelta(hours=1)
            )
        return good(given)

    return script


async def test_a_pause_ends_the_wait_for_the_next_attempt(address: str) -> None:
    asked: list[str] = []
    async with job_of(address, ScriptedProvider(rate_limited_for_an_hour(asked))) as (ready, job):
        await _waits(ready, job)
        await ready.jobs.send(job, Message.PAUSE, {"by": "ann"})
        record = await ready.recorded(job, lambda record: record.rest)
        assert (record.agents[0].end, record.spent().calls) == (AgentEnd.STOPPED, 0)
        await ready.jobs.send(job, Message.RESUME, {"by": "ann"})
        view = await ready.at(job, State.VERIFIED)
    assert (view.spent.calls, len(asked)) == (15, 16)


async def test_a_cancel_ends_the_wait_and_loses_no_call(address: str) -> None:
    asked: list[str] = []
    async with job_of(address, ScriptedProvider(rate_limited_for_an_hour(asked))) as (ready, job):
        await _waits(ready, job)
        await ready.jobs.send(job, Message.CANCEL, {"by": "ann"})
        view = await ready.until(job, lambda view: view.state is State.CANCELLED)
    assert (view.spent.calls, len(asked)) == (0, 1)


async def _waits(ready: Stage, job: str) -> None:
    """Until the agent waits for its next attempt, and says so."""

    async def doing() -> str:
        view = await ready.view(job)
        live = await ready.jobs.agent(job, view.running, trace=False) if view.running else None
        return live.doing if live else ""

    await until(doing, lambda said: said == "waits 3600 s for m: too many calls")


async def test_an_agent_that_goes_on_after_pauses_is_one_agent(address: str) -> None:
    class Slow(ScriptedProvider):
        entered = asyncio.Event()

        async def complete(self, *given: Any, **more: Any) -> Completion:
            self.entered.set()
            await asyncio.sleep(0.3)
            return await super().complete(*given, **more)

    def script(asked: Asked) -> Calls:
        if asked.agent != "discovery-1":
            return good(asked)
        return [(LOOK, {"what": "src"})] if asked.turn < 6 else [("submit", {})]

    provider = Slow(script)
    async with job_of(address, provider) as (ready, job):
        for paused in range(1, 4):
            provider.entered.clear()
            await provider.entered.wait()
            await ready.jobs.send(job, Message.PAUSE, {"by": "ann"})
            record = await ready.recorded(job, lambda record: record.rest)
            [note] = record.agents
            assert (note.id, note.runs, note.end) == ("discovery-1", paused, AgentEnd.STOPPED)
            assert note.usage.calls == provider.turns("discovery-1")
            await ready.jobs.send(job, Message.RESUME, {"by": "ann"})
        view = await ready.at(job, State.VERIFIED)
        live = await ready.jobs.agent(job, view.agents[0])
    assert len(view.agents) == 10
    assert (view.agents[0].runs, view.agents[0].usage.calls) == (4, 6)
    assert view.spent.calls == len(provider.asked)
    assert live is not None
    assert live.agent == "discovery-1"


async def _told_to_stop(ready: Stage, workflow: str) -> None:
    """Until the agent knows that it should make no further call."""
    handle = ready.temporal.get_workflow_handle(workflow)

    async def told() -> bool:
        events = (await handle.fetch_history()).events
        return any(e.HasField("workflow_execution_signaled_event_attributes") for e in events)

    await until(told, bool)


async def test_what_people_say_stops_an_agent_that_works_on_something_else(address: str) -> None:
    provider = Holding(agent="clarification-1", turn=1)
    store = open_store("memory://")
    planning = scripted_activities(store, reviewer=ScriptedReviewer(questions=(QUESTION,)))
    async with stage(address, planning, store, agents=scripted_agents(store, provider)) as ready:
        given = {
            "task": "do it",
            "repository": "/r",
            "model": "m",
            "models": {"options": "none"},
            "policy": NO_GATES,
        }
        job = await ready.jobs.start(JobSpec.model_validate(given), job_id("outdated"))
        await ready.until(job, lambda view: view.awaiting is Awaiting.ANSWERS)
        await ready.jobs.send(job, Message.ANSWER, {"question": "q1", "text": "both", "by": "ann"})
        await provider.reached.wait()
        await ready.jobs.send(job, Message.ANSWER, {"question": "q1", "text": "the old one", "by": "ann"})
        await _told_to_stop(ready, f"{job}.clarification-1")
        provider.free.set()
        view = await ready.at(job, State.VERIFIED)
    first, second = (next(a for a in view.agents if a.id == f"clarification-{n}") for n in (1, 2))
    # The call that was under way is finished and paid; no other is made for an answer that does not hold.
    assert provider.turns("clarification-1") == first.usage.calls == 1
    assert (first.end, first.reason) == (AgentEnd.STOPPED, "what it works on has changed")
    assert (second.end, second.usage.calls) == (AgentEnd.SUBMITTED, 2)


async def test_nobody_is_explained_to_who_has_finished(address: str) -> None:
    agent = "explain-clarification-1"

    def script(asked: Asked) -> Calls:
        return [(LOOK, {"what": "a"})] if asked.agent == agent and asked.turn == 1 else good(asked)

    provider, store = Holding(script, agent=agent, turn=1), open_store("memory://")
    planning = scripted_activities(store, reviewer=ScriptedReviewer(questions=(QUESTION,)))
    async with stage(address, planning, store, agents=scripted_agents(store, provider)) as ready:
        given = {
            "task": "do it",
            "repository": "/r",
            "model": "m",
            "models": {"options": "none"},
            "policy": NO_GATES,
        }
        job = await ready.jobs.start(JobSpec.model_validate(given), job_id("finished"))
        await ready.until(job, lambda view: view.awaiting is Awaiting.ANSWERS)
        await ready.jobs.send(job, Message.SAY, {"text": "which ones are there?", "by": "ann"})
        await provider.reached.wait()
        await ready.jobs.send(job, Message.FINISH, {"by": "ann"})
        await _told_to_stop(ready, f"{job}.{agent}")
        provider.free.set()
        view = await ready.at(job, State.VERIFIED)
    assert provider.turns(agent) == 1
    assert view.replies == ()


async def test_the_models_of_all_runs_are_named() -> None:
    def script(asked: Asked) -> Calls:
        if asked.agent != "discovery-1":
            return good(asked)
        if asked.model == "first" and asked.turn > 3:
            raise ApplicationError("no credit", type=Trouble.QUOTA, non_retryable=True)
        return [(LOOK, {"what": "src"})] if asked.turn < 12 else [("submit", {})]

    config = {"limit.historyCount.suggestContinueAsNew": 60}
    async with (
        EmbeddedServer(ServerOptions(search_attributes=REGISTERED, dynamic_config=config)) as server,
        job_of(server.address, ScriptedProvider(script), model="first,second") as (ready, job),
    ):
        view = await ready.at(job, State.VERIFIED)
        handle = ready.temporal.get_workflow_handle(f"{job}.discovery-1")
        began = await anext(handle.fetch_history_events())
    # The next run begins with what is used, for the job to read should it end before its first call.
    assert began.workflow_execution_started_event_attributes.continued_execution_run_id
    [memo] = began.workflow_execution_started_event_attributes.memo.fields.values()
    assert json.loads(memo.data)["calls"] >= 3
    assert view.agents[0].used == ("first", "second")
    assert view.agents[0].usage.calls == 12
