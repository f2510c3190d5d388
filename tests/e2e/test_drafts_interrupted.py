"""What people do while agents draft: pause, resume, restart, cancel, change models, end an agent by hand."""

import asyncio
from typing import Any

import pytest
from temporalio.exceptions import ApplicationError

from activities.store import open_store
from states.agents import AgentEnd
from states.words import Awaiting, Message, Phase, State
from tests.e2e.drafts_stage import DRAFT, Held, drafted, planning, start, told_to_stop
from tests.e2e.stage import stage
from tests.scripted_agents import ScriptedProvider, good, scripted_agents

PLAN = "implementation_plan-1"


class Slow(ScriptedProvider):
    """The call in which the plan is handed over waits until it is freed."""

    def __init__(self) -> None:
        super().__init__(good)
        self.reached, self.free = asyncio.Event(), asyncio.Event()

    async def complete(self, *given: Any, **more: Any) -> Any:
        """The next reply."""
        if f'"{PLAN}"' in given[1][0]["content"] and len(given[1]) > 2:
            self.reached.set()
            await self.free.wait()
        return await super().complete(*given, **more)


async def test_a_pause_that_is_over_before_a_call_is_loses_no_option(address: str) -> None:
    store, provider = open_store("memory://"), Held()
    async with stage(address, planning(store), store, agents=scripted_agents(store, provider)) as ready:
        job = await start(ready)
        await provider.asked_by(3)
        await ready.jobs.send(job, Message.PAUSE, {"by": "ann"})
        await told_to_stop(ready, job)
        await ready.jobs.send(job, Message.RESUME, {"by": "ann"})
        provider.free.set()
        view = await ready.at(job, State.VERIFIED)
        record = await ready.record(job)
    assert len(view.options) == 3
    assert drafted(record) == [f"{DRAFT}-{n} submitted" for n in (1, 2, 3)]
    assert [provider.turns(f"{DRAFT}-{n}") for n in (1, 2, 3)] == [2, 2, 2]


async def test_nobody_drafts_for_a_plan_that_was_handed_over_in_a_pause(address: str) -> None:
    store, provider = open_store("memory://"), Slow()
    async with stage(address, planning(store), store, agents=scripted_agents(store, provider)) as ready:
        job = await start(ready)
        await provider.reached.wait()
        await ready.jobs.send(job, Message.PAUSE, {"by": "ann"})
        provider.free.set()
        record = await ready.recorded(job, lambda record: record.drafting)
        assert drafted(record) == []
        await ready.jobs.send(job, Message.RESUME, {"by": "ann"})
        view = await ready.at(job, State.VERIFIED)
    assert len(view.options) == 3
    assert provider.turns(PLAN) == 2


@pytest.mark.parametrize("paused", [False, True])
async def test_a_restart_from_the_plan_makes_another_plan_and_other_drafts(
    address: str, *, paused: bool
) -> None:
    store, provider = open_store("memory://"), Held(f"{DRAFT}-1")
    async with stage(address, planning(store), store, agents=scripted_agents(store, provider)) as ready:
        job = await start(ready)
        await ready.recorded(job, lambda record: f"{DRAFT}-1 submitted" in drafted(record))
        await provider.asked_by(2)
        if paused:
            await ready.jobs.send(job, Message.PAUSE, {"by": "ann"})
            await told_to_stop(ready, job, 2, 3)
            provider.free.set()
            await ready.recorded(job, lambda record: all(note.end for note in record.agents))
        await ready.jobs.send(job, Message.RESTART_FROM, {"phase": "IMPLEMENTATION_PLAN", "by": "ann"})
        provider.free.set()
        view = await ready.at(job, State.VERIFIED)
        record = await ready.record(job)
    assert provider.turns("implementation_plan-2") == 2
    ends = ("submitted", "stopped", "stopped", "submitted", "submitted", "submitted")
    assert drafted(record) == [f"{DRAFT}-{n} {end}" for n, end in enumerate(ends, 1)]
    assert len(view.options) == 3


