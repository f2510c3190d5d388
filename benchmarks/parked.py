"""Parked jobs: what a thousand jobs at a gate cost one worker, and how long an approval then takes.

    python -m benchmarks.parked [--jobs 1000] [--sample 100]

The same for a few jobs and for a bare workflow that waits for a signal, each kind on a new worker process.
"""

import asyncio
import itertools
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from benchmarks.driving import GATES, Driven, start
from benchmarks.processes import MB, resident_bytes
from benchmarks.stage import Stage, stage
from benchmarks.table import Table, arguments, show

FEW = 10
AT_ONCE = 50
NAMES = {"phasegate": "phasegate", "local": "bare, local activities"}
CAPTION = (
    "A worker process for each kind; the database is on disk. Memory is what the worker holds before "
    "and after the jobs are parked, some jobs having run already. Approvals one at a time: from sending the "
    "signal to seeing the next gate open, the phases between done, by a long poll of the history and a query."
)


@dataclass
class Parked:
    """What a number of parked jobs came to; seconds and bytes."""

    kind: str
    jobs: int
    before: int | None = None
    after: int | None = None
    parking: float = 0.0
    approvals: list[float] = field(default_factory=list)

    @property
    def bytes_each(self) -> float | None:
        """Memory of the worker for each parked job; None for too few to tell."""
        if self.before is None or self.after is None or self.jobs <= FEW:
            return None
        return (self.after - self.before) / self.jobs

    def percentile(self, percent: int) -> float:
        """Of the time that an approval took."""
        return statistics.quantiles(self.approvals, n=100, method="inclusive")[percent - 1]


async def park(on: Stage, kind: str, names: Iterator[str], jobs: int) -> list[Driven]:
    """Start jobs and wait until each is at its first gate."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(name: str) -> Driven:
        async with turn:
            driven = await start(on.client, kind, name)
            await driven.until_open(1)
            return driven

    return await asyncio.gather(*(one(name) for name in itertools.islice(names, jobs)))


async def approve(driven: Driven, gates: range) -> list[float]:
    """Approve these gates one after the other; seconds until the next was open."""
    took = []
    for gate in gates:
        began = time.perf_counter()
        await driven.handle.signal("approve")
        await driven.until_open(gate + 1)
        took.append(time.perf_counter() - began)
    return took


async def close(driven: Driven) -> None:
    """Let a job that is at its last gate end."""
    await driven.handle.signal("approve")
    await driven.handle.result()


async def measure_few(on: Stage, kind: str, names: Iterator[str], sample: int) -> Parked:
    """Batches of a few jobs that are parked, approved and ended, until there are enough approvals."""
    found = Parked(kind, FEW)
    while len(found.approvals) < sample:
        batch = await park(on, kind, names, FEW)
        for driven in batch:
            found.approvals += await approve(driven, range(1, GATES))
        await asyncio.gather(*map(close, batch))
    return found


async def measure_many(
    on: Stage, pid: int, kind: str, names: Iterator[str], jobs: int, sample: int
) -> Parked:
    """All jobs parked, then approvals of as many as it takes."""
    found = Parked(kind, jobs, before=resident_bytes(pid))
    began = time.perf_counter()
    parked = await park(on, kind, names, jobs)
    found.parking = time.perf_counter() - began
    found.after = resident_bytes(pid)
    for driven in parked[: -(-sample // (GATES - 1))]:
        found.approvals += await approve(driven, range(1, GATES))
    return found


async def main(jobs: int, sample: int) -> list[Table]:
    """Measure all kinds."""
    found: list[Parked] = []
    for kind in NAMES:
        async with stage() as on, on.worker(kind) as pid:
            names = (f"{kind}-{number}" for number in itertools.count())
            few = await measure_few(on, kind, names, sample)
            found += [few, await measure_many(on, pid, kind, names, jobs, sample)]
    return [absolute(found, sample), ratios(found)]


def absolute(found: list[Parked], sample: int) -> Table:
    """The figures themselves."""
    return Table(
        f"Parked at a gate on one worker; {sample} approvals",
        ["", "parked", "parked per s", "MB before", "MB after", "KB per job", "approval p50 ms", "p95 ms"],
        [
            [
                NAMES[each.kind],
                each.jobs,
                each.jobs / each.parking if each.parking else None,
                None if each.before is None else each.before / MB,
                None if each.after is None else each.after / MB,
                None if each.bytes_each is None else each.bytes_each / 1024,
                each.percentile(50) * 1000,
                each.percentile(95) * 1000,
            ]
            for each in found
        ],
        CAPTION,
    )


def ratios(found: list[Parked]) -> Table:
    """Many against few, and phasegate against bare."""
    few, many, _, bare = found
    return Table(
        "Ratios",
        ["", "KB per job", "approval p50", "p95"],
        [
            [
                f"phasegate, {many.jobs} parked / {few.jobs} parked",
                None,
                many.percentile(50) / few.percentile(50),
                many.percentile(95) / few.percentile(95),
            ],
            [
                f"phasegate / bare, {many.jobs} parked",
                many.bytes_each / bare.bytes_each if many.bytes_each and bare.bytes_each else None,
                many.percentile(50) / bare.percentile(50),
                many.percentile(95) / bare.percentile(95),
            ],
        ],
    )


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--jobs", type=int, default=1000, help=f"how many to park, more than {FEW}")
    parser.add_argument("--sample", type=int, default=100, help="how many approvals to time")
    given = parser.parse_args()
    show(asyncio.run(main(given.jobs, given.sample)), given.json)
