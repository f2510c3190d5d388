"""Orchestration: a job with a no-op planner against the same work as a hand-written bare workflow.

    python -m benchmarks.orchestration [--jobs 20] [--together 50] [--rounds 3]

One server; each kind has a worker process of its own, so that its CPU time can be told. The kinds take turns,
job by job or round by round, so that whatever else the machine does hits all of them alike.
"""

import asyncio
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

from benchmarks.driving import GATES, PLAN, carry_through
from benchmarks.processes import cpu_seconds
from benchmarks.stage import Stage, stage
from benchmarks.table import Table, arguments, show

NAMES = {
    "regular": "bare, regular activities",
    "local": "bare, local activities",
    "phasegate": "phasegate",
}
CAPTION = (
    f"{sum(PLAN)} no-op activities and {GATES} approvals per job, each given once the gate is open. The bare "
    "workflows do nothing else; phasegate's activities also write artifacts and records to a store on "
    "disk, and its workflow keeps ledger, search attributes and details. CPU is the worker's. No logs."
)


@dataclass
class Measured:
    """What one kind took; seconds."""

    alone: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    server_cpu: list[float] = field(default_factory=list)
    events: int = 0
    size: int = 0


async def measure_alone(on: Stage, pids: dict[str, int], jobs: int, all_: dict[str, Measured]) -> None:
    """Jobs one after the other, the kinds in turn."""
    before = {kind: cpu_seconds(pid) for kind, pid in pids.items()}
    for number in range(jobs):
        for kind in pids:
            began = time.perf_counter()
            handle = await carry_through(on.client, kind, f"{kind}-alone-{number}")
            all_[kind].alone.append(time.perf_counter() - began)
    for kind, pid in pids.items():
        all_[kind].cpu += spent(before[kind], pid, jobs)
        handle = on.client.get_workflow_handle(f"{kind}-alone-0")
        all_[kind].events = len((await handle.fetch_history()).events)
        all_[kind].size = (await handle.describe()).raw_description.workflow_execution_info.history_size_bytes


async def measure_together(on: Stage, kind: str, name: str, together: int, found: Measured) -> None:
    """Many jobs at once."""
    before, began = cpu_seconds(on.server.pid), time.perf_counter()
    await asyncio.gather(*(carry_through(on.client, kind, f"{name}-{n}") for n in range(together)))
    found.rates.append(together / (time.perf_counter() - began))
    found.server_cpu += spent(before, on.server.pid, together)


def spent(before: float | None, pid: int, jobs: int) -> list[float]:
    """CPU seconds of a job since `before`; nothing where the machine does not tell."""
    now = cpu_seconds(pid)
    return [] if now is None or before is None else [(now - before) / jobs]


async def main(jobs: int, together: int, rounds: int) -> list[Table]:
    """Measure all kinds."""
    found: dict[str, Measured] = defaultdict(Measured)
    async with stage() as on, AsyncExitStack() as workers:
        pids = {kind: await workers.enter_async_context(on.worker(kind)) for kind in NAMES}
        for kind in pids:
            await asyncio.gather(*(carry_through(on.client, kind, f"{kind}-warm-{n}") for n in range(5)))
        await measure_alone(on, pids, jobs, found)
        for number in range(rounds):
            for kind in pids:
                await measure_together(on, kind, f"{kind}-{number}", together, found[kind])
    return [absolute(found, jobs, together, rounds), ratios(found)]


def absolute(found: dict[str, Measured], jobs: int, together: int, rounds: int) -> Table:
    """The figures themselves."""
    return Table(
        f"Orchestration: median of {jobs} jobs one after the other, of {rounds} rounds of {together} at once",
        [
            "",
            "ms per job",
            "CPU ms per job",
            "jobs/s at once",
            "server CPU ms per job",
            "events",
            "history KB",
        ],
        [
            [
                NAMES[kind],
                statistics.median(m.alone) * 1000,
                middle(m.cpu, 1000),
                middle(m.rates),
                middle(m.server_cpu, 1000),
                m.events,
                m.size / 1024,
            ]
            for kind, m in found.items()
        ],
        CAPTION,
    )


def ratios(found: dict[str, Measured]) -> Table:
    """phasegate against each bare workflow; above 1 is more."""
    columns: dict[str, Callable[[Measured], Any]] = {
        "time": lambda m: middle(m.alone),
        "worker CPU": lambda m: middle(m.cpu),
        "time at once": lambda m: 1 / statistics.median(m.rates),
        "server CPU": lambda m: middle(m.server_cpu),
        "events": lambda m: m.events,
        "history bytes": lambda m: m.size,
    }
    ours = found["phasegate"]
    rows = [
        [
            f"phasegate / {NAMES[kind]}",
            *(None if of(bare) is None else of(ours) / of(bare) for of in columns.values()),
        ]
        for kind, bare in found.items()
        if kind != "phasegate"
    ]
    return Table("Ratios", ["", *columns], rows)


def middle(values: list[float], scale: float = 1) -> float | None:
    """The median; None of nothing."""
    return statistics.median(values) * scale if values else None


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--jobs", type=int, default=20)
    parser.add_argument("--together", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    show(asyncio.run(main(given.jobs, given.together, given.rounds)), given.json)
