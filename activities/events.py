"""One log event per activity attempt, with job, phase and attempt bound; never any contents."""

import time
from typing import Any

import structlog
from temporalio import activity
from temporalio.worker import (
    ActivityInboundInterceptor,
    ExecuteActivityInput,
    Interceptor,
)

log = structlog.get_logger("phasegate.activity")


class ActivityEvents(Interceptor):
    """Installed on the worker."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """Wrap each activity."""
        return _Logged(next)


class _Logged(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        info = activity.info()
        order = input.args[0] if input.args else None
        bound = log.bind(
            job=info.workflow_id,
            activity=info.activity_type,
            attempt=info.attempt,
            phase=str(getattr(order, "phase", "") or ""),
        )
        started = time.monotonic()
        try:
            result = await super().execute_activity(input)
        except Exception as error:
            # Told here once, with the attempt; Temporal decides whether there is another.
            bound.warning("activity failed", error=str(error), seconds=round(time.monotonic() - started, 3))
            raise
        bound.info("activity done", seconds=round(time.monotonic() - started, 3))
        return result
