"""`temporal workflow cancel` in moments in which a job or its execution waits for something else."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from temporalio.api.enums.v1 import EventType, WorkflowTaskFailedCause
from temporalio.client import WorkflowExecutionStatus, WorkflowHandle

from states.act import ActEnd
from states.words import Message, State
from tests.e2e.acting_stage import acting_stage
from tests.e2e.asked_stage import approve, asking, sleeper, steps
from tests.e2e.executions import a_step, repository
from tests.e2e.held_activities import HeldActivities
from tests.e2e.slow_reports import SlowReports
from tests.e2e.stage import until
from tests.e2e.test_heard_at_once import FILES, TOUCH, carried_out
from workflows.execution import STOP

CANCEL = EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED
TASK = EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED


async def seen(workflow: WorkflowHandle[Any, Any]) -> None:
    """Wait until a workflow knows that it is cancelled; one that waits for a local activity does so late."""

    async def told() -> bool:
        kinds = [event.event_type async for event in workflow.fetch_history_events()]
        return CANCEL in kinds and TASK in kinds[kinds.index(CANCEL) :]

    await until(told, bool)
    # Its worker has the task, and still has to run it.
    await asyncio.sleep(0.5)


@pytest.mark.slow
@pytest.mark.parametrize("said", ["approve", "pause"])
async def test_cancelling_the_job_in_temporal_is_heard_while_it_keeps_what_it_knows(
    address: str, tmp_path: Path, said: str
) -> None:
    project, held = repository(tmp_path / "project", FILES), HeldActivities()
    plan = (a_step("first", command="touch one"), sleeper(600, "first"), asking("asks", "first"))
    async with acting_stage(address, tmp_path, project, *plan, interceptors=[held]) as stage:
        job = await stage.act(commands=TOUCH)
        await steps(stage, job, long="in_progress")
        gate = await stage.gate(job, "operator-1")
        held.hold("save_manifest")
        if said == "approve":
            await approve(stage, job, gate)
        else:
            await stage.cli.signal(job, said, "lunch")
        await held.reached("save_manifest")
        handle = stage.temporal.get_workflow_handle(job)
        await handle.cancel()
        await seen(handle)
        held.release("save_manifest")
        await asyncio.wait_for(handle.result(), 20)
        record = await stage.jobs.record(job)
        assert record.state is State.CANCELLED
        assert record.act
        assert not record.act.running


@pytest.mark.slow
async def test_cancelling_the_job_in_temporal_lets_what_stops_say_how_far_it_is(
    address: str, tmp_path: Path
) -> None:
    project, held = repository(tmp_path / "project", FILES), HeldActivities("keep_execution")
    plan = (a_step("first", command="touch one"), sleeper(600, "first"))
    async with acting_stage(address, tmp_path, project, *plan, interceptors=[held]) as stage:
        job = await stage.act(commands=TOUCH)
        await steps(stage, job, first="completed", long="in_progress")
        await stage.jobs.send(job, Message.PAUSE, {"reason": "lunch", "by": "ann"})
        await held.reached("keep_execution")
        handle = stage.temporal.get_workflow_handle(job)
        await handle.cancel()
        await seen(handle)
        held.release("keep_execution")
        await handle.result()
        record = await stage.jobs.record(job)
        assert record.state is State.CANCELLED
        assert record.act
        assert (record.act.last.end, record.act.running) == (ActEnd.STOPPED, False)
        assert [line.status for line in record.act.last.steps] == ["completed", "pending"]


@pytest.mark.slow
async def test_what_an_execution_has_done_is_told_where_it_is_cancelled_as_it_tells_it(
    address: str, tmp_path: Path
) -> None:
    project = repository(tmp_path / "project", FILES)
    plan = (a_step("first", command="touch one"), a_step("second", "first", command="touch two"))
    async with acting_stage(address, tmp_path, project, *plan, interceptors=[SlowReports()]) as stage:
        job = await stage.act(commands=TOUCH)
        await steps(stage, job, second="completed")
        await stage.temporal.get_workflow_handle(f"{job}.act-1").cancel()
        await carried_out(stage, job)


@pytest.mark.slow
async def test_an_execution_that_is_cancelled_as_it_ends_keeps_its_patch(
    address: str, tmp_path: Path
) -> None:
    project, held = repository(tmp_path / "project", FILES), HeldActivities("summarise_execution")
    step = a_step("1", command="touch one")
    async with acting_stage(address, tmp_path, project, step, interceptors=[held]) as stage:
        job = await stage.act(commands=TOUCH)
        await held.reached("summarise_execution")
        execution = stage.temporal.get_workflow_handle(f"{job}.act-1")
        await execution.cancel()
        await seen(execution)
        held.release("summarise_execution")
        await carried_out(stage, job)
        record = await stage.record(job)
        assert record.act
        assert record.act.last.patch


@pytest.mark.parametrize("at", ["prepare_execution", "run_step"])
async def test_an_execution_that_stops_is_cancelled_as_well(address: str, tmp_path: Path, at: str) -> None:
    project, held = repository(tmp_path / "project", FILES), HeldActivities(at)
    async with acting_stage(address, tmp_path, project, sleeper(600), interceptors=[held]) as stage:
        job = await stage.act()
        await held.reached(at)
        execution = stage.temporal.get_workflow_handle(f"{job}.act-1")
        # Both in one task, as after a time in which no worker was there.
        await asyncio.gather(execution.signal(STOP), execution.cancel())
        await until(execution.describe, lambda seen: seen.status is not WorkflowExecutionStatus.RUNNING)
        failed = [
            event.workflow_task_failed_event_attributes.cause
            async for event in execution.fetch_history_events()
            if event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED
        ]
        # The server gives a task again when something comes in while the workflow ends.
        assert set(failed) <= {WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND}
