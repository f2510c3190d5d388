"""Plans one experiment: starts its run or finds it, follows it, and writes its files as they come."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from phasegate.cooperbench.interface import FileInterface
from phasegate.problems import Exit, NoWorker, Problem
from states.agents import AgentEnd, Allowance

if TYPE_CHECKING:
    from phasegate.bench_client import BenchClient
    from phasegate.cooperbench.files import Files
    from phasegate.cooperbench.report import BenchReport
    from states.bench import BenchTask
    from states.cooperation import CooperationProgress, CooperationState

LOOK = 0.5
"""seconds between two looks at a run"""
PATIENCE = 30.0
"""seconds without a worker after which nobody waits any longer; the run is kept"""

Tell = Callable[[str], None]
Show = Callable[["CooperationProgress"], None]


class Unfinished(Problem):
    """A run ended without all of its plans."""


class OutOfBudget(Unfinished):
    """A run's budget is used up."""

    code = Exit.BUDGET


async def create_plan(file_interface: FileInterface, max_iterations: int = 25) -> "BenchReport":
    """Plan as the settings of this machine say, and write the files (CooperBench seed, Python API).

    Raises WrongUse, NoServer, NoWorker, and Unfinished when an agent could not go on; the files are there as
    far as it got, and the same call goes on with it.
    """
    from phasegate.bench_client import BenchClient
    from phasegate.settings import Settings

    client = await BenchClient.connect(Settings.load())
    report = await Planner(client, tell=print).plan(file_interface, max_iterations)
    for line in report.lines():
        print(line)
    raise_unfinished(report)
    return report


def raise_unfinished(report: "BenchReport") -> None:
    """Raises Unfinished, naming the first agent that could not go on."""
    for agent in report.agents:
        if agent.end is AgentEnd.BUDGET:
            raise OutOfBudget(f"{agent.agent}: {agent.reason}; the same command with a larger budget goes on")
        if agent.end is not AgentEnd.SUBMITTED:
            why = ", ".join(filter(None, (agent.end or "not finished", agent.reason.rstrip("."))))
            raise Unfinished(f"{agent.agent}: {why}; the same command goes on with it")
    if not report.settled:
        raise Unfinished(f"run {report.run} has ended without plans; the same command goes on with it")


@dataclass
class Planner:
    """Plans experiments over one connection."""

    client: "BenchClient"
    tell: Tell
    """a line for people"""
    show: Show = lambda _: None
    """how far a run is, again and again"""
    allowance: Allowance = field(default_factory=Allowance)

    async def plan(self, given: FileInterface, max_iterations: int = 25) -> "BenchReport":
        """Everything for one experiment, the upload included."""
        from phasegate.cooperbench.dataset import read_task
        from phasegate.cooperbench.files import Files
        from phasegate.cooperbench.report import report_of
        from phasegate.cooperbench.upload import upload

        task = await asyncio.to_thread(read_task, given, max_iterations)
        files = Files(self.client, given, task)
        how, state = await self._found(given, task)
        if state is None:
            state = await self._follow(task, files)
        await files.write(state)
        report = report_of(given, task, state, how)
        if given.save_to_hf and state.settled:
            report = report.model_copy(update={"upload": await asyncio.to_thread(upload, given)})
        return report

    async def _found(self, given: FileInterface, task: "BenchTask") -> "tuple[str, CooperationState | None]":
        """What is done about the run, and its state when it is finished. Nothing is paid twice."""
        from phasegate.bench_client import RunStatus
        from phasegate.cooperbench.files import known_metadata

        status, state = await self.client.find(task)
        match status:
            case RunStatus.DONE:
                self.tell(f"planned before with the same parameters; nothing is paid again: {task.run}")
                return "taken", state
            case RunStatus.RUNNING:
                self.tell(f"runs already; attached to {task.run}")
                return "attached", None
            case RunStatus.RESTS:
                self.tell(f"stopped before its end; goes on with {task.run}")
            case RunStatus.NEW:
                known = known_metadata(given)
                if known and known.get("run") not in (None, task.run):
                    self.tell("the files of another run with this k are replaced")
                self.tell(f"started {task.run}")
        await self.client.begin(task, self.allowance, state)
        return ("started" if status is RunStatus.NEW else "continued"), None

    async def _follow(self, task: "BenchTask", files: "Files") -> "CooperationState":
        """Wait for the end; write what there is as it comes."""
        ending = asyncio.ensure_future(self.client.result(task.run))
        seen, answered = -1, time.monotonic()
        try:
            while not (await asyncio.wait({ending}, timeout=LOOK))[0]:
                try:
                    progress = await self.client.progress(task.run)
                except Problem as problem:
                    # the run may just be ending, or its worker starting anew
                    if time.monotonic() - answered > PATIENCE:
                        raise NoWorker(
                            f"{problem}; run {task.run} is kept, the same command attaches to it"
                        ) from None
                    continue
                answered = time.monotonic()
                self.show(progress)
                if progress.events != seen and files.due:
                    seen = progress.events
                    await files.write(await self.client.state(task.run))
            return ending.result()
        finally:
            ending.cancel()
