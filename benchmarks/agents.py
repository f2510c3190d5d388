"""Agents: what a job by a model takes besides the model, what a restart saves, how histories grow.

    python -m benchmarks.agents [--delay 2] [--jobs 1] [--long 100] [--json]

Models are a scripted server over HTTP that takes `delay` seconds for every call; the worker is a process of
its own with the product's activities. The same flow runs as a bare loop around litellm.
"""

import asyncio
import itertools
import os
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from temporalio.client import WorkflowHandle

from activities.desks.options import SUBMIT_OPTION
from activities.index.shelf import IndexShelf
from activities.models.provider import LiteLlmProvider
from activities.workspace import Workspaces
from benchmarks.bare_agents import bare_job, first_requests
from benchmarks.processes import cpu_seconds
from benchmarks.stage import Stage, stage
from benchmarks.table import Table, arguments, show
from phasegate.client import JobClient
from states.record import JobRecord
from states.view import JobView
from states.words import WORK_PHASES, Message, Phase, State
from tests.activities.desks.good import SUBMISSIONS
from tests.activities.desks.test_option_desk import OPTION
from tests.e2e.whole_job import CALLS, LOOKS, MODEL, WITHOUT_PEOPLE, long_look, shop, whole_job, working
from tests.model_server.script import Script
from tests.model_server.server import ModelServer, Recorded
from workflows.planning import PlanningWorkflow

QUEUE = "agents"
DRAFTS = (0, 1, 3)
"""options that agents draft"""
AT_ONCE = (1, 4, 16)
"""tool calls in one reply"""


@dataclass(frozen=True)
class Bench:
    """A stage with a worker, the client of a person, a task, and the models' server."""

    on: Stage
    jobs: JobClient
    task: dict[str, Any]
    models: ModelServer
    worker: int
    """its process id"""

    async def run(self, job: str, **spec: Any) -> float:
        """A whole job that closes when it is verified; gives its seconds."""
        closing = {"policy": {**WITHOUT_PEOPLE, "keep_open_seconds": 0}}
        began = time.perf_counter()
        handle = await self.on.client.start_workflow(
            PlanningWorkflow.run, {**self.task, **closing, **spec}, id=job, task_queue=QUEUE
        )
        result = await handle.result()
        took = time.perf_counter() - began
        if result.state is not State.VERIFIED:
            raise RuntimeError(f"{job} ended as {result.state}")
        return took

    def script(self, script: Script, delay: float = 0) -> None:
        """What the models say from now on; requests are counted anew."""
        self.models.script, self.models.delay = script, delay
        self.models.requests.clear()


# --- time -------------------------------------------------------------------------------------------------


async def against_the_model(bench: Bench, delay: float, jobs: int) -> Table:
    """Jobs and bare loops in turn, against the time that their models take."""
    bench.script(whole_job())
    await bench.run("warm")
    openings = first_requests([request.json for request in bench.models.requests])
    repository = Path(bench.task["repository"])
    opened = await Workspaces(bench.on.folder / "bare").open("bare", str(repository))
    index = IndexShelf(None).get(opened.path, opened.ref.commit)
    await LiteLlmProvider().warm()
    await bare_job(openings, MODEL, opened.path, index)
    ours, bare, cpu = [], [], []
    for number in range(jobs):
        bench.script(whole_job(), delay)
        before = cpu_seconds(bench.worker)
        ours.append(await bench.run(f"timed-{number}"))
        after = cpu_seconds(bench.worker)
        cpu += [] if before is None or after is None else [(after - before) / CALLS * 1000]
        if len(bench.models.requests) != CALLS:
            raise RuntimeError(f"{len(bench.models.requests)} calls in place of {CALLS}")
        began = time.perf_counter()
        calls = await bare_job(openings, MODEL, opened.path, index)
        bare.append(time.perf_counter() - began)
        if calls != CALLS:
            raise RuntimeError(f"the bare loop made {calls} calls in place of {CALLS}")
    path = CALLS * delay
    return Table(
        f"A job of {CALLS} model calls, each of {delay:g} s: median of {jobs}",
        ["", "s", "/ critical path", "ms per call besides the model", "of it CPU of the worker"],
        [
            [name, took, took / path, (took - path) / CALLS * 1000, spent]
            for name, took, spent in (
                ("critical path: the calls alone", path, None),
                ("bare loop around litellm", statistics.median(bare), None),
                ("phasegate", statistics.median(ours), statistics.median(cpu) if cpu else None),
            )
        ],
        "Every call waits for the one before it. Each phase: a reply with "
        f"{len(LOOKS)} tool calls, one that hands over, one that reviews. The bare loop sends the same "
        "prompts, runs the same tools, and neither checks nor keeps what is handed over.",
    )


