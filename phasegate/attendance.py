"""Is somebody there to do the work: workers that ask for tasks, and tasks that wait for a worker."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from temporalio.api.enums.v1 import PendingActivityState, PendingWorkflowTaskState, TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.service import RPCError, RPCStatusCode

if TYPE_CHECKING:
    from google.protobuf.timestamp_pb2 import Timestamp
    from temporalio.client import Client

LATE = timedelta(seconds=8)
"""how long a task may wait before it is said that nobody takes it"""
_TOO_OFTEN = 3
"""attempts of one task after which it is said that they fail"""
_ASKS_EVERY = timedelta(seconds=75)
"""a living worker asks the server for work at least this often; the server remembers a dead one longer"""


async def workers_of(client: "Client", task_queue: str) -> list[str]:
    """The identities of the workers that take jobs from this queue."""
    answer = await client.workflow_service.describe_task_queue(
        DescribeTaskQueueRequest(
            namespace=client.namespace,
            task_queue=TaskQueue(name=task_queue),
            task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
        )
    )
    return sorted({p.identity for p in answer.pollers if _age(p.last_access_time) < _ASKS_EVERY})


async def trouble_with(client: "Client", job: str) -> str:
    """Why nothing happens to a job that should be worked on, in a few words; empty when all is well."""
    try:
        told = (await client.get_workflow_handle(job).describe()).raw_description
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return ""
        raise
    waiting = [a.scheduled_time for a in told.pending_activities if a.state == _SCHEDULED_ACTIVITY]
    if told.HasField("pending_workflow_task"):
        task = told.pending_workflow_task
        if task.attempt >= _TOO_OFTEN:
            return f"its worker fails on it ({task.attempt} attempts); the worker's log says why"
        if task.state == _SCHEDULED_TASK:
            waiting.append(task.scheduled_time)
    return "no worker takes it up" if any(_age(since) > LATE for since in waiting) else ""


_SCHEDULED_ACTIVITY = PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED
_SCHEDULED_TASK = PendingWorkflowTaskState.PENDING_WORKFLOW_TASK_STATE_SCHEDULED


def _age(at: "Timestamp") -> timedelta:
    return datetime.now(UTC) - at.ToDatetime(tzinfo=UTC)
