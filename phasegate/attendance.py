"""Is somebody there to do the work: workers that ask for tasks, and tasks that wait for a worker."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from temporalio.api.enums.v1 import PendingActivityState, PendingWorkflowTaskState, TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflow.v1 import PendingActivityInfo
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest, DescribeWorkflowExecutionResponse
from temporalio.service import RPCError, RPCStatusCode

if TYPE_CHECKING:
    from google.protobuf.timestamp_pb2 import Timestamp
    from temporalio.client import Client

LATE = timedelta(seconds=8)
"""how long a task may wait before it is said that nobody takes it"""
NOBODY = "no worker takes it up"
HELP = "start one with `phasegate worker` or `phasegate dev`"
"""what to do when nobody works"""
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
    """Why nothing happens to a job that should be worked on, in a few words; empty when all is well.

    Empty too while the server cannot be asked: who follows a job outlasts a restart of the server.
    """
    try:
        return await _trouble(client, job)
    except RPCError as error:
        if error.status in (RPCStatusCode.UNAVAILABLE, RPCStatusCode.DEADLINE_EXCEEDED):
            return ""
        raise


async def _trouble(client: "Client", job: str) -> str:
    told = await _told(client, job)
    if told is None:
        return ""
    late = [a for a in told.pending_activities if _late_activity(a)]
    if trouble := _trouble_of_task(told) or (NOBODY if late else ""):
        return trouble
    for child in told.pending_children:
        # An execution or an agent: the job itself only waits for it.
        if trouble := await _trouble_of_child(client, child.workflow_id):
            return trouble
    return ""


async def _trouble_of_child(client: "Client", child: str) -> str:
    told = await _told(client, child)
    if told is None:
        return ""
    if trouble := _trouble_of_task(told):
        return trouble
    if not any(_late_activity(each) for each in told.pending_activities):
        return ""
    # Steps take minutes each, so one that waits for a busy worker is as late as one that nobody takes.
    queue = told.execution_config.task_queue.name
    return "" if await workers_of(client, queue) else NOBODY


async def _told(client: "Client", workflow: str) -> DescribeWorkflowExecutionResponse | None:
    try:
        return (await client.get_workflow_handle(workflow).describe()).raw_description
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return None
        raise


def _trouble_of_task(told: DescribeWorkflowExecutionResponse) -> str:
    if not told.HasField("pending_workflow_task"):
        return ""
    task = told.pending_workflow_task
    if task.attempt >= _TOO_OFTEN:
        return f"its worker fails on it ({task.attempt} attempts); the worker's log says why"
    return NOBODY if task.state == _SCHEDULED_TASK and _age(task.scheduled_time) > LATE else ""


def _late_activity(activity: PendingActivityInfo) -> bool:
    return activity.state == _SCHEDULED_ACTIVITY and _age(activity.scheduled_time) > LATE


_SCHEDULED_ACTIVITY = PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED
_SCHEDULED_TASK = PendingWorkflowTaskState.PENDING_WORKFLOW_TASK_STATE_SCHEDULED


def _age(at: "Timestamp") -> timedelta:
    return datetime.now(UTC) - at.ToDatetime(tzinfo=UTC)