async def tools_at_once(bench: Bench) -> Table:
    """How long a conversation stands still between two replies, by the number of tool calls in the first."""
    rows = []
    for count in AT_ONCE:
        script = Script()
        rule = script.when(**working(Phase.DISCOVERY))
        for _ in range(5):
            rule.calls(*(LOOKS[1] for _ in range(count)))
        rule.call("submit_artifact", SUBMISSIONS[Phase.DISCOVERY])
        script.rules += whole_job().rules
        bench.script(script)
        await bench.run(f"tools-{count}")
        rows.append([count, statistics.median(gaps(bench.models.requests[:6])) * 1000])
    return Table(
        "Tools that a reply asks for run at once",
        ["searches in one reply", "ms from the reply to the next request"],
        rows,
        "grep_search over the repository of the task; model calls without a delay; median of 5.",
    )


def gaps(requests: Sequence[Recorded]) -> list[float]:
    """Seconds from each reply to the request after it."""
    return [later.at - earlier.until for earlier, later in itertools.pairwise(requests)]


async def drafting(bench: Bench, delay: float) -> Table:
    """A job with no, one and three options drafted by agents, each of which looks once."""
    took = []
    for count in DRAFTS:
        script = Script()
        script.when(tool=SUBMIT_OPTION).calls(*LOOKS).call(SUBMIT_OPTION, OPTION)
        script.rules += whole_job().rules
        bench.script(script, delay)
        policy = {**WITHOUT_PEOPLE, "keep_open_seconds": 0, "option_count": max(count, 1)}
        models = {"options": MODEL if count else "none"}
        took.append(await bench.run(f"drafts-{count}", policy=policy, models=models))
        if len(bench.models.requests) != CALLS + 2 * count:
            raise RuntimeError(f"{len(bench.models.requests)} calls with {count} options")
    more = [seconds - took[0] for seconds in took]
    return Table(
        "Options are drafted at once",
        ["options", "model calls for them", "s more than without", "/ calls one after the other"],
        [
            [count, 2 * count, extra, extra / (2 * count * delay) if count else None]
            for count, extra in zip(DRAFTS, more, strict=True)
        ],
        f"Each model call takes {delay:g} s; each agent looks once and hands over.",
    )


# --- restarts ---------------------------------------------------------------------------------------------


