"""A run of an execution that begins with a step that waits says so, whoever was told of it before."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from temporalio import workflow
from temporalio.common import RawValue
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from activities.execution_orders import ActOrder
from tests.e2e.asked_stage import asking, sleeper
from tests.e2e.executions import Acts, Handle, acts, repository
from tests.e2e.stage import job_id, until
from workflows.execution import STOP, ExecutionWorkflow
from workflows.inputs import decode
from workflows.telling import PROGRESS


@workflow.defn
class Listener:
    """What a job is to its execution: it starts it, and hears of it."""

    def __init__(self) -> None:
        self.reports: list[Any] = []

    @workflow.signal(dynamic=True)
    def on_signal(self, name: str, args: Sequence[RawValue]) -> None:
        """Keep what the execution tells."""
        assert name == PROGRESS
        self.reports += decode(args)

    @workflow.query
    def asked(self) -> list[str]:
        """The steps that wait, as last heard."""
        return [ask["step"] for ask in self.reports[-1]["asks"]] if self.reports else []

    @workflow.run
    async def run(self, order: ActOrder, queue: str) -> None:
        """To the next rest."""
        await workflow.execute_child_workflow(
            ExecutionWorkflow.run, order, id=order.execution, task_queue=queue
        )


async def stopped(acting: Acts) -> ActOrder:
    """The order to go on with an execution that was stopped when a step of it waited."""
    order = await acting.order(asking("asks"), sleeper(600))
    handle = await acting.start(order)
    await until(lambda: handle.query(ExecutionWorkflow.progress), lambda now: now.asks)
    await handle.signal(STOP)
    outcome = await handle.result()
    assert [line.status for line in outcome.steps] == ["waiting", "pending"]
    return order.model_copy(update={"kept": outcome.kept})


async def test_what_waited_before_is_told_while_something_runs(address: str, tmp_path: Path) -> None:
    async with acts(address, tmp_path, repository(tmp_path / "project", {"a.txt": "a\n"})) as acting:
        order, queue = await stopped(acting), job_id("listener")
        runner = UnsandboxedWorkflowRunner()
        async with Worker(acting.client, task_queue=queue, workflows=[Listener], workflow_runner=runner):
            listener = await acting.client.start_workflow(
                Listener.run, args=[order, acting.settings.task_queue], id=queue, task_queue=queue
            )
            execution: Handle = acting.client.get_workflow_handle_for(ExecutionWorkflow.run, order.execution)
            await until(
                lambda: execution.query(ExecutionWorkflow.progress),
                lambda now: [line.status for line in now.steps] == ["waiting", "in_progress"],
            )
            await until(lambda: listener.query(Listener.asked), lambda steps: steps == ["asks"])
            await execution.signal(STOP)
            await listener.result()
