"""Whatever models say: only people and named policies pass gates, and no job hangs without a reason."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from phasegate.problems import RefusedByJob
from states.ledger import EntryKind
from states.policy import DEFAULT_GATES
from states.record import JobRecord, JobSpec
from states.view import JobView
from states.words import WORK_PHASES, Awaiting, Message, State
from tests.e2e.stage import Stage, job_id
from tests.e2e.whole_job import WITHOUT_PEOPLE, shop, whole_stage
from tests.e2e.wild_models import Said, WildProvider, replies

TOGETHER = 6
"""jobs of one example, which run at once"""
MOST = {"budget_usd": 50.0, "budget_tokens": 10_000_000}
LIMITS = {"max_iterations": 2, "max_repairs": 1}
LONG = 150.0
"""seconds for six jobs at once on a busy machine"""
OVER = (State.VERIFIED, State.CANCELLED)

some_models = st.lists(st.lists(replies(), min_size=3, max_size=7), min_size=TOGETHER, max_size=TOGETHER)
# Not shrunk: an example takes seconds, and what failed is in the ledger of its job.
fast = settings(
    max_examples=2,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
thorough = settings(fast, max_examples=60, derandomize=False)
# The SDK warns when an activity ends just as it is cancelled; as an error that would end the worker.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Cannot find activity to cancel:UserWarning"),
    pytest.mark.timeout(900),
]


class Wild:
    """A worker whose models say anything, and a repository to plan for."""

    def __init__(self, stage: Stage, provider: WildProvider, task: dict[str, Any]) -> None:
        self.stage = stage
        self.provider = provider
        self.task = task

    async def start(self, said: list[Said], **policy: Any) -> str:
        """A job whose model says this."""
        job = job_id("wild")
        self.provider.said[f"m-{job}"] = said
        policy = {"max_revisions": 1, "max_human_revisions": 3, **MOST, **policy}
        spec = {**self.task, "model": f"m-{job}", "policy": policy, "agents": LIMITS}
        return await self.stage.jobs.start(JobSpec.model_validate(spec), job)

    async def at_rest(self, job: str) -> tuple[JobView, JobRecord]:
        """Wait until the job waits for somebody or is over: it never hangs in between."""

        def rests(view: JobView) -> bool:
            return view.awaiting is not Awaiting.NONE or view.state in OVER

        view = await self.stage.until(job, rests, LONG)
        return view, await self.stage.record(job)


@pytest.fixture(scope="module")
async def wild(address: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Wild]:
    """One worker for all examples."""
    home: Path = tmp_path_factory.mktemp("wild")
    provider = WildProvider()
    async with whole_stage(address, home, provider) as stage:
        yield Wild(stage, provider, shop(home))


def untouched(record: JobRecord) -> None:
    """No model has changed how the job is governed, or spoken in a person's name."""
    assert (record.budget_usd, record.budget_tokens) == (MOST["budget_usd"], MOST["budget_tokens"])
    assert not record.restarts
    people = {entry.who for entry in record.ledger if entry.kind is EntryKind.MESSAGE}
    assert people <= {"ann"}
    assert not any(question.by not in ("", "ann") for question in record.questions)


async def left_alone(wild: Wild, said: list[Said]) -> None:
    """Nobody says anything: the first gate, or a question before it, is as far as a job comes."""
    job = await wild.start(said)
    view, record = await wild.at_rest(job)
    untouched(record)
    assert view.state not in OVER
    assert not record.gates_closed
    assert not (record.gate and record.gate.decisions)
    passed = WORK_PHASES.index(view.state.phase or WORK_PHASES[-1])
    assert passed <= WORK_PHASES.index(DEFAULT_GATES[0])
    if view.awaiting is Awaiting.OPERATOR:
        assert view.hold
        assert view.hold.reason.strip()
    await wild.stage.jobs.send(job, Message.CANCEL, {"by": "ann"})
    await wild.stage.until(job, lambda view: view.state is State.CANCELLED)


async def with_people(wild: Wild, said: list[Said]) -> None:
    """People approve all that they are shown: every gate that was passed, was passed by them."""
    job = await wild.start(said)
    approved = 0
    for _ in range(40):
        view, record = await wild.at_rest(job)
        untouched(record)
        if view.state in OVER or view.awaiting is Awaiting.OPERATOR:
            break
        if view.awaiting is Awaiting.ANSWERS:
            await tell(wild, job, Message.FINISH, {"by": "ann"})
        else:
            assert view.gate
            approved += await tell(wild, job, Message.APPROVE, {"by": "ann", "gate": view.gate.id})
    assert len(record.gates_closed) == approved
    if view.state is State.VERIFIED:
        assert approved >= len(DEFAULT_GATES)
    else:
        assert view.hold
        assert view.hold.reason.strip()
        await tell(wild, job, Message.CANCEL, {"by": "ann"})


async def without_gates(wild: Wild, said: list[Said]) -> None:
    """A named policy, given by a person at the start, lets a job through; models fill it or fail."""
    job = await wild.start(said, **WITHOUT_PEOPLE)
    view, record = await wild.at_rest(job)
    assert (record.budget_usd, record.budget_tokens) == (MOST["budget_usd"], MOST["budget_tokens"])
    if view.state is State.VERIFIED:
        assert all(record.current(phase) for phase in WORK_PHASES)
    elif view.awaiting is Awaiting.HUMAN_REVIEW:
        assert view.gate
        assert view.gate.escalated
    else:
        assert view.hold
        assert view.hold.reason.strip()
    await tell(wild, job, Message.CANCEL, {"by": "ann"})


async def tell(wild: Wild, job: str, message: Message, given: dict[str, str]) -> bool:
    """Whether the job takes a person's message."""
    try:
        await wild.stage.jobs.send(job, message, given)
    except RefusedByJob:
        return False
    return True


async def try_all(wild: Wild, models: list[list[Said]]) -> None:
    """Each model in a job of each kind."""
    kinds = (left_alone, with_people, without_gates)
    await asyncio.gather(*(kinds[n % len(kinds)](wild, said) for n, said in enumerate(models)))


@given(models=some_models)
@fast
async def test_no_model_approves(wild: Wild, models: list[list[Said]]) -> None:
    await try_all(wild, models)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@given(models=some_models)
@thorough
async def test_no_model_approves_however_long_one_tries(wild: Wild, models: list[list[Said]]) -> None:
    await try_all(wild, models)
