"""How long each activity of a worker takes, by its name and phase."""

import time
from collections import defaultdict
from typing import Any

import temporalio.client
import temporalio.worker
from temporalio import activity
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput

Key = tuple[str, str]


class Stopwatch(temporalio.client.Interceptor, temporalio.worker.Interceptor):
    """Seconds by activity and phase (blank where there is none). A worker takes it over from its client."""

    def __init__(self) -> None:
        self.seconds: dict[Key, float] = defaultdict(float)

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """Wrap each activity."""
        return _Timed(next, self.seconds)


class _Timed(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, seconds: dict[Key, float]) -> None:
        super().__init__(next)
        self._seconds = seconds

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        key = (activity.info().activity_type, str(getattr(input.args[0], "phase", "")))
        began = time.perf_counter()
        try:
            return await super().execute_activity(input)
        finally:
            self._seconds[key] += time.perf_counter() - began
