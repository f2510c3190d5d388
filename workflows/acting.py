"""Act mode of a job: its execution, stopped and gone on with as people say."""

import asyncio
import contextlib
from collections.abc import Callable

from temporalio import workflow
from temporalio.exceptions import ApplicationError, FailureError, WorkflowAlreadyStartedError
from temporalio.workflow import ChildWorkflowHandle, ParentClosePolicy

with workflow.unsafe.imports_passed_through():
    import workflows.patience as patience
    from activities.agent_orders import CodeOrder
    from activities.execution.activities import ExecutionActivities
    from activities.execution_orders import ActOrder, CommandRules, ExecutionOrder
    from states.act import ActEnd, ActOutcome, StepAnswer, Undo
    from states.acting import (
        answers,
        book_rest,
        enter_code,
        hold_stopped,
        next_ask,
        next_code,
        open_ask,
        rests_waiting,
        set_running,
        settle_ask,
        stopped_alone,
        undoing,
    )
    from states.agents import AgentKind
    from states.execution import ExecutionStatus
    from states.facts import decisions_enough
    from states.receive import receive
    from states.words import Message, Phase
    from workflows.execution import ANSWER, STOP, ExecutionWorkflow
    from workflows.failures import reason_of
    from workflows.orders import work_order
    from workflows.staff import Staffed
    from workflows.telling import ASKS_AT_ONCE

Child = ChildWorkflowHandle[ExecutionWorkflow, ActOutcome]

HEARS_ALL = "hears-all"
"""the patch since which nothing that is said while a plan is carried out waits for what takes long"""

STILL_THERE = "the execution that was to stop has not ended yet; try again when it has"
SILENT = "the execution did not answer; resume goes on from what it last kept"


