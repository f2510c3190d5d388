"""The models of a job are changed while it lasts: by a person who waits, and while an agent is at work."""

import asyncio
from typing import Any

import pytest
from temporalio.exceptions import ApplicationError

from activities.store import open_store
from phasegate.problems import WrongUse
from states.agents import AgentKind
from states.words import Awaiting, Message, Phase, State
from tests.e2e.stage import stage
from tests.e2e.test_agents import agents, start
from tests.scripted_agents import Asked, Calls, ScriptedProvider, good, scripted_agents


def only_better(asked: Asked) -> Calls:
    """Every other model is unknown after the first reply."""
    if asked.model != "better" and asked.turn > 1:
        raise ApplicationError("no such model", type="ModelUnknown", non_retryable=True)
    return good(asked)


async def test_an_agent_that_could_not_go_on_is_hired_anew_with_its_conversation(address: str) -> None:
    async with agents(address, only_better) as (ready, provider):
        job = await start(ready, model="m,n")
        view = await ready.until(job, lambda view: view.hold)
        assert view.awaiting is Awaiting.OPERATOR
        assert [each.phasegate for each in view.next_commands] == [
            f"phasegate resume {job}",
            f"phasegate models {job} --model provider/model",
        ]
        with pytest.raises(WrongUse, match="unknown phase 'coffee'"):
            await ready.jobs.send(job, Message.SET_MODELS, {"models": {"coffee": "x"}})
        ack = await ready.jobs.send(job, Message.SET_MODELS, {"model": "better", "by": "ann"})
        assert ack.note == "models are better; options: none; goes on"
        await ready.at(job, State.VERIFIED)
        record = await ready.record(job)
    [agent] = [
        note for note in record.agents if note.kind is AgentKind.PLAN and note.phase is Phase.DISCOVERY
    ]
    assert (agent.used, agent.models, agent.runs) == (("m", "better"), ("better",), 2)
    # The reply that was paid is in the conversation that the new model goes on with.
    assert [(a.model, a.turn) for a in provider.asked if a.agent == "discovery-1"] == [
        *(("m", 1), ("m", 2), ("n", 2), ("better", 2)),
    ]
    assert provider.asked[1].messages == provider.asked[3].messages
    assert provider.priced[:3] == ["m", "n", "better"], "what it costs is known before the new model is asked"


async def test_an_agent_at_work_keeps_its_models_and_the_next_has_the_new_ones(address: str) -> None:
    entered, free = asyncio.Event(), asyncio.Event()

    class Slow(ScriptedProvider):
        async def complete(self, *given: Any, **more: Any) -> Any:
            entered.set()
            await free.wait()
            return await super().complete(*given, **more)

    store = open_store("memory://")
    provider = Slow()
    async with stage(address, store=store, agents=scripted_agents(store, provider)) as ready:
        job = await start(ready)
        await entered.wait()
        models = {"review": "r", "contracts": "none"}
        ack = await ready.jobs.send(job, Message.SET_MODELS, {"model": "n", "models": models})
        assert ack.note == "models are n; options: none; reviews: r; CONTRACTS: none"
        free.set()
        await ready.at(job, State.VERIFIED)
        record = await ready.record(job)
    used = {note.id: note.used for note in record.agents}
    assert used["discovery-1"] == ("m",)
    assert used["review-discovery-1"] == ("r",)
    assert used["clarification-1"] == ("n",)
    current = record.current(Phase.CONTRACTS)
    assert current
    assert current.made_by == "planner:deterministic"


async def test_by_the_plain_signal(address: str) -> None:
    async with agents(address, only_better) as (ready, _):
        job = await start(ready)
        await ready.until(job, lambda view: view.hold)
        await ready.temporal.get_workflow_handle(job).signal("set_models", "better")
        await ready.at(job, State.VERIFIED)