async def restarts(bench: Bench) -> Table:
    """A verified job restarted from each phase: what is asked again, and what that would have cost."""
    bench.script(whole_job())
    policy = {**WITHOUT_PEOPLE, "max_restarts": 100}
    job = "restarted"
    await bench.on.client.start_workflow(
        PlanningWorkflow.run, {**bench.task, "policy": policy}, id=job, task_queue=QUEUE
    )
    await verified(bench, job, 1)
    whole = await bench.jobs.record(job)
    first = whole.spent().tokens
    rows = []
    for number, phase in enumerate(WORK_PHASES):
        bench.script(whole_job())
        before = (await bench.jobs.record(job)).spent().tokens
        await bench.jobs.send(job, Message.RESTART_FROM, {"phase": phase, "by": "ann"})
        await verified(bench, job, number + 2)
        record = await bench.jobs.record(job)
        kept = WORK_PHASES[: WORK_PHASES.index(phase)]
        asked = Counter(asked_of(request) for request in bench.models.requests)
        same = all(version(record, each) == version(whole, each) for each in kept)
        again = record.spent().tokens - before
        rows.append(
            [
                phase.name,
                sum(asked[each] for each in kept),
                sum(asked.values()),
                f"{again:,}",
                f"{first - again:,}",
                "yes" if same else "NO",
            ]
        )
        whole = record if phase is WORK_PHASES[0] else whole
    return Table(
        f"Restart of a verified job of {CALLS} model calls",
        [
            "from",
            "calls for kept phases",
            "calls",
            "tokens used",
            "tokens saved",
            "kept digests are the same",
        ],
        rows,
        "Tokens as the scripted server reports them: a quarter of the bytes of a request. Saved: against the "
        "first run.",
    )


def asked_of(request: Recorded) -> Phase:
    """The phase that a request is about."""
    system = request.json["messages"][0]["content"]
    return next(p for p in WORK_PHASES if p.name in system or f"the phase {p} of" in system)


def version(record: JobRecord, phase: Phase) -> str:
    """The digest that stands for a phase."""
    current = record.current(phase)
    return current.digest if current else ""


async def verified(bench: Bench, job: str, times: int) -> JobView:
    """Wait until a job has been verified so many times."""
    while True:
        record = await bench.jobs.record(job)
        reached = sum(e.what.endswith("verified") or e.state == "verified" for e in record.ledger)
        view = await bench.jobs.live_view(job)
        if view.state is State.VERIFIED and reached >= times:
            return view
        if view.hold:
            raise RuntimeError(view.hold.reason)
        await asyncio.sleep(0.05)


# --- histories --------------------------------------------------------------------------------------------


async def long_conversation(bench: Bench, calls: int) -> Table:
    """One agent that looks `calls` times before it hands over: bytes of history per call, early and late."""
    bench.script(long_look(calls))
    await bench.run("long", agents={"max_iterations": calls + 5})
    last = max((r for r in bench.models.requests), key=lambda r: len(r.body))
    events = await history(bench.on.client.get_workflow_handle(f"long.{Phase.DISCOVERY}-1"))
    quarters = [events[len(events) * n // 4 : len(events) * (n + 1) // 4] for n in range(4)]
    rows = [
        [f"quarter {n}", len(part), sum(part) / (calls / 4), max(part) / 1024]
        for n, part in enumerate(quarters, 1)
    ]
    return Table(
        f"A conversation of {calls} tool calls and {len(last.body) // 4:,} tokens",
        ["", "events", "history bytes per call", "largest event, KB"],
        rows,
        f"The last request has {len(last.body):,} bytes; the whole history {sum(events):,}.",
    )


async def history(handle: WorkflowHandle[Any, Any]) -> list[int]:
    """Bytes of each event of the workflow's current run."""
    return [event.ByteSize() async for event in handle.fetch_history_events()]


async def main(delay: float, jobs: int, long: int) -> list[Table]:
    """All of it, on one server and one worker."""
    with ModelServer(Script()) as models:
        os.environ |= models.environment
        async with stage() as on, on.worker(QUEUE) as worker:
            client = JobClient(on.client, on.store, QUEUE)
            bench = Bench(on, client, shop(on.folder), models, worker)
            return [
                await against_the_model(bench, delay, jobs),
                await tools_at_once(bench),
                await drafting(bench, delay),
                await restarts(bench),
                await long_conversation(bench, long),
            ]


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--delay", type=float, default=2.0, help="seconds that each model call takes")
    parser.add_argument("--jobs", type=int, default=1, help="jobs whose time is measured")
    parser.add_argument("--long", type=int, default=100, help="tool calls of the long conversation")
    given = parser.parse_args()
    show(asyncio.run(main(given.delay, given.jobs, given.long)), given.json)
