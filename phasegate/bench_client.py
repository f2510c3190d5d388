"""Starts, follows and reads runs of CooperBench planning."""

from enum import StrEnum
from typing import Any

from temporalio.client import WorkflowExecutionStatus, WorkflowFailureError
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import ApplicationError, FailureError, WorkflowAlreadyStartedError
from temporalio.service import RPCError

from activities.agent_orders import Feature
from activities.conversations import Conversations
from activities.cooperation_orders import CooperationOrder, Member
from activities.store import Store
from phasegate.client import TASK, JobClient
from phasegate.problems import NoServer, Problem
from states.agents import AgentLimits, Allowance
from states.artifacts.base import canonical_json, digest_of
from states.bench import BenchTask, FeatureText
from states.cooperation import CooperationProgress, CooperationState
from workflows.cooperation import CooperationWorkflow


class RunFailed(Problem):
    """A run of agents ended without a result."""


class RunStatus(StrEnum):
    """Where a run is found."""

    NEW = "new"
    """nothing is known of it, or nothing that could be gone on with"""
    RUNNING = "running"
    RESTS = "rests"
    """it ended early and can be gone on with"""
    DONE = "done"


class BenchClient(JobClient):
    """A JobClient for runs of one or two planning agents."""

    def __init__(self, client: Any, store: Store, task_queue: str) -> None:
        super().__init__(client, store, task_queue)
        self._kept = Conversations(store)

    async def find(self, task: BenchTask) -> tuple[RunStatus, CooperationState | None]:
        """Where a run is, with the state of one that has ended."""
        execution = await self._execution(task.run)
        if execution is None:
            # The server forgets runs in time; what is paid for stays paid for.
            known = await self.store.recall(_result_key(task.run))
            if known is None:
                return RunStatus.NEW, None
            return RunStatus.DONE, CooperationState.model_validate_json(known)
        match execution.status:
            case WorkflowExecutionStatus.RUNNING:
                return RunStatus.RUNNING, None
            case WorkflowExecutionStatus.COMPLETED:
                state = await self.result(task.run)
                return (RunStatus.DONE if state.settled else RunStatus.RESTS), state
            case _:
                return RunStatus.NEW, None

    async def begin(
        self, task: BenchTask, allowance: Allowance, state: CooperationState | None = None
    ) -> None:
        """Start a run, or go on with one from its state; one that runs already is left alone."""
        features = [await self._feature(feature) for feature in task.features]
        seats = task.setting.seats
        own = [tuple(features)] if len(seats) == 1 else [(feature,) for feature in features]
        order = CooperationOrder(
            kind=task.setting.kind,
            repository=task.repository,
            ref=task.commit,
            members=tuple(
                Member(agent=seat.id, models=(model,), features=planned)
                for seat, model, planned in zip(seats, task.models, own, strict=True)
            ),
            limits=AgentLimits(max_iterations=task.max_iterations),
            allowance=allowance,
            state=state,
        )
        said = f"{task.setting} {task.repo_name} task {task.task_id}"
        try:
            await self.temporal.start_workflow(
                CooperationWorkflow.run,
                order,
                id=task.run,
                task_queue=self.task_queue,
                id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
                memo={"title": said},
                static_summary=said,
                task_timeout=TASK,
            )
        except WorkflowAlreadyStartedError:
            return  # somebody else began it just now, with the same parameters
        except RPCError as error:
            raise NoServer(f"the Temporal server refused: {error.message}") from None

    async def progress(self, run: str) -> CooperationProgress:
        """The run now. Raises NoWorker, UnknownJob."""
        found: CooperationProgress = await self._ask(run, "progress", CooperationProgress)
        return found

    async def state(self, run: str) -> CooperationState:
        """All of the run now. Raises NoWorker, UnknownJob."""
        found: CooperationState = await self._ask(run, "state", CooperationState)
        return found

    async def result(self, run: str) -> CooperationState:
        """Wait for the end. Raises RunFailed with the reason."""
        handle = self.temporal.get_workflow_handle(run, result_type=CooperationState)
        try:
            state: CooperationState = await handle.result()
        except WorkflowFailureError as failed:
            raise RunFailed(f"run {run} failed: {_reason(failed.cause)}") from None
        except RPCError as error:
            raise NoServer(f"the Temporal server refused: {error.message}") from None
        if state.settled:
            await self.store.remember(_result_key(run), canonical_json(state.model_dump(mode="json")))
        return state

    async def stop(self, run: str) -> None:
        """Let the calls that run end, and begin no other; the run then ends and can be gone on with."""
        await self._handle(run).signal("stop")

    # --- what was said --------------------------------------------------------------------------------

    async def message(self, digest: str) -> dict[str, Any]:
        """A stored chat message."""
        return await self._kept.message(digest)

    async def digests(self, head: str) -> list[str]:
        """The digests of a conversation's messages, oldest first."""
        return await self._kept.list_of(head)

    async def text(self, digest: str) -> str:
        """A stored plan or mail."""
        return (await self._kept.bytes_of(digest)).decode()

    async def _feature(self, feature: FeatureText) -> Feature:
        return Feature(id=feature.id, text=await self._kept.put_bytes(feature.text.encode()))


def _result_key(run: str) -> str:
    return digest_of(["result", run])


def _reason(cause: BaseException) -> str:
    if isinstance(cause, ApplicationError):
        return cause.message.rstrip(".")
    return str(cause) if isinstance(cause, FailureError) else repr(cause)
