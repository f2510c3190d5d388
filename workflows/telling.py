"""How an execution tells its job how far it is and what waits for people: one message at a time."""

import asyncio
import contextlib
from datetime import timedelta

from temporalio import workflow
from temporalio.exceptions import FailureError

with workflow.unsafe.imports_passed_through():
    import workflows.patience as patience
    from states.act import Report
    from states.artifacts.plan import Plan
    from states.carrying import may_be_overtaken, report_of
    from states.execution import Execution
    from workflows.patches import RESTS_UNDISTURBED

PROGRESS = "execution_progress"
"""the signal to the job: how far its execution is, and what waits"""

ASKS_AT_ONCE = "asks-at-once"
"""the patch since which people are asked, and heard, while other steps go on"""

TELLS_ALL = "tells-all"
"""the patch since which what ends while a message is on its way is told behind it"""


class Telling:
    """Messages to the job of one run of an execution."""

    def __init__(self) -> None:
        self._now: asyncio.Task[None] | None = None

    def begin(self, execution: Execution, plan: Plan) -> None:
        """Let the job know; while one message is on its way, the next one waits for news."""
        if self._now is None or self._now.done():
            self._now = asyncio.create_task(_told(execution, plan))

    def begun(self) -> bool:
        """Whether there was anything to tell."""
        return self._now is not None

    async def ended(self) -> None:
        """Wait until all is told; it is told also where the waiting is cancelled."""
        if self._now is None:
            return
        try:
            await asyncio.shield(self._now)
        except asyncio.CancelledError:
            if not self._now.done() and not workflow.patched(RESTS_UNDISTURBED):
                self._now.cancel()
            raise


async def _told(execution: Execution, plan: Plan) -> None:
    job = workflow.info().parent
    if job is None:
        return
    handle = workflow.get_external_workflow_handle(job.workflow_id)
    news = True
    while news:
        if _overtaken(execution, plan, patience.MAY_ASK_FIRST) and workflow.patched(ASKS_AT_ONCE):
            with contextlib.suppress(TimeoutError):
                await workflow.wait_condition(
                    lambda: not _overtaken(execution, plan, patience.MAY_ASK_FIRST),
                    timeout=patience.MAY_ASK_FIRST,
                )
        report = report_of(execution, plan, workflow.now())
        # The job may be gone; then nobody needs to know.
        with contextlib.suppress(FailureError):
            await handle.signal(PROGRESS, report)
        news = _is_news(report_of(execution, plan, workflow.now()), report)


def _is_news(now: Report, told: Report) -> bool:
    """Whether more is to be told: people are not asked late because another message was on its way."""
    if now.asks != told.asks and workflow.patched(ASKS_AT_ONCE):
        return True
    return now.at != told.at and workflow.patched(TELLS_ALL)


def _overtaken(execution: Execution, plan: Plan, within: timedelta) -> bool:
    """Whether people might be asked in another order than the plan's, if they were asked now."""
    return may_be_overtaken(execution, plan, workflow.now() - within)