@pytest.mark.parametrize("by_temporal", [False, True])
async def test_a_cancel_books_what_every_draft_used(address: str, *, by_temporal: bool) -> None:
    store, provider = open_store("memory://"), Held(f"{DRAFT}-1")
    async with stage(address, planning(store), store, agents=scripted_agents(store, provider)) as ready:
        job = await start(ready)
        await ready.recorded(job, lambda record: f"{DRAFT}-1 submitted" in drafted(record))
        await provider.asked_by(2)
        if by_temporal:
            await ready.temporal.get_workflow_handle(job).cancel()
        else:
            await ready.jobs.send(job, Message.CANCEL, {"by": "ann"})
        view = await ready.until(job, lambda view: view.state is State.CANCELLED)
    ends = [(note.id, note.end, note.usage.calls, note.usage.estimated_calls) for note in view.agents[-3:]]
    assert ends == [
        (f"{DRAFT}-1", AgentEnd.SUBMITTED, 2, 0),
        (f"{DRAFT}-2", AgentEnd.STOPPED, 1, 1),
        (f"{DRAFT}-3", AgentEnd.STOPPED, 1, 1),
    ]


@pytest.mark.parametrize(
    ("how", "why"),
    [("terminate", "Child Workflow execution terminated"), ("cancel", "its agent was cancelled")],
)
async def test_a_draft_that_is_ended_by_hand_is_left_out_and_paid(address: str, how: str, why: str) -> None:
    store, provider = open_store("memory://"), Held()
    async with stage(address, planning(store), store, agents=scripted_agents(store, provider)) as ready:
        job = await start(ready)
        await provider.asked_by(3)
        await getattr(ready.temporal.get_workflow_handle(f"{job}.{DRAFT}-2"), how)()
        await ready.recorded(job, lambda record: any(f"{DRAFT}-2 " in each for each in drafted(record)))
        record = await ready.recorded(job, lambda record: record.agents[-2].end)
        used = record.agents[-2].usage
        provider.free.set()
        view = await ready.at(job, State.VERIFIED)
        record = await ready.record(job)
        ref = record.current(Phase.IMPLEMENTATION_PLAN)
        assert ref
        plan = (await store.get_artifact(ref.digest)).artifact()
    assert (used.calls, used.estimated_calls) == (1, 1)
    assert sorted(option.id for option in view.options) == ["option-1", "option-3"]
    assert [p.why for p in plan.open_points if p.subject == "option draft-2"] == [f"left out: {why}"]


async def test_without_models_any_more_what_is_finished_is_all_there_is(address: str) -> None:
    store, provider = open_store("memory://"), Held(f"{DRAFT}-1")
    async with stage(address, planning(store), store, agents=scripted_agents(store, provider)) as ready:
        job = await start(ready)
        await ready.recorded(job, lambda record: f"{DRAFT}-1 submitted" in drafted(record))
        await provider.asked_by(2)
        await ready.jobs.send(job, Message.PAUSE, {"by": "ann"})
        await told_to_stop(ready, job, 2, 3)
        provider.free.set()
        await ready.recorded(job, lambda record: all(note.end for note in record.agents))
        await ready.jobs.send(job, Message.SET_MODELS, {"models": {"options": "none"}, "by": "ann"})
        await ready.jobs.send(job, Message.RESUME, {"by": "ann"})
        view = await ready.at(job, State.VERIFIED)
    assert [option.id for option in view.options] == ["option-1"]


async def test_finished_drafts_wait_for_an_operator_where_they_cannot_be_joined(address: str) -> None:
    store, provider = open_store("memory://"), ScriptedProvider(good)
    activities = planning(store)
    shelf = activities._shelf
    read = shelf.option

    async def gone(digest: str) -> Any:
        raise ApplicationError(f"{digest} is gone", type="Gone", non_retryable=True)

    shelf.option = gone
    async with stage(address, activities, store, agents=scripted_agents(store, provider)) as ready:
        job = await start(ready)
        await ready.until(job, lambda view: view.awaiting is Awaiting.OPERATOR)
        asked = len(provider.asked)
        shelf.option = read
        await ready.jobs.send(job, Message.RESUME, {"by": "ann"})
        view = await ready.at(job, State.VERIFIED)
    assert len(view.options) == 3
    assert len(provider.asked) == asked
