"""The activities of ExecutionWorkflow: make ready, run a step, land it, roll back, sum up, leave.

Nothing heavy is imported here: workflows name these activities, and whoever starts or shows a job imports
workflows. The work itself is `activities.execution.executor`.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from pydantic import ValidationError
from temporalio import activity

from activities.execution_orders import (
    ExecutionOrder,
    Landed,
    LandOrder,
    Live,
    Opened,
    OpenOrder,
    Prepared,
    RollbackOrder,
    StepOrder,
    Summary,
)
from activities.heartbeat import beating
from states.execution import Execution, StepResult

BEAT = 0.25
"""seconds between heartbeats of a step: a request to stop arrives with the answer to one"""


class Shown(Protocol):
    """A command on its way: the end of what it printed, how many bytes that was, and for how long."""

    @property
    def tail(self) -> str: ...
    @property
    def seconds(self) -> float: ...

    printed: int


class Executor(Protocol):
    """Who carries plans out. Failures are ApplicationErrors that say whether another try may help."""

    async def open(self, order: OpenOrder) -> Opened:
        """The plan in outline, and the execution to go on with."""
        ...

    async def keep(self, execution: Execution) -> str:
        """Keep how far an execution is; gives the digest."""
        ...

    async def prepare(self, order: ExecutionOrder) -> Prepared:
        """Have the worktree on its branch as the order says, on an empty disk too."""
        ...

    async def run_step(self, order: StepOrder, started: Callable[[Shown], None]) -> StepResult:
        """Carry out one step, having told `started` of its command. Cancelled, all of it has ended."""
        ...

    async def land(self, order: LandOrder) -> Landed:
        """Merge steps that ran beside each other into branch and tree."""
        ...

    async def roll_back(self, order: RollbackOrder) -> Prepared:
        """Bring branch and whole tree back, or refuse."""
        ...

    async def summarise(self, order: ExecutionOrder) -> Summary:
        """What the execution has changed in all."""
        ...

    async def leave(self, order: ExecutionOrder) -> None:
        """Remove the worktrees."""
        ...


class ExecutionActivities:
    """Everything that carrying out a plan does outside of its workflow."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    @activity.defn
    async def open_plan(self, order: OpenOrder) -> Opened:
        """The plan in outline, and the execution to go on with."""
        async with beating():
            return await self._executor.open(order)

    @activity.defn
    async def keep_execution(self, execution: Execution) -> str:
        """Keep how far an execution is; gives the digest."""
        return await self._executor.keep(execution)

    @activity.defn
    async def prepare_execution(self, order: ExecutionOrder) -> Prepared:
        """Have the worktree on its branch as the order says, on an empty disk too."""
        async with beating():
            return await self._executor.prepare(order)

    @activity.defn
    async def run_step(self, order: StepOrder) -> StepResult:
        """Carry out one step. Heartbeats tell how it goes; a cancellation ends it within a second."""
        lost = _lost()
        async with _telling(order.step, lost) as shown:
            result = await self._executor.run_step(order, shown.append)
        # What was not run again, but remembered, has its time.
        counted = result.seconds is not None and shown
        return result.model_copy(update={"seconds": (result.seconds or 0.0) + lost}) if counted else result

    @activity.defn
    async def land_steps(self, order: LandOrder) -> Landed:
        """Merge steps that ran beside each other into branch and tree."""
        async with beating():
            return await self._executor.land(order)

    @activity.defn
    async def roll_back(self, order: RollbackOrder) -> Prepared:
        """Bring branch and whole tree back. Refused when the branch is not where the job knows it to be."""
        async with beating():
            return await self._executor.roll_back(order)

    @activity.defn
    async def summarise_execution(self, order: ExecutionOrder) -> Summary:
        """What the execution has changed in all."""
        async with beating():
            return await self._executor.summarise(order)

    @activity.defn
    async def leave_execution(self, order: ExecutionOrder) -> None:
        """Remove the worktrees. The branch stays: in its repository here, and in the store."""
        async with beating():
            await self._executor.leave(order)


def _lost() -> float:
    """Seconds that the step has run on workers that were lost, as far as they have said."""
    for details in activity.info().heartbeat_details:
        with contextlib.suppress(ValidationError):
            return Live.model_validate(details).seconds
    return 0.0


@contextlib.asynccontextmanager
async def _telling(step: str, lost: float) -> AsyncIterator[list[Shown]]:
    """Heartbeat with the end of what the step's command has printed so far; the command is put into the list.

    `lost`: seconds that it ran before, on workers that were lost.
    """
    shown: list[Shown] = []

    async def beat() -> None:
        while True:
            command = shown[-1] if shown else None
            activity.heartbeat(
                Live(
                    step=step,
                    tail=command.tail if command else "",
                    printed=command.printed if command else 0,
                    seconds=round(lost + (command.seconds if command else 0.0), 1),
                )
            )
            await asyncio.sleep(BEAT)

    task = asyncio.create_task(beat())
    try:
        yield shown
    finally:
        task.cancel()
