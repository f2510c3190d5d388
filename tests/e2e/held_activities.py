"""A worker whose activities wait where a test says so, so that more happens before they have begun."""

import asyncio
from collections import defaultdict
from typing import Any

import temporalio.client
import temporalio.worker
from temporalio import activity
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput

from activities.heartbeat import beating


class HeldActivities(temporalio.client.Interceptor, temporalio.worker.Interceptor):
    """A worker takes it over from its client. Regular and local activities, by their names."""

    def __init__(self, *names: str) -> None:
        self._free: dict[str, asyncio.Event] = {}
        self._reached: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
        for name in names:
            self.hold(name)

    def hold(self, name: str) -> None:
        """From now on every activity of this name waits."""
        self._free[name] = asyncio.Event()
        self._reached[name].clear()

    def release(self, name: str) -> None:
        """Let those that wait go on, and those that come."""
        self._free.pop(name).set()

    async def reached(self, name: str) -> None:
        """Wait until one waits."""
        await asyncio.wait_for(self._reached[name].wait(), 30)

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """Wrap each activity."""
        return _Held(next, self)

    async def pass_by(self, name: str) -> None:
        """Wait as long as it is held."""
        if free := self._free.get(name):
            self._reached[name].set()
            await free.wait()


class _Held(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, holds: HeldActivities) -> None:
        super().__init__(next)
        self._holds = holds

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        async with beating():
            await self._holds.pass_by(activity.info().activity_type)
        return await super().execute_activity(input)
