"""One log event per activity attempt, with job, phase, state, gate and attempt bound; never any contents."""

import time
from typing import Any

import structlog
from temporalio import activity
from temporalio.worker import (
    ActivityInboundInterceptor,
    ExecuteActivityInput,
    Interceptor,
)

from activities.orders import EditOrder, ReviewOrder, WorkOrder
from states.record import JobRecord
from states.words import Stage, State

log = structlog.get_logger("phasegate.activity")


class ActivityEvents(Interceptor):
    """Installed on the worker."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """Wrap each activity."""
        return _Logged(next)


class _Logged(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        info = activity.info()
        bound = log.bind(
            job=info.workflow_id,
            activity=info.activity_type,
            attempt=info.attempt,
            **_place(input.args[0] if input.args else None),
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


def _place(order: object) -> dict[str, str]:
    """Phase, state and gate that an activity works for; nothing where its order does not say."""
    match order:
        case WorkOrder():
            return {"phase": order.phase, "state": State.of(order.phase)}
        case ReviewOrder():
            return {"phase": order.phase, "state": State.of(order.phase, Stage.AI_REVIEW)}
        case EditOrder():
            return {"phase": order.phase, "state": State.of(order.phase, Stage.HUMAN_REVIEW)}
        case JobRecord():
            gate = {"gate": order.gate.id} if order.gate else {}
            return {"phase": order.state.phase or "", "state": order.state, **gate}
        case _:
            return {}
