"""The product's worker as a process that stops before or after an agent's calls where a test has laid a file.

A place is `JOB.AGENT.call-N.before` or `.after` for the agent's N-th model call, and
`JOB.AGENT.TOOL-INDEX.before` or `.after` for a tool of a reply. Before: the activity was begun and nothing is
done. After: what it gives is kept, and nobody has been told. While `FOLDER/PLACE.hold` is there the activity
waits, having made `.reached` beside it; having passed it makes `.passed`.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import temporalio.client
import temporalio.worker
from temporalio.client import Client
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput

from activities.agent_orders import CallOrder, ToolOrder
from activities.heartbeat import beating
from activities.models.provider import LiteLlmProvider
from activities.store import Store, open_store
from phasegate.settings import Settings
from worker import build_worker, connect, wired


class Holds(temporalio.client.Interceptor, temporalio.worker.Interceptor):
    """Stops activities of agents. A worker takes it over from its client."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.folder = folder
        self.store = store

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """Wrap each activity."""
        return _Held(next, self)

    async def stop(self, place: str) -> None:
        """Wait for as long as the file of a place is there."""
        await stop_at(self.folder, place)

    async def place_of(self, order: object) -> str:
        """Where an agent is that begins this; blank for other activities."""
        match order:
            case CallOrder():
                return f"{await self._agent(order.order)}.call-{order.number}"
            case ToolOrder():
                message = await self._read(order.message)
                name = message["tool_calls"][order.index]["function"]["name"]
                return f"{await self._agent(order.order)}.{name}-{order.index}"
            case _:
                return ""

    async def _agent(self, order: str) -> str:
        read = await self._read(order)
        return f"{read['job']}.{read['agent']}"

    async def _read(self, digest: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(await self.store.get(digest))
        return found


class _Held(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, holds: Holds) -> None:
        super().__init__(next)
        self._holds = holds

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        place = await self._holds.place_of(input.args[0])
        if not place:
            return await super().execute_activity(input)
        await self._holds.stop(f"{place}.before")
        result = await super().execute_activity(input)
        async with beating():
            # Else the server gives up an attempt that is held for long, and another is held in its place.
            await self._holds.stop(f"{place}.after")
        return result


async def stop_at(folder: Path, place: str) -> None:
    """Wait for as long as the file of a place is there."""
    hold = folder / f"{place}.hold"
    if hold.exists():
        hold.with_suffix(".reached").touch()
    while hold.exists():
        await asyncio.sleep(0.02)
    hold.with_suffix(".passed").touch()


def run(folder: Path, environment: Mapping[str, str]) -> None:
    """Be the worker, in a process that was forked for it; its output goes to `worker.log`."""
    os.environ.update(environment)
    log = os.open(folder / "worker.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(log, stream.fileno())
    asyncio.run(main(folder))


async def main(folder: Path) -> None:
    """Run until SIGTERM. Settings and models come from the environment."""
    settings = Settings.load()
    provider = LiteLlmProvider()
    await provider.warm()
    config = (await connect(settings)).temporal.config()
    config["interceptors"] = [Holds(folder, open_store(settings.store))]
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with build_worker(Client(**config), settings, *wired(settings, provider)):
        (folder / f"worker-{os.getpid()}.ready").touch()
        await stop.wait()
