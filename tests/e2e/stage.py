"""A worker of the product over scripted parts, in this process, and what a test looks at it through."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from temporalio.client import Client

from activities.agents import AgentActivities
from activities.payloads import data_converter
from activities.planning import PlanningActivities
from activities.store import Store, open_store
from phasegate.client import JobClient
from phasegate.problems import NoWorker
from phasegate.settings import Settings
from states.ledger import EntryKind, LedgerEntry
from states.record import Gate, JobRecord
from states.view import JobView
from states.words import State
from tests.e2e.temporal_cli import TemporalCli
from tests.scripted import scripted_activities
from worker import build_worker

PATIENCE = 30.0
"""seconds after which a job that did not get where a test waits for it is taken to be stuck"""


@dataclass(frozen=True)
class Stage:
    """One task queue with its worker, store and clients."""

    cli: TemporalCli
    jobs: JobClient
    store: Store
    settings: Settings

    @property
    def temporal(self) -> Client:
        """The connection that the worker uses."""
        return self.jobs.temporal

    async def view(self, job: str) -> JobView:
        """The job as its worker sees it."""
        return await self.jobs.live_view(job)

    async def record(self, job: str) -> JobRecord:
        """The whole record."""
        record: JobRecord = await self._ask(job, "record_now", JobRecord)
        return record

    async def _ask(self, job: str, query: str, kind: type[Any]) -> Any:
        return await self.temporal.get_workflow_handle(job).query(query, result_type=kind)

    async def until(self, job: str, holds: Callable[[JobView], object], seconds: float = PATIENCE) -> JobView:
        """Wait until something holds for a job."""

        async def look() -> JobView | None:
            try:
                return await self.view(job)
            except NoWorker:
                # A run that is still being read from the store has nothing to say yet.
                return None

        view: JobView = await until(look, lambda seen: seen is not None and holds(seen), seconds)
        return view

    async def recorded(self, job: str, holds: Callable[[JobRecord], object]) -> JobRecord:
        """Wait until something holds for a job's record."""
        record: JobRecord = await until(lambda: self.record(job), holds)
        return record

    async def gate(self, job: str, gate: str) -> Gate:
        """Wait until a gate is open."""
        view = await self.until(job, lambda view: view.gate and view.gate.id == gate)
        assert view.gate
        return view.gate

    async def at(self, job: str, state: State) -> JobView:
        """Wait until the job waits in a state: nothing runs, and nothing was asked of it."""

        def waits(view: JobView) -> bool:
            return view.state is state and (view.awaiting != "none" or state is State.VERIFIED)

        return await self.until(job, waits)

    async def without_ledger(self, job: str) -> dict[str, Any]:
        """Everything that the job knows but what it was told."""
        return (await self.record(job)).model_dump(mode="json", exclude={"ledger", "ledger_count"})

    async def refusals(self, job: str, least: int = 0) -> list[LedgerEntry]:
        """What the job refused, oldest first; waits until there are at least so many."""

        async def refused() -> list[LedgerEntry]:
            return [e for e in (await self.record(job)).ledger if e.kind is EntryKind.REFUSED]

        found: list[LedgerEntry] = await until(refused, lambda found: len(found) >= least)
        return found


@asynccontextmanager
async def stage(
    address: str,
    activities: PlanningActivities | None = None,
    store: Store | None = None,
    queue: str = "",
    agents: AgentActivities | None = None,
) -> AsyncIterator[Stage]:
    """A worker with these activities, on a task queue of its own unless one is named."""
    store = store or open_store("memory://")
    queue = queue or job_id("e2e")
    settings = Settings(task_queue=queue, drain_seconds=0)
    client = await Client.connect(address, data_converter=data_converter(store))
    parts: list[object] = [activities or scripted_activities(store)]
    worker = build_worker(client, settings, *parts, *([agents] if agents else []))
    async with worker:
        yield Stage(TemporalCli(address, queue), JobClient(client, store, queue), store, settings)


async def until(look: Callable[[], Any], holds: Callable[[Any], object], seconds: float = PATIENCE) -> Any:
    """Look again until something holds. Fails with what was seen last."""
    seen = None
    try:
        async with asyncio.timeout(seconds):
            while True:
                seen = await look()
                if holds(seen):
                    return seen
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(f"waited {seconds:g} s in vain, last seen: {seen}") from None


def job_id(word: str) -> str:
    """An id that no other test has."""
    return f"{word}-{uuid.uuid4().hex[:6]}"
