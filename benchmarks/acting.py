"""Carrying plans out: twenty steps against their critical path, a step against a shell script, and how fast a
pause ends what runs.

    python -m benchmarks.acting [--steps N] [--pauses N]

Real commands in real worktrees, through the product's worker on the embedded server.
"""

import asyncio
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from temporalio.client import Client, WorkflowHandle

from activities.execution.plans import Plans
from activities.execution_orders import ActOrder, CommandRules
from activities.models.provider import LiteLlmProvider
from activities.payloads import data_converter
from activities.store import Store, open_store
from activities.workspace import Workspaces
from benchmarks.generated_repository import generate, git
from benchmarks.stage import stage
from benchmarks.table import Table, arguments, show
from phasegate.logs import configure_logs
from phasegate.settings import Settings
from states.act import ActEnd, ActOutcome
from states.artifacts.plan import Plan, PlanStep, StepType
from states.workspace import WorkspaceRef
from worker import build_worker, wired
from workflows.execution import STOP, ExecutionWorkflow

QUEUE = "acting"
WORK = "sh work.sh {n}"
INDEPENDENT, CHAINED = 16, 4
"""steps of the large plan: these run side by side, then those one after the other"""


@dataclass
class Bench:
    """A worker and a repository to act on."""

    client: Client
    store: Store
    workspace: WorkspaceRef
    source: Path
    runs: int = 0

    async def begin(self, *steps: PlanStep) -> WorkflowHandle[Any, ActOutcome]:
        """Start an execution of these steps."""
        self.runs += 1
        job = f"bench-{self.runs}"
        order = ActOrder(
            job=job,
            execution=f"{job}.act-1",
            workspace=self.workspace,
            branch=f"phasegate/{job}",
            plan=await Plans(self.store).put(Plan(title="Plan", steps=steps)),
            rules=CommandRules(allow=("sh *", "touch *")),
        )
        return await self.client.start_workflow(
            ExecutionWorkflow.run, order, id=order.execution, task_queue=QUEUE
        )

    async def seconds(self, *steps: PlanStep) -> float:
        """How long these steps take from start to end. Raises RuntimeError when one fails."""
        began = time.monotonic()
        outcome = await (await self.begin(*steps)).result()
        if outcome.end is not ActEnd.COMPLETED:
            raise RuntimeError(f"{outcome.end}: {outcome.reason or outcome.errors}")
        return time.monotonic() - began


@asynccontextmanager
async def bench(files: int) -> AsyncIterator[Bench]:
    """A worker of the product on an embedded server, and a generated repository of about so many files."""
    async with stage() as here:
        source = here.folder / "source"
        generate(source, files)
        (source / "work.sh").write_text('sleep 1\necho "$1" > "made-$1"\n')
        git(source, "add", "-A")
        git(source, "commit", "-q", "-m", "Work")
        settings = Settings(state_dir=here.folder / "state", task_queue=QUEUE, drain_seconds=0)
        store = open_store(settings.store)
        client = await Client.connect(here.server.address, data_converter=data_converter(store))
        opened = await Workspaces(settings.workspaces).open("bench", str(source))
        async with build_worker(client, settings, *wired(settings, LiteLlmProvider())):
            yield Bench(client, store, opened.ref, source)


def command(id: str, words: str, *after: str) -> PlanStep:
    """A step that runs a command."""
    return PlanStep(
        id=id,
        title=id,
        type=StepType.SHELL_COMMAND,
        action=words,
        command=words,
        dependencies=after,
    )


def large_plan(words: str) -> tuple[PlanStep, ...]:
    """Sixteen steps side by side, then four one after the other; `{n}` in the words is a step's number."""
    wide = [command(f"w{n}", words.format(n=n)) for n in range(INDEPENDENT)]
    chain = [
        command(f"c{n}", words.format(n=INDEPENDENT + n), *([f"c{n - 1}"] if n else [w.id for w in wide]))
        for n in range(CHAINED)
    ]
    return *wide, *chain


def scripted(source: Path, words: list[str]) -> float:
    """Seconds that a shell takes for the same commands, one after the other."""
    began = time.monotonic()
    subprocess.run(["sh", "-ec", "\n".join(words)], cwd=source, check=True)
    return time.monotonic() - began


async def pause(at: Bench) -> float:
    """Seconds from the signal to stop until the execution rests, in the middle of a command."""
    handle = await at.begin(command("long", "sleep 60"))
    await asyncio.sleep(1.5)
    began = time.monotonic()
    await handle.signal(STOP)
    outcome = await handle.result()
    if outcome.end is not ActEnd.STOPPED:
        raise RuntimeError(f"{outcome.end}: {outcome.reason}")
    return time.monotonic() - began


async def measure(steps: int, pauses: int, files: int) -> list[Table]:
    """All figures."""
    async with bench(files) as at:
        await at.seconds(command("warm", "true"))
        path = 1.0 + CHAINED
        large = [
            (what, await at.seconds(*large_plan(words)))
            for what, words in (("that change nothing", "sleep 1"), ("that each write a file", WORK))
        ]
        chain = [f"touch made-{n}" for n in range(steps)]
        serial = await at.seconds(
            *(command(f"s{n}", words, *([f"s{n - 1}"] if n else [])) for n, words in enumerate(chain))
        )
        bare = scripted(at.source, chain)
        stops = sorted([await pause(at) for _ in range(pauses)])
    return [
        Table(
            "Twenty steps of one second, sixteen of them side by side",
            ["steps", "seconds", "critical path", "ratio"],
            [[f"{INDEPENDENT} + {CHAINED} {what}", took, path, took / path] for what, took in large],
            "From the start of the execution's workflow to its end, summary and patch included.",
        ),
        Table(
            "One step against a shell script",
            ["steps", "phasegate ms per step", "shell ms per command", "ms more"],
            [[steps, 1000 * serial / steps, 1000 * bare / steps, 1000 * (serial - bare) / steps]],
            "One after the other; each step commits, keeps the whole tree and a bundle in the store.",
        ),
        Table(
            "From pause to stopped",
            ["pauses", "p50 s", "p95 s", "most s"],
            [[pauses, stops[len(stops) // 2], stops[int(len(stops) * 0.95)], stops[-1]]],
            "From the signal to the execution's workflow to its rest: process group gone, tree put back.",
        ),
    ]


def main() -> None:
    """Measure and print."""
    parser = arguments(__doc__)
    parser.add_argument("--steps", type=int, default=20, help="steps of the chain")
    parser.add_argument("--pauses", type=int, default=20, help="pauses in the middle of a command")
    parser.add_argument("--files", type=int, default=400, help="files of the repository")
    given = parser.parse_args()
    configure_logs("warning", "console")
    show(asyncio.run(measure(given.steps, given.pauses, given.files)), given.json)


if __name__ == "__main__":
    main()
