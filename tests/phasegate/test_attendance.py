"""Whether somebody does the work of a job: also that of its executions and agents."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest
from temporalio.api.enums.v1 import PendingActivityState, PendingWorkflowTaskState
from temporalio.api.taskqueue.v1 import PollerInfo
from temporalio.api.workflow.v1 import PendingActivityInfo, PendingChildExecutionInfo, PendingWorkflowTaskInfo
from temporalio.api.workflowservice.v1 import DescribeTaskQueueResponse, DescribeWorkflowExecutionResponse
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from phasegate.attendance import LATE, NOBODY, trouble_with

Told = DescribeWorkflowExecutionResponse
Waits = Callable[..., Told]
PARENT = Told(pending_children=[PendingChildExecutionInfo(workflow_id="job.act-1")])


class Server:
    """What a server tells of workflows, and of the workers that ask it for tasks."""

    status = RPCStatusCode.NOT_FOUND

    def __init__(self, told: dict[str, Told], *polled: timedelta) -> None:
        self.told, self.polled = told, polled
        self.workflow_service, self.namespace = self, "default"

    def get_workflow_handle(self, workflow: str) -> Any:
        async def describe() -> Any:
            if workflow not in self.told:
                raise RPCError("gone", self.status, b"")
            return SimpleNamespace(raw_description=self.told[workflow])

        return SimpleNamespace(describe=describe)

    async def describe_task_queue(self, _: Any) -> DescribeTaskQueueResponse:
        answer = DescribeTaskQueueResponse()
        for number, ago in enumerate(self.polled):
            poller = PollerInfo(identity=f"worker {number}")
            poller.last_access_time.FromDatetime(datetime.now(UTC) - ago)
            answer.pollers.append(poller)
        return answer


def activity(*, ago: timedelta, started: bool = False) -> Told:
    """A workflow one of whose activities was put on the queue so long ago."""
    states = PendingActivityState
    state = states.PENDING_ACTIVITY_STATE_STARTED if started else states.PENDING_ACTIVITY_STATE_SCHEDULED
    waiting = PendingActivityInfo(activity_id="1", state=state)
    waiting.scheduled_time.FromDatetime(datetime.now(UTC) - ago)
    return Told(pending_activities=[waiting])


def task(*, ago: timedelta, attempt: int = 1) -> Told:
    """A workflow that has a task to be decided on."""
    state = PendingWorkflowTaskState.PENDING_WORKFLOW_TASK_STATE_SCHEDULED
    waiting = PendingWorkflowTaskInfo(state=state, attempt=attempt)
    waiting.scheduled_time.FromDatetime(datetime.now(UTC) - ago)
    return Told(pending_workflow_task=waiting)


async def trouble(told: dict[str, Told], *polled: timedelta) -> str:
    """What is said of the job."""
    return await trouble_with(cast(Client, Server(told, *polled)), "job")


@pytest.mark.parametrize("late", [activity, task])
async def test_work_that_nobody_takes_is_noticed_in_the_job_and_in_what_it_waits_for(late: Waits) -> None:
    assert await trouble({"job": late(ago=LATE * 2)}) == NOBODY
    assert await trouble({"job": PARENT, "job.act-1": late(ago=LATE * 2)}) == NOBODY


@pytest.mark.parametrize("waits", [activity, task])
async def test_work_that_has_just_come_is_no_trouble(waits: Waits) -> None:
    assert await trouble({"job": waits(ago=timedelta(0))}) == ""
    assert await trouble({"job": PARENT, "job.act-1": waits(ago=timedelta(0))}) == ""


async def test_work_that_is_being_done_is_no_trouble() -> None:
    begun = activity(ago=LATE * 9, started=True)
    assert await trouble({"job": begun}) == ""
    assert await trouble({"job": PARENT, "job.act-1": begun}) == ""


async def test_a_step_that_waits_for_a_busy_worker_is_no_trouble_and_for_a_dead_one_is() -> None:
    told = {"job": PARENT, "job.act-1": activity(ago=LATE * 2)}
    assert await trouble(told, timedelta(seconds=20)) == ""
    assert await trouble(told, timedelta(minutes=3)) == NOBODY


async def test_a_worker_that_fails_on_it_is_told_of_and_what_has_gone_is_not() -> None:
    failing = task(ago=timedelta(0), attempt=4)
    assert "fails on it (4 attempts)" in await trouble({"job": PARENT, "job.act-1": failing})
    assert await trouble({"job": PARENT}) == ""
    assert await trouble({}) == ""


@pytest.mark.parametrize("status", [RPCStatusCode.UNAVAILABLE, RPCStatusCode.DEADLINE_EXCEEDED])
async def test_a_server_that_restarts_ends_no_watching(status: RPCStatusCode) -> None:
    server = Server({})
    server.status = status
    assert await trouble_with(cast(Client, server), "job") == ""
    server.status = RPCStatusCode.PERMISSION_DENIED
    with pytest.raises(RPCError):
        await trouble_with(cast(Client, server), "job")
