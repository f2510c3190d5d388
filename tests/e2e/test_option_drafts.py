"""Options drafted by agents at once: a real server, a scripted model, the product's workflows."""

from typing import Any

from temporalio.exceptions import ApplicationError

from activities.store import open_store
from states.agents import AgentKind
from states.words import Message, Phase, State
from tests.e2e.drafts_stage import Held, WithOptions, drafted, options_of, planning, start
from tests.e2e.stage import job_id, stage
from tests.scripted_agents import Asked, Calls, ScriptedProvider, good, scripted_agents

FINISHED = ("implementation_plan-1", "option-implementation_plan-1")


async def test_three_agents_draft_at_once_and_the_best_comes_first(address: str) -> None:
    store, provider = open_store("memory://"), Held()
    async with stage(address, planning(store), store, agents=scripted_agents(store, provider)) as ready:
        job = await start(ready)
        await provider.asked_by(3)
        provider.free.set()
        view = await ready.at(job, State.VERIFIED)
        record = await ready.record(job)
        assert await options_of(ready, record, Phase.VALIDATION) == [(f"option-{n}", 1) for n in (1, 2, 3)]
    assert drafted(record) == [f"option-implementation_plan-{n} submitted" for n in (1, 2, 3)]
    assert [option.id for option in view.options] == ["option-3", "option-2", "option-1"]
    assert view.options[0].source == "model:m"
    assert record.drafting is None


async def test_one_that_fails_is_left_out_with_a_note(address: str) -> None:
    def script(asked: Asked) -> Calls:
        if asked.agent == "option-implementation_plan-2":
            raise ApplicationError("the model is gone", type="ModelGone", non_retryable=True)
        return good(asked)

    store = open_store("memory://")
    agents = scripted_agents(store, ScriptedProvider(script))
    async with stage(address, planning(store), store, agents=agents) as ready:
        job = await start(ready)
        view = await ready.at(job, State.VERIFIED)
        record = await ready.record(job)
        ref = record.current(Phase.IMPLEMENTATION_PLAN)
        assert ref
        plan = (await store.get_artifact(ref.digest)).artifact()
    assert [option.id for option in view.options] == ["option-3", "option-1"]
    assert [p.why for p in plan.open_points if p.subject == "option draft-2"] == [
        "left out: the model is gone"
    ]
    assert any("draft 2 of the options is left out" in entry.what for entry in record.ledger)


async def test_equal_drafts_count_once(address: str) -> None:
    store = open_store("memory://")
    agents = scripted_agents(store, ScriptedProvider(good))
    desk: Any = next(iter(agents._desks.values()))

    async def same(order: Any, given: Any, model: str) -> Any:
        draft = order.draft.model_copy(update={"option": "" if order.draft.number == 3 else "twin"})
        return await type(desk)._option(desk, order.model_copy(update={"draft": draft}), given, model)

    desk._option = same
    async with stage(address, planning(store), store, agents=agents) as ready:
        job = await start(ready)
        view = await ready.at(job, State.VERIFIED)
    assert sorted(option.id for option in view.options) == ["option-3", "twin"]


async def test_without_any_draft_the_job_goes_on(address: str) -> None:
    def script(asked: Asked) -> Calls:
        if asked.kind is AgentKind.OPTION:
            raise ApplicationError("the model is gone", type="ModelGone", non_retryable=True)
        return good(asked)

    store = open_store("memory://")
    agents = scripted_agents(store, ScriptedProvider(script))
    async with stage(address, planning(store), store, agents=agents) as ready:
        job = await start(ready)
        view = await ready.at(job, State.VERIFIED)
    assert view.options == ()


async def test_none_draft_where_options_are_to_do_without_a_model(address: str) -> None:
    store, provider = open_store("memory://"), ScriptedProvider(good)
    async with stage(address, planning(store), store, agents=scripted_agents(store, provider)) as ready:
        job = await start(ready, models={"options": "none"})
        await ready.at(job, State.VERIFIED)
        assert drafted(await ready.record(job)) == []


async def test_a_pause_keeps_what_is_finished_and_goes_on_with_the_rest(address: str) -> None:
    store, provider = open_store("memory://"), Held("option-implementation_plan-1")
    async with stage(address, planning(store), store, agents=scripted_agents(store, provider)) as ready:
        job = await start(ready)
        await ready.recorded(job, lambda record: "option-implementation_plan-1 submitted" in drafted(record))
        await provider.asked_by(2)
        await ready.jobs.send(job, Message.PAUSE, {"by": "ann"})
        provider.free.set()
        record = await ready.recorded(job, lambda record: all(n.end for n in record.agents))
        assert record.drafting
        assert record.drafting.drafts[0].done
        paid = [provider.turns(agent) for agent in FINISHED]
        await ready.jobs.send(job, Message.RESUME, {"by": "ann"})
        view = await ready.at(job, State.VERIFIED)
        record = await ready.record(job)
    assert [provider.turns(agent) for agent in FINISHED] == paid, "what is finished is not paid for again"
    assert len(view.options) == 3
    assert record.drafting is None


async def test_a_worker_that_dies_while_agents_draft(address: str) -> None:
    store, provider = open_store("memory://"), Held("option-implementation_plan-1")
    queue = job_id("drafts-queue")
    async with stage(address, planning(store), store, queue, scripted_agents(store, provider)) as ready:
        job = await start(ready)
        await ready.recorded(job, lambda record: "option-implementation_plan-1 submitted" in drafted(record))
        await provider.asked_by(2)
    again = ScriptedProvider(good)
    async with stage(address, planning(store), store, queue, scripted_agents(store, again)) as ready:
        view = await ready.until(job, lambda view: view.state is State.VERIFIED, 90)
    assert again.turns("option-implementation_plan-1") == 0
    assert again.turns("implementation_plan-1") == 0
    assert len(view.options) == 3


async def test_a_restart_overtakes_drafting(address: str) -> None:
    store, provider = open_store("memory://"), Held()
    async with stage(address, planning(store), store, agents=scripted_agents(store, provider)) as ready:
        job = await start(ready)
        await provider.asked_by(3)
        await ready.jobs.send(job, Message.RESTART_FROM, {"phase": "CONTRACTS", "by": "ann"})
        overtaken = [f"option-implementation_plan-{n} stopped" for n in (1, 2, 3)]
        await ready.recorded(job, lambda record: drafted(record)[:3] == overtaken)
        provider.free.set()
        view = await ready.at(job, State.VERIFIED)
    assert len(view.options) == 3


async def test_feedback_at_the_gate_refines_the_options_that_it_names(address: str) -> None:
    store, provider = open_store("memory://"), ScriptedProvider(good)
    agents = scripted_agents(store, provider)
    async with stage(address, planning(store), store, agents=agents) as ready:
        models = {"validation": "m"}
        job = await start(ready, models=models, policy={"gates": ("validation",)})
        desk: Any = next(iter(agents._desks.values()))
        desk._planner = WithOptions()
        await ready.gate(job, "validation-1")
        await ready.jobs.send(job, Message.SELECT, {"option": "option-2", "by": "ann"})
        feedback = "option-2: smaller steps"
        await ready.jobs.send(job, Message.REVISE, {"feedback": feedback, "by": "ann"})
        await ready.gate(job, "validation-2")
        view, record = await ready.view(job), await ready.record(job)
    assert view.selected is None
    assert {option.id: option.version for option in view.options} == {
        "option-1": 1,
        "option-2": 2,
        "option-3": 1,
    }
    assert drafted(record)[3:] == ["option-validation-1 submitted"]
