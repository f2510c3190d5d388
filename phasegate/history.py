"""Follow what happens to a job by its event history: no polling, no cost to the job."""

from collections.abc import AsyncIterator

from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

TELLING = (
    EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED,
    EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
    EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
    EventType.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED,
    EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED,
)
"""events after which the job may look different"""


async def follow_events(client: Client, job: str) -> AsyncIterator[HistoryEvent]:
    """Telling events of all runs of a job, as they happen, until it has closed."""
    run = (await client.get_workflow_handle(job).describe()).run_id
    while run:
        following = ""
        handle = client.get_workflow_handle(job, run_id=run)
        last = 0
        while True:
            try:
                async for event in handle.fetch_history_events(wait_new_event=True):
                    if event.event_id <= last:
                        continue
                    last = event.event_id
                    if event.event_type == EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW:
                        following = (
                            event.workflow_execution_continued_as_new_event_attributes.new_execution_run_id
                        )
                    if event.event_type in TELLING:
                        yield event
                break
            except RPCError as error:
                # The long poll ends with a server that restarts; the history goes on where it was.
                if error.status not in (RPCStatusCode.UNAVAILABLE, RPCStatusCode.DEADLINE_EXCEEDED):
                    raise
        run = following
