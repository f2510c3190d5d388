"""Follow what happens to a job by its event history: no polling, no cost to the job."""

from collections.abc import AsyncIterator
from typing import NamedTuple

from temporalio.api.enums.v1 import EventType
from temporalio.api.history.v1 import HistoryEvent
from temporalio.client import Client, WorkflowExecutionStatus
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


class Length(NamedTuple):
    """How far the history of a job has come: its newest run, the events of that, whether it has closed."""

    run: str
    events: int
    closed: bool


async def length_of(client: Client, job: str) -> Length | None:
    """Asks the server and not the job, so it may be asked often. None where no answer comes."""
    try:
        told = await client.get_workflow_handle(job).describe()
    except RPCError:
        return None
    assert told.run_id is not None, "the server describes one run"
    return Length(told.run_id, told.history_length, told.status is not WorkflowExecutionStatus.RUNNING)