class Acting(Staffed):
    """A job that can carry its plan out. Not a workflow of its own."""

    _silent: Child | None = None
    """the execution that was not waited for any longer"""

    async def carry_out(self) -> None:
        """Run the execution until it rests, and book that; before it, hear what operators say."""
        at_once = workflow.patched(ASKS_AT_ONCE)
        if self._silent and await self._told_late(self._silent):
            return
        if not undoing(self.record) and not await self._heard(at_once):
            return
        set_running(self.record)
        self.publish()
        # What it is about can be looked up while no worker answers.
        await self.save()
        assert self.record.act is not None
        undo = self.record.act.undo
        try:
            outcome = await self._executed(undo, at_once)
        except FailureError as failed:
            outcome = ActOutcome(end=ActEnd.BROKEN, reason=reason_of(failed))
        book_rest(self.record, outcome, undo, workflow.now())
        if stopped_alone(self.record, outcome) and workflow.patched(HEARS_ALL):
            hold_stopped(self.record, workflow.now())
        self.log_ledger()

    async def _heard(self, at_once: bool) -> bool:
        """Whether something can go on; False when something else comes first.

        One answer is enough, and the next question stays open beside what goes on; but not `at_once`, in
        histories of before, every step has its answer first.
        """
        if at_once and rests_waiting(self.record):
            self._ask()
        while (at_once or self.record.gate is None) and (code := next_code(self.record)):
            if not await self._coded(code.step):
                return False
            if self._disturbed() and workflow.patched(HEARS_ALL):
                return False
        while rests_waiting(self.record) and next_ask(self.record, all_by_hand=not at_once):
            if at_once and answers(self.record):
                break
            self._ask(all_by_hand=not at_once)
            await self.wait(lambda: self.record.gate is None or decisions_enough(self.record))
            if self.record.hold or self.record.demand or undoing(self.record):
                return False
            self._settle()
        return True

    def _ask(self, *, all_by_hand: bool = False) -> None:
        """Open the gate of what waits first, if none is open."""
        if self.record.gate is None and (ask := next_ask(self.record, all_by_hand=all_by_hand)):
            open_ask(self.record, ask, workflow.now())
            self.log_ledger()

    def _settle(self) -> None:
        """Take what was decided at the open gate."""
        if decisions_enough(self.record):
            settle_ask(self.record, workflow.now())
            self.log_ledger()

    async def _coded(self, step: str) -> bool:
        """Whether a model has written the code of a step."""
        act = self.record.act
        assert act is not None
        order = CodeOrder(
            work=work_order(self.record, Phase.VALIDATION),
            execution=act.id,
            branch=act.branch,
            plan=act.plan,
            kept=act.last.kept,
            step=step,
            failed=act.learnt,
        )
        outcome = await self.converse(AgentKind.CODE, order)
        if outcome is None or outcome.answer is None:
            return False
        enter_code(self.record, step, outcome.answer.changes, outcome.used, workflow.now())
        self.log_ledger()
        return True

    async def _executed(self, undo: Undo | None, at_once: bool) -> ActOutcome:
        order, told = self._act_order(), list(answers(self.record))
        child = await self._begun(order)
        try:
            if undo is not None:
                await workflow.wait_condition(child.done)
            elif at_once:
                await self._accompany_steps(child, told)
            else:
                await self._until_over(child)
        except asyncio.CancelledError:
            if not workflow.patched(HEARS_ALL):
                if undo is not None:
                    child.cancel()
                raise
            # As `run` takes it, but while the execution can still say how far it is.
            receive(self.record, Message.CANCEL, [{"by": "temporal workflow cancel"}], workflow.now())
        return await (child if undo is not None or child.done() else self._stopped(child))

    async def _begun(self, order: ActOrder) -> Child:
        """Start the execution; one that took too long to stop is waited for, as there is one at a time."""
        for _ in range(patience.STOPS_AFTER_ALL):
            try:
                return await workflow.start_child_workflow(
                    ExecutionWorkflow.run,
                    order,
                    id=order.execution,
                    parent_close_policy=ParentClosePolicy.TERMINATE,
                    static_summary=f"option {order.option} on {order.branch}",
                )
            except WorkflowAlreadyStartedError:
                if not workflow.patched(HEARS_ALL):
                    raise
                await workflow.sleep(patience.STILL_STOPS)
                if self._comes_first():
                    break
        raise ApplicationError(STILL_THERE)

    async def _accompany_steps(self, child: Child, told: list[StepAnswer]) -> None:
        """Until it rests or is disturbed: ask what waits, one after the other, and tell it the answers."""
        while not (child.done() or self._disturbed() or self._goes_back()):
            self._settle()
            self._ask()
            for answer in [each for each in answers(self.record) if each not in told]:
                told.append(answer)
                try:
                    await child.signal(ANSWER, answer)
                except FailureError as failed:
                    # To one that rests by now nothing can be told; it is gone on with by what was decided.
                    self.hear_cancelling(failed)
            self.publish()
            await self.save()
            await self._until_over(child, lambda: self._has_news(told))

    def _comes_first(self) -> bool:
        """Whether people want something else than that the execution goes on or back."""
        return self.record.demand is not None or (self.record.hold is not None and not undoing(self.record))

    def _has_news(self, told: list[StepAnswer]) -> bool:
        """Whether there is something to ask or to tell."""
        asks = self.record.gate is None and next_ask(self.record) is not None
        return asks or decisions_enough(self.record) or any(each not in told for each in answers(self.record))

    async def _until_over(self, child: Child, otherwise: Callable[[], bool] = lambda: False) -> None:
        def over() -> bool:
            return child.done() or self._disturbed() or otherwise()

        await workflow.wait_condition(lambda: over() or undoing(self.record))
        if not over() and not self._goes_back():
            await workflow.wait_condition(over)

    def _goes_back(self) -> bool:
        """Whether a rollback is wanted, also where a resume came with it and nothing is held any more."""
        return undoing(self.record) and workflow.patched(HEARS_ALL)

    def _disturbed(self) -> bool:
        return self.record.hold is not None or self.record.demand is not None

    async def _stopped(self, child: Child) -> ActOutcome:
        """End what runs, and hear how far it came; one that cannot answer is not waited for."""
        try:
            await child.signal(STOP)
        except FailureError as failed:
            # One that ended just now cannot be told; what it says is taken all the same.
            self.hear_cancelling(failed)
        try:
            await self._ended(child)
        except TimeoutError:
            child.cancel()
            self._silent = child
            return ActOutcome(end=ActEnd.BROKEN, reason=SILENT)
        return await child

    async def _ended(self, child: Child) -> None:
        """Wait until it has stopped, also where the job is cancelled meanwhile. Raises TimeoutError."""
        try:
            await workflow.wait_condition(child.done, timeout=patience.EXECUTION_STOPS)
        except asyncio.CancelledError as cancelled:
            if not self.hear_cancelling(cancelled):
                raise
            await workflow.wait_condition(child.done, timeout=patience.EXECUTION_STOPS)

    async def _told_late(self, child: Child) -> bool:
        """Whether an execution that was given up has said how far it is, so that nothing is done twice."""
        self._silent = None
        act = self.record.act
        if act is None or act.id != child.id or not workflow.patched(HEARS_ALL):
            return False
        with contextlib.suppress(TimeoutError):
            await workflow.wait_condition(
                lambda: child.done() or self._comes_first(), timeout=patience.EXECUTION_STOPS
            )
        if not child.done():
            self._silent = child if self._comes_first() else None
            return self._silent is not None
        try:
            outcome = await child
        except FailureError:
            return False
        book_rest(self.record, outcome, None, workflow.now())
        self.log_ledger()
        return True

    async def leave(self) -> bool:
        """Remove the worktrees of a plan that was carried out; the branch stays. Others may hold work.

        False when something was asked of the job meanwhile, and was told yes: then it stays open.
        """
        act, workspace = self.record.act, self.record.workspace
        if act is None or workspace is None or act.status is not ExecutionStatus.COMPLETED:
            return True
        order = ExecutionOrder(
            job=self.record.job,
            execution=act.id,
            workspace=workspace,
            branch=act.branch,
            head=act.last.head,
        )
        # What cannot be removed stays: nothing depends on it.
        with contextlib.suppress(FailureError):
            await workflow.execute_activity_method(
                ExecutionActivities.leave_execution, order, **patience.TIDY_UP
            )
        asked = self._disturbed() or undoing(self.record)
        return not (asked and workflow.patched(HEARS_ALL))

    def _act_order(self) -> ActOrder:
        act, workspace = self.record.act, self.record.workspace
        assert act is not None
        assert workspace is not None, "a verified plan was made in a workspace"
        policy = self.record.spec.commands
        return ActOrder(
            job=self.record.job,
            execution=act.id,
            workspace=workspace,
            branch=act.branch,
            plan=act.plan,
            option=act.option,
            kept=act.last.kept,
            rules=CommandRules(**policy.model_dump(), approved=act.allowed),
            ready=act.ready,
            done=act.done,
            written=act.written,
            refused=act.refused,
            again=act.again,
            back_to=act.undo.to if act.undo else None,
        )
