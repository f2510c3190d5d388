"""Executions for people: what the job knows, what the execution's workflow says, what its steps print now."""

import asyncio
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from temporalio.client import (
    Client,
    WorkflowExecutionDescription,
    WorkflowExecutionStatus,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowQueryFailedError,
)
from temporalio.converter import DataConverter
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError

from activities.execution.plans import Plans, outline
from activities.execution_orders import Live
from activities.store import Store, StoreError
from states.act import ActEnd, ActNote, ActOutcome, StepLine
from states.artifacts.base import Piece
from states.artifacts.plan import Plan
from states.carrying import outcome_of
from states.execution import SETTLED, Execution, ExecutionStatus, Progress, StepStatus, begin_execution
from states.messages import RestartFrom
from states.receive import read
from states.record import JobRecord
from states.refusals import Refused
from states.reopen import reopen
from states.words import Message, Phase
from workflows.execution import ExecutionWorkflow

PATIENCE = timedelta(seconds=2)
"""how long an execution may take to say how far it is; who looks on looks again soon"""
MOST_OUTPUT = 20_000
"""bytes of what a step printed that people are shown"""
_EXECUTION_ID = re.compile(r"(.+)\.act-\d+")
_RUN_STEP = "run_step"
"""the activity whose heartbeats tell what a step prints"""


class LiveStep(Piece):
    """A step that runs now: the end of what it printed, how many bytes that were in all, since when."""

    step: str
    tail: str = ""
    printed: int = 0
    seconds: float = 0.0
    attempt: int = 1


class ExecutionView(Piece):
    """An execution at one moment. `act.last` has every step of the plan, whatever could be asked."""

    act: ActNote
    now: tuple[LiveStep, ...] = ()
    answered: bool = False
    """whether its workflow said so itself; else it is what the job, the store and heartbeats tell"""

    def step(self, id: str) -> StepLine | None:
        """One step by its id."""
        return next((line for line in self.act.last.steps if line.id == id), None)


class Executions:
    """Reads executions. Asks nobody who need not answer: the store and the server suffice."""

    def __init__(self, client: Client, store: Store) -> None:
        self._client = client
        self._store = store
        self._plans = Plans(store)

    async def view(self, act: ActNote) -> ExecutionView:
        """An execution as it is now."""
        if not act.running:
            return ExecutionView(act=await self._with_steps(act), answered=True)
        described = await self._described(act.id)
        now = await _lives(described, self._client.data_converter)
        outcome = await self._asked(act.id, described)
        if outcome is None:
            return ExecutionView(act=_begun(await self._with_steps(act), now), now=now)
        merged = act.last.model_copy(update=_on_time(_said(outcome), now))
        still = still_live(now, merged.steps)
        return ExecutionView(act=act.model_copy(update={"last": merged}), now=still, answered=True)

    async def output(self, line: StepLine, after: int = 0) -> str:
        """The end of what a step printed, of that after so many bytes; blank when there is nothing."""
        if not line.output:
            return ""
        try:
            data = await self._store.get(line.output)
        except StoreError:
            # More than the list of steps says; people who look are shown that much, and not an error.
            return ""
        return data[after:][-MOST_OUTPUT:].decode("utf-8", "replace")

    async def _described(self, execution: str) -> WorkflowExecutionDescription | None:
        try:
            return await self._client.get_workflow_handle(execution).describe(rpc_timeout=PATIENCE)
        except RPCError:
            # Not begun yet, or forgotten by the server.
            return None

    async def _asked(
        self, execution: str, described: WorkflowExecutionDescription | None
    ) -> ActOutcome | None:
        """What its workflow says; None when it cannot be asked."""
        if described is None:
            return None
        handle: WorkflowHandle[ExecutionWorkflow, ActOutcome] = self._client.get_workflow_handle(
            execution, run_id=described.run_id, result_type=ActOutcome
        )
        try:
            if described.status is WorkflowExecutionStatus.COMPLETED:
                return await asyncio.wait_for(handle.result(), PATIENCE.total_seconds())
            return await handle.query(ExecutionWorkflow.progress, rpc_timeout=PATIENCE)
        except (RPCError, WorkflowQueryFailedError, WorkflowFailureError, TimeoutError):
            return None

    async def _with_steps(self, act: ActNote) -> ActNote:
        """The job's note; where it has no steps yet, those of the stored plan."""
        if act.last.steps:
            return act
        try:
            plan = outline(await self._plans.plan(act.plan))
            execution = await self._execution(act, plan)
        except (StoreError, ApplicationError, ValueError):
            return act
        now = act.started or execution.started
        if now is None:
            return act
        told = outcome_of(execution, plan, ActEnd.STOPPED, "", now)
        progress = act.last.progress or told.progress
        merged = act.last.model_copy(update={"steps": told.steps, "progress": progress})
        return act.model_copy(update={"last": merged})

    async def _execution(self, act: ActNote, plan: Plan) -> Execution:
        if act.last.kept:
            return Execution.model_validate_json(await self._store.get(act.last.kept))
        return begin_execution(plan, act.plan, act.id, act.branch, "")


