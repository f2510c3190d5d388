"""Orchestration: a job with a no-op planner against the same work as a hand-written bare workflow.

    python -m benchmarks.orchestration [--jobs 20] [--together 50]

Same server, same process, same number of no-op activities and gates, three approvals one after the other.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from temporalio.client import Client, WorkflowHandle
from temporalio.worker import Worker

from activities.payloads import data_converter
from activities.store import open_store
from benchmarks.bare import BareLocal, BareRegular, do_nothing
from benchmarks.table import print_table
from phasegate.logs import configure_logs
from phasegate.server import EmbeddedServer
from phasegate.server_options import ServerOptions
from phasegate.settings import Settings
from tests.scripted import scripted_activities
from worker import build_worker
from workflows.attributes import REGISTERED
from workflows.planning import PlanningWorkflow

QUEUE = "bench"
PLAN = [6, 3, 5, 1]
"""activities of a phasegate job before each of its three gates and after the last, counted from its history"""

Start = Callable[[str], Awaitable[WorkflowHandle[Any, Any]]]


async def drive(start: Start, name: str, job: str) -> tuple[float, int]:
    """One job from start to end; seconds and history events."""
    began = time.perf_counter()
    handle = await start(job)
    for gate in range(1, 4):
        while not await is_open(handle, name, gate):
            await asyncio.sleep(0)
        await handle.signal("approve")
    await handle.result()
    seconds = time.perf_counter() - began
    return seconds, len((await handle.fetch_history()).events)


async def is_open(handle: WorkflowHandle[Any, Any], name: str, gate: int) -> bool:
    """Whether gate number `gate` waits for its approval."""
    if name != "phasegate":
        return bool(await handle.query("gate") >= gate)
    return bool(await handle.query("gates") >= gate)


async def measure(start: Start, name: str, jobs: int, together: int) -> list[Any]:
    """A row of the table."""
    for n in range(3):
        await drive(start, name, f"{name}-warm-{n}")
    alone = [await drive(start, name, f"{name}-{n}") for n in range(jobs)]
    began = time.perf_counter()
    await asyncio.gather(*(drive(start, name, f"{name}-many-{n}") for n in range(together)))
    rate = together / (time.perf_counter() - began)
    return [name, statistics.median(s for s, _ in alone) * 1000, rate, alone[-1][1]]


async def main(jobs: int, together: int) -> None:
    """Print the table."""
    configure_logs("error")
    with tempfile.TemporaryDirectory() as folder:
        options = ServerOptions(database=Path(folder) / "temporal.db", search_attributes=REGISTERED)
        store = open_store(f"{folder}/store")
        async with EmbeddedServer(options) as server:
            client = await Client.connect(server.address, data_converter=data_converter(store))
            settings = Settings.load(task_queue=QUEUE)
            workers = [
                build_worker(client, settings, scripted_activities(store)),
                Worker(
                    client, task_queue="bare", workflows=[BareRegular, BareLocal], activities=[do_nothing]
                ),
            ]

            async def start_phasegate(job: str) -> WorkflowHandle[Any, Any]:
                spec = {"task": "measure", "repository": "none", "policy": {"keep_open_seconds": 0}}
                return await client.start_workflow(PlanningWorkflow.run, spec, id=job, task_queue=QUEUE)

            async def start_regular(job: str) -> WorkflowHandle[Any, Any]:
                return await client.start_workflow(BareRegular.run, PLAN, id=job, task_queue="bare")

            async def start_local(job: str) -> WorkflowHandle[Any, Any]:
                return await client.start_workflow(BareLocal.run, PLAN, id=job, task_queue="bare")

            async with workers[0], workers[1]:
                rows = [
                    await measure(start, name, jobs, together)
                    for name, start in (
                        ("bare, regular activities", start_regular),
                        ("bare, local activities", start_local),
                        ("phasegate", start_phasegate),
                    )
                ]
    regular, local, ours = rows
    print_table(
        f"Orchestration: {sum(PLAN)} no-op activities, 3 approvals one after the other, median of {jobs}",
        ["", "ms per job", f"jobs/s, {together} at once", "history events", "time / regular", "time / local"],
        [[*row, row[1] / regular[1], row[1] / local[1]] for row in (regular, local, ours)],
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=20)
    parser.add_argument("--together", type=int, default=50)
    given = parser.parse_args()
    asyncio.run(main(given.jobs, given.together))
