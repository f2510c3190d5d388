"""The product's worker as a process that stops before or after activities of Act where a test laid a file.

    python -m tests.e2e.act_worker FOLDER _

A place is `EXECUTION.ACTIVITY.before` or `.after`, with `.STEP` behind the activity where it is one step's.
Before: the activity was begun and nothing is done. After: all is done, and nobody has been told.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

import temporalio.client
import temporalio.worker
from temporalio import activity
from temporalio.client import Client
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput

from activities.execution_orders import ExecutionOrder, LandOrder, RollbackOrder, StepOrder
from activities.models.provider import LiteLlmProvider
from phasegate.settings import Settings
from tests.confinement import CONFINED
from tests.e2e.agent_worker import stop_at
from worker import build_worker, connect, wired


class Holds(temporalio.client.Interceptor, temporalio.worker.Interceptor):
    """Stops activities of executions. A worker takes it over from its client."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """Wrap each activity."""
        return _Held(next, self.folder)


class _Held(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, folder: Path) -> None:
        super().__init__(next)
        self._folder = folder

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        place = place_of(input.args[0])
        if not place:
            return await super().execute_activity(input)
        await stop_at(self._folder, f"{place}.before")
        result = await super().execute_activity(input)
        await stop_at(self._folder, f"{place}.after")
        return result


def place_of(order: object) -> str:
    """Where an execution is that begins this; blank for other activities."""
    name = activity.info().activity_type
    match order:
        case StepOrder():
            return f"{order.at.execution}.{name}.{order.step}"
        case LandOrder() | RollbackOrder():
            return f"{order.at.execution}.{name}"
        case ExecutionOrder():
            return f"{order.execution}.{name}"
        case _:
            return ""


async def main(folder: Path) -> None:
    """Run until SIGTERM. Settings come from the environment."""
    visible = (Path(sys.prefix), Path(sys.base_prefix))
    settings = Settings.load(command_paths=visible, unconfined_commands=not CONFINED)
    config = (await connect(settings)).temporal.config()
    config["interceptors"] = [Holds(folder)]
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with build_worker(Client(**config), settings, *wired(settings, LiteLlmProvider())):
        (folder / f"worker-{os.getpid()}.ready").touch()
        await stop.wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