async def _lives(
    described: WorkflowExecutionDescription | None, converter: DataConverter
) -> tuple[LiveStep, ...]:
    """What the heartbeats of running steps say, as the server has them."""
    pending = described.raw_description.pending_activities if described else ()
    found = []
    for each in pending:
        if each.activity_type.name == _RUN_STEP and each.heartbeat_details.payloads:
            [live] = await converter.decode(each.heartbeat_details.payloads, [Live])
            found.append(LiveStep(**live.model_dump(), attempt=each.attempt))
    return tuple(found)


def still_live(lives: Sequence[LiveStep], steps: Sequence[StepLine]) -> tuple[LiveStep, ...]:
    """Those of the steps that ran a moment ago which have not ended since, by what the workflow says."""
    over = {line.id for line in steps if line.status in SETTLED}
    return tuple(live for live in lives if live.step not in over)


def owner_of(execution: str) -> str:
    """The job that an execution's id names; blank for any other id."""
    found = _EXECUTION_ID.fullmatch(execution)
    return found[1] if found else ""


def why_over(job: str, record: JobRecord | None, message: Message) -> str:
    """Why a job that no longer runs takes no message."""
    steering = message in (Message.PAUSE, Message.RESUME, Message.CANCEL)
    act = record.act if record else None
    if steering and act and act.status is ExecutionStatus.CANCELLED:
        ended = "execution cancelled"
    else:
        ended = f"job {job} has ended ({record.state})" if record else f"job {job} is not running"
    return f"{ended}; `phasegate restart {job} PHASE` goes on with it"


def why_not_opened(record: JobRecord, message: Message, payload: dict[str, Any]) -> str:
    """Why a closed job would not do what it is opened again for; blank when it would."""
    tried, now = record.model_copy(deep=True), datetime.now(UTC)
    try:
        reopen(tried, RestartFrom(phase=Phase.VERIFIED), now)
        read(tried, message.value, [payload])
    except Refused as refused:
        return str(refused)
    return ""


def _said(outcome: ActOutcome) -> dict[str, Any]:
    """What a workflow knows at every moment; the patch is known when it rests."""
    found = {name: getattr(outcome, name) for name in ("head", "progress", "metrics", "steps", "errors")}
    # Where it is carried out is known from the first step on; until then that of the run before is shown.
    place = {"path": outcome.path, "sandbox": outcome.sandbox, "notes": outcome.notes} if outcome.path else {}
    return {**found, **place, "asks": outcome.asks}


def _on_time(said: dict[str, Any], now: Sequence[LiveStep]) -> dict[str, Any]:
    """A workflow's clock stands still between its tasks: what runs has been running since."""
    running = {live.step: live.seconds for live in now}
    steps = tuple(
        line.model_copy(update={"seconds": (line.seconds or 0.0) + running.get(line.id, 0.0)})
        if line.status == StepStatus.IN_PROGRESS
        else line
        for line in said["steps"]
    )
    progress: Progress | None = said["progress"]
    if progress and progress.since:
        passed = (datetime.now(UTC) - progress.since).total_seconds()
        elapsed = max(progress.elapsed, progress.worked + passed)
        progress = progress.after(elapsed, sum(running.values()))
    return {**said, "steps": steps, "progress": progress}


def _begun(act: ActNote, now: Sequence[LiveStep]) -> ActNote:
    """Steps that are heard of at this moment are under way, whatever was last known."""
    running = {live.step: live for live in now}
    steps = tuple(
        line.model_copy(
            update={
                "status": StepStatus.IN_PROGRESS.value,
                "seconds": (line.seconds or 0.0) + running[line.id].seconds,
            }
        )
        if line.id in running
        else line
        for line in act.last.steps
    )
    progress = act.last.progress
    if progress:
        progress = progress.model_copy(update={"current_steps": tuple(running)})
    return act.model_copy(update={"last": act.last.model_copy(update={"steps": steps, "progress": progress})})
