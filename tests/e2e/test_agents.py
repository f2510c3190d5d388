"""Jobs whose phases are worked on by agents: a real server, a scripted model, the product's workflows."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from temporalio.exceptions import ApplicationError

from activities.store import open_store
from phasegate.problems import RefusedByJob
from states.agents import AgentEnd, AgentKind, AgentLimits, Price, Usage
from states.ledger import EntryKind
from states.record import JobSpec
from states.words import Awaiting, HoldKind, Message, Mode, Phase, State
from tests.e2e.stage import Stage, job_id, stage
from tests.scripted import QUESTION, ScriptedReviewer, scripted_activities
from tests.scripted_agents import (
    ASK,
    LOOK,
    REVIEW,
    SUBMIT,
    Asked,
    Calls,
    Script,
    ScriptedProvider,
    good,
    scripted_agents,
)

NO_GATES: dict[str, Any] = {"gates": ()}


@asynccontextmanager
async def agents(
    address: str, script: Script = good, *, asks: bool = False
) -> AsyncIterator[tuple[Stage, ScriptedProvider]]:
    """A worker whose agents follow a script."""
    store = open_store("memory://")
    provider = ScriptedProvider(script)
    reviewer = ScriptedReviewer(questions=(QUESTION,) if asks else ())
    planning = scripted_activities(store, reviewer=reviewer)
    async with stage(address, planning, store, agents=scripted_agents(store, provider)) as ready:
        yield ready, provider


async def start(ready: Stage, **spec: Any) -> str:
    """A job with the model `m` and no gates, unless said otherwise."""
    models = {"options": "none", **spec.pop("models", {})}
    given = {"task": "do it", "repository": "/r", "model": "m", "policy": NO_GATES, **spec, "models": models}
    return await ready.jobs.start(JobSpec.model_validate(given), job_id("agents"))


async def test_a_whole_job_by_agents_and_what_it_cost(address: str) -> None:
    async with agents(address) as (ready, provider):
        job = await start(ready)
        view = await ready.at(job, State.VERIFIED)
        record = await ready.record(job)
    assert [ref.made_by for ref in record.artifacts] == ["model:m"] * 5
    assert [note.id for note in record.agents] == [
        name for phase in Phase if phase is not Phase.VERIFIED for name in (f"{phase}-1", f"review-{phase}-1")
    ]
    assert {note.end for note in record.agents} == {AgentEnd.SUBMITTED}
    # Two calls for each phase, one for each review, nothing twice.
    assert len(provider.asked) == 15
    assert (view.tokens, view.cost_usd) == (15 * 110, 0.15)
    told = [e.what for e in record.ledger if e.kind is EntryKind.AGENT]
    assert told[0] == "discovery-1 submitted: 2 calls, 220 tokens, $0.02"


async def test_other_models_for_single_phases_and_none_at_all(address: str) -> None:
    models = {"contracts": "c", "VALIDATION": "none", "review": "none"}
    async with agents(address) as (ready, provider):
        job = await start(ready, models=models)
        await ready.at(job, State.VERIFIED)
        record = await ready.record(job)
    made = {ref.phase: ref.made_by for ref in record.artifacts}
    assert made[Phase.CONTRACTS] == "model:c"
    assert made[Phase.VALIDATION] == "planner:deterministic"
    assert {note.kind for note in record.agents} == {AgentKind.PLAN}
    assert {asked.model for asked in provider.asked} == {"m", "c"}


async def test_a_refused_submission_goes_back_to_the_model(address: str) -> None:
    def script(asked: Asked) -> Calls:
        if asked.agent == "discovery-1" and asked.turn < 3:
            return [(SUBMIT, {"wrong": f"field {asked.turn} is missing"})]
        return good(asked) if asked.agent != "discovery-1" else [(SUBMIT, {})]

    async with agents(address, script) as (ready, provider):
        job = await start(ready)
        await ready.at(job, State.VERIFIED)
    last = next(a for a in provider.asked if a.agent == "discovery-1" and a.turn == 3).messages
    answers = [m["content"] for m in last if m["role"] == "tool"]
    assert answers == ["Error: field 1 is missing", "Error: field 2 is missing"]


async def test_too_many_repairs_hold_the_job_and_resume_tries_again(address: str) -> None:
    stubborn = True

    def script(asked: Asked) -> Calls:
        wrong = stubborn and asked.agent.startswith("discovery")
        return [(SUBMIT, {"wrong": "no commit"})] if wrong else good(asked)

    async with agents(address, script) as (ready, provider):
        job = await start(ready, agents={"max_repairs": 1})
        view = await ready.until(job, lambda view: view.hold)
        assert view.hold
        assert view.hold.reason == "2 submissions do not validate, the last: no commit"
        stubborn = False
        await ready.jobs.send(job, Message.RESUME, {})
        await ready.at(job, State.VERIFIED)
    # The same conversation goes on: it has what was said before.
    second = provider.asked[2]
    assert (second.phase, second.turn) == (Phase.DISCOVERY, 3)


async def test_after_the_last_iteration_one_forced_call(address: str) -> None:
    def script(asked: Asked) -> Calls:
        if asked.agent != "discovery-1":
            return good(asked)
        return [(SUBMIT, {})] if asked.only else [(LOOK, {"what": "more"})]

    async with agents(address, script) as (ready, provider):
        job = await start(ready, agents={"max_iterations": 3})
        await ready.at(job, State.VERIFIED)
    turns = [asked for asked in provider.asked if asked.agent == "discovery-1"]
    assert [asked.only for asked in turns] == ["", "", "", SUBMIT]
    assert turns[-1].messages[-1] == {"role": "user", "content": "now submit"}


async def test_a_model_that_only_talks_is_told_to_go_on_and_then_held(address: str) -> None:
    def script(asked: Asked) -> Calls:
        return [] if asked.agent == "discovery-1" else good(asked)

    async with agents(address, script) as (ready, provider):
        job = await start(ready, agents={"max_iterations": 2})
        view = await ready.until(job, lambda view: view.hold)
    assert view.hold
    assert view.hold.reason == "nothing was handed over in 3 calls"
    assert [m["role"] for m in provider.asked[-1].messages] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]


async def test_the_next_model_of_the_ladder_stands_in(address: str) -> None:
    def script(asked: Asked) -> Calls:
        if asked.model == "first":
            raise ApplicationError("the key was refused", type="ModelKeyRefused", non_retryable=True)
        return good(asked)

    async with agents(address, script) as (ready, _):
        job = await start(ready, model="first,second")
        await ready.at(job, State.VERIFIED)
        record = await ready.record(job)
    assert {note.used for note in record.agents} == {("second",)}
    assert {note.models for note in record.agents} == {("first", "second")}
    assert record.artifacts[0].made_by == "model:second"


async def test_a_lasting_failure_holds_the_job_with_its_reason(address: str) -> None:
    broken = True

    def script(asked: Asked) -> Calls:
        if broken:
            raise ApplicationError("no key for m; set M_API_KEY", type="ModelKeyMissing", non_retryable=True)
        return good(asked)

    async with agents(address, script) as (ready, provider):
        job = await start(ready)
        view = await ready.until(job, lambda view: view.hold)
        assert view.hold
        assert view.hold.kind is HoldKind.FAILURE
        assert view.hold.reason == "no key for m; set M_API_KEY"
        broken = False
        await ready.jobs.send(job, Message.RESUME, {})
        await ready.at(job, State.VERIFIED)
    assert provider.asked


async def test_at_the_limit_the_job_asks_for_more_and_goes_on_where_it_was(address: str) -> None:
    async with agents(address) as (ready, provider):
        job = await start(ready, policy={**NO_GATES, "budget_usd": 0.035})
        view = await ready.until(job, lambda view: view.awaiting is Awaiting.BUDGET)
        # 0.01 a call: the fourth goes over, no fifth is begun.
        assert len(provider.asked) == 4
        assert view.cost_usd == 0.04
        assert view.hold
        assert view.hold.reason == "$0.0400 of $0.0350 are used"
        assert [c.phasegate for c in view.next_commands] == [f"phasegate budget {job} --usd 0.08"]
        with pytest.raises(RefusedByJob, match="set_budget gives the job more"):
            await ready.jobs.send(job, Message.RESUME, {})
        await ready.jobs.send(job, Message.SET_BUDGET, {"usd": 1})
        await ready.at(job, State.VERIFIED)
    assert len(provider.asked) == 15


async def test_a_pause_stops_before_the_next_call(address: str) -> None:
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
        await ready.jobs.send(job, Message.PAUSE, {})
        free.set()
        record = await ready.recorded(job, lambda record: record.rest)
        assert record.mode is Mode.PAUSED
        assert len(provider.asked) == 1
        assert record.agents[0].end is AgentEnd.STOPPED
        await ready.jobs.send(job, Message.RESUME, {})
        await ready.at(job, State.VERIFIED)
    assert len(provider.asked) == 15


async def test_a_restart_overtakes_an_agent_and_asks_nothing_of_kept_phases(address: str) -> None:
    hang = asyncio.Event()

    class Hanging(ScriptedProvider):
        async def complete(self, *given: Any, **more: Any) -> Any:
            first = '"implementation_plan-1"' in given[1][0]["content"]
            if first:
                hang.set()
                await asyncio.sleep(60)
            return await super().complete(*given, **more)

    store = open_store("memory://")
    provider = Hanging()
    async with stage(address, store=store, agents=scripted_agents(store, provider)) as ready:
        job = await start(ready)
        await hang.wait()
        before = len(provider.asked)
        digests = {ref.phase: ref.digest for ref in (await ready.record(job)).artifacts}
        await ready.jobs.send(job, Message.RESTART_FROM, {"phase": "contracts"})
        await ready.at(job, State.VERIFIED)
        record = await ready.record(job)
    for phase in (Phase.DISCOVERY, Phase.CLARIFICATION):
        current = record.current(phase)
        assert current
        assert current.digest == digests[phase]
    after = {asked.phase for asked in provider.asked[before:]}
    assert after == {Phase.CONTRACTS, Phase.IMPLEMENTATION_PLAN, Phase.VALIDATION}
    given_up = next(note for note in record.agents if note.id == "implementation_plan-1")
    assert given_up.end is AgentEnd.STOPPED
    # What it used nobody knows; the most that it can have used is booked.
    assert (given_up.usage.calls, given_up.usage.estimated_calls) == (1, 1)
    assert given_up.usage.completion_tokens == AgentLimits().max_output_tokens


async def test_a_review_sends_the_work_back_with_its_kind(address: str) -> None:
    def script(asked: Asked) -> Calls:
        if asked.agent == "review-implementation_plan-1":
            return [(REVIEW, {"kind": "contract"})]
        return good(asked)

    async with agents(address, script) as (ready, _):
        job = await start(ready)
        await ready.at(job, State.VERIFIED)
        record = await ready.record(job)
    assert [f.text for f in record.feedback] == ["not good"]
    assert [ref.phase for ref in record.artifacts][3:5] == [Phase.IMPLEMENTATION_PLAN, Phase.CONTRACTS]


async def test_a_review_that_never_comes_approves_nothing(address: str) -> None:
    def script(asked: Asked) -> Calls:
        return [] if asked.kind is AgentKind.REVIEW else good(asked)

    async with agents(address, script) as (ready, _):
        job = await start(ready, agents={"max_iterations": 1})
        view = await ready.until(job, lambda view: view.hold)
    assert view.state is State.DISCOVERY_AI_REVIEW


async def test_follow_up_questions_are_asked_like_the_first_ones(address: str) -> None:
    def script(asked: Asked) -> Calls:
        if asked.agent == "clarification-1":
            return [(ASK, {"text": "And which of the two caches?"})]
        return good(asked)

    async with agents(address, script, asks=True) as (ready, _):
        job = await start(ready)
        await ready.until(job, lambda view: view.awaiting is Awaiting.ANSWERS)
        await ready.jobs.send(job, Message.ANSWER, {"question": "q1", "text": "both", "by": "ann"})
        view = await ready.until(job, lambda view: len(view.questions) == 2)
        assert view.questions[1].ref.id == "follow-up-1-1"
        await ready.jobs.send(job, Message.ANSWER, {"text": "the large one", "by": "ann"})
        await ready.at(job, State.VERIFIED)


async def test_a_person_is_replied_to_while_questions_are_open(address: str) -> None:
    async with agents(address, asks=True) as (ready, _):
        job = await start(ready)
        await ready.until(job, lambda view: view.awaiting is Awaiting.ANSWERS)
        await ready.jobs.send(job, Message.SAY, {"text": "what is the second one?", "by": "ann"})
        view = await ready.until(job, lambda view: view.replies)
        assert [(r.to, r.text, r.by) for r in view.replies] == [(1, "it means that", "model:m")]
        assert view.awaiting is Awaiting.ANSWERS
        await ready.jobs.send(job, Message.FINISH, {"by": "ann"})
        await ready.at(job, State.VERIFIED)


async def test_history_grows_by_the_same_few_bytes_for_every_call(address: str) -> None:
    def script(asked: Asked) -> Calls:
        if asked.agent == "discovery-1" and asked.turn < 40:
            return [(LOOK, {"what": "x" * 2_000})]
        return [(SUBMIT, {})] if asked.agent == "discovery-1" else good(asked)

    async with agents(address, script) as (ready, _):
        job = await start(ready, agents={"max_iterations": 100})
        await ready.at(job, State.VERIFIED)
        handle = ready.temporal.get_workflow_handle(f"{job}.discovery-1")
        sizes = [e.ByteSize() async for e in handle.fetch_history_events()]
    third = len(sizes) // 3
    first, last = sum(sizes[third : 2 * third]), sum(sizes[2 * third :])
    assert last < 1.2 * first


async def test_a_model_without_a_price_is_said_once(address: str) -> None:
    unpriced = Usage(calls=1, prompt_tokens=100, completion_tokens=10, unpriced_calls=1)
    store = open_store("memory://")
    provider = ScriptedProvider(usage=unpriced, per_token=Price())
    async with stage(address, store=store, agents=scripted_agents(store, provider)) as ready:
        job = await start(ready, policy={**NO_GATES, "budget_usd": 1.0})
        view = await ready.at(job, State.VERIFIED)
        record = await ready.record(job)
    assert (view.cost_usd, view.unpriced_calls) == (0, 15)
    said = [e for e in record.ledger if "price is not known" in e.what]
    assert [e.why for e in said] == [
        f"a limit on tokens holds for every model: phasegate budget {job} --tokens N"
    ]
