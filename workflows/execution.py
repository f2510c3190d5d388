"""ExecutionWorkflow: a plan carried out step by step, in a worktree of its own."""

import asyncio
import contextlib
from collections.abc import Sequence

from temporalio import workflow
from temporalio.common import RawValue
from temporalio.exceptions import FailureError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    import workflows.patience as patience
    from activities.execution.activities import ExecutionActivities
    from activities.execution_orders import (
        ActOrder,
        ExecutionOrder,
        Landing,
        LandOrder,
        OpenOrder,
        Prepared,
        RollbackOrder,
    )
    from states.act import CANCELLED, ActEnd, ActOutcome, StepAnswer
    from states.artifacts.plan import Plan, PlanStep
    from states.carrying import asks_of, decide, end_of, outcome_of
    from states.execution import (
        Execution,
        ExecutionStatus,
        StepResult,
        StepStatus,
        begin_execution,
        end_step,
        finish,
        put_back,
        rest,
        runnable,
        skip_what_cannot_run,
        start_step,
    )
    from states.undoing import point_of, target_of, try_again, undo
    from workflows.failures import reason_of
    from workflows.inputs import decode
    from workflows.orders import execution_order, step_order
    from workflows.patches import RESTS_UNDISTURBED, RUNS_ON, STOPS_AT_ONCE, WAITED_BEFORE
    from workflows.telling import ASKS_AT_ONCE, Telling

STOP = "stop"
"""the signal of a job that is paused, cancelled or planned anew: what runs ends within a second"""

ANSWER = "answer_step"
"""the signal of a job whose people have decided about a step that waits, while others go on"""

STOPPED_IN_THE_MIDDLE = "stopped in the middle; the tree was put back"

DIFFSTAT = 20_000
"""characters of git's table of changes that are carried along"""

AT_ONCE = 16
"""steps that run side by side at most; a machine has few cores, and waiting is what most steps do"""


@workflow.defn
class ExecutionWorkflow:
    """Runs until nothing can go on without a person, or it is told to stop; then it comes to rest.

    Going on is a new run from what was kept: pause, approval, failure and a full history are one path.
    """

    @workflow.init
    def __init__(self, order: ActOrder) -> None:
        self.order = order
        self.stopping = False
        self.plan = Plan(title="")
        self.execution = Execution(
            id=order.execution, branch=order.branch, base="", head="", plan=order.plan, option=order.option
        )
        self.prepared: Prepared | None = None
        self._running: dict[str, asyncio.Task[None]] = {}
        self._commands: dict[str, workflow.ActivityHandle[StepResult]] = {}
        self._finished: list[Landing] = []
        self._answers: list[StepAnswer] = []
        self._branch = asyncio.Lock()
        self._broken: FailureError | None = None
        self._telling = Telling()
        self._runs_on: bool | None = None

    @workflow.signal(dynamic=True)
    def on_signal(self, name: str, args: Sequence[RawValue]) -> None:
        """`stop`, or an answer; all else is ignored. Dynamic, as a typed handler can wedge on what comes."""
        if name == STOP:
            self.stopping = True
        elif name == ANSWER:
            # What is no answer counts for nothing, and nobody waits to be told so.
            with contextlib.suppress(ValueError):
                [given] = decode(args)
                self._answers.append(StepAnswer.model_validate(given))

    @workflow.query
    def progress(self) -> ActOutcome:
        """How far it is at this moment, and where."""
        outcome = outcome_of(self.execution, self.plan, ActEnd.STOPPED, "", workflow.now())
        return outcome.model_copy(update=self._place())

    @workflow.run
    async def run(self, order: ActOrder) -> ActOutcome:
        """Carry out, go on, or roll back. Never fails for what a plan or a machine does wrong."""
        try:
            await self._open()
            if order.back_to is not None:
                return await self._roll_back(order.back_to)
            if await self._prepare():
                await self._carry_out()
        except FailureError as failed:
            return await self._rest(ActEnd.BROKEN, reason_of(failed))
        except asyncio.CancelledError:
            # `temporal workflow cancel` of the execution alone: the job decides what follows.
            self.stopping = self.stopping or workflow.patched(STOPS_AT_ONCE)
            await self._stop_all()
            return await self._rest(ActEnd.STOPPED, CANCELLED)
        if self.execution.status is ExecutionStatus.RUNNING and self.stopping:
            return await self._rest(ActEnd.STOPPED, "stopped")
        return await self._rest(end_of(self.execution), "")

    async def _open(self) -> None:
        opened = await workflow.execute_local_activity_method(
            ExecutionActivities.open_plan,
            OpenOrder(plan=self.order.plan, kept=self.order.kept),
            **patience.QUICK,
        )
        self.plan = opened.plan
        base = self.order.workspace.commit
        self.execution = opened.execution or begin_execution(
            self.plan, self.order.plan, self.order.execution, self.order.branch, base
        )
        self.execution.option = self.order.option
        self.execution.started = self.execution.started or workflow.now()
        self.execution.since = workflow.now()
        self.execution.status = ExecutionStatus.RUNNING
        if self.order.again:
            try_again(self.execution)
        self._decide()

    async def _prepare(self) -> bool:
        """Have the worktree; False when it was told to stop before that was there."""
        preparing = workflow.start_activity_method(
            ExecutionActivities.prepare_execution, self._at(), **patience.READ_REPOSITORY
        )
        stopped = False
        try:
            await workflow.wait_condition(lambda: preparing.done() or self.stopping)
            if stopped := not preparing.done() and workflow.patched(STOPS_AT_ONCE):
                preparing.cancel()
            # Once, as steps are: whoever cancels the execution as well cancels only the waiting.
            self.prepared = await (asyncio.shield(preparing) if stopped else preparing)
        except asyncio.CancelledError:
            if not stopped:
                preparing.cancel()
            raise
        except FailureError as failed:
            if self.stopping and is_cancelled_exception(failed):
                return False
            raise
        self.execution.head, self.execution.snapshot = self.prepared.head, self.prepared.snapshot
        return True

    async def _carry_out(self) -> None:
        """Run what can run, side by side where it may, until nothing is left or somebody stops it."""
        if asks_of(self.execution, self.plan) and workflow.patched(WAITED_BEFORE):
            # What came to wait when the run before this one had to end may have been told to nobody.
            self._telling.begin(self.execution, self.plan)
        while not self._ends():
            self._hear()
            self._decide()
            skip_what_cannot_run(self.execution, self.plan, workflow.now())
            self._start()
            if not self._running:
                break
            await workflow.wait_condition(
                lambda: self._over() or bool(self._answers) or len(self._running) > self._busy()
            )
            await self._forget_done()
            self._telling.begin(self.execution, self.plan)
        await self._stop_all()
        if self._broken:
            raise self._broken
        finish(self.execution, self.plan, workflow.now())
        if (
            workflow.info().is_continue_as_new_suggested()
            and not self.stopping
            and runnable(self.execution, self.plan)
        ):
            if self._telling.begun() and workflow.patched(ASKS_AT_ONCE):
                # No command may follow the one that ends this run.
                await self._telling.ended()
            rest(self.execution, workflow.now())
            kept = await self._keep()
            self._hear()
            if self.stopping and workflow.patched(STOPS_AT_ONCE):
                # It was told meanwhile; nobody would tell the next run again.
                return
            workflow.continue_as_new(self.order.model_copy(update={"kept": kept, "again": False}))

    def _ends(self) -> bool:
        """Whether nothing more is begun, asked where a patch may be asked about."""
        if workflow.info().is_continue_as_new_suggested() and self._runs_on is None:
            self._runs_on = workflow.patched(RUNS_ON)
        return self._over()

    def _over(self) -> bool:
        """Whether nothing more is begun."""
        return self.stopping or self._broken is not None or self._full()

    def _full(self) -> bool:
        """Whether a new run goes on: the history is long and nothing runs, or it is as long as it may be."""
        info = workflow.info()
        if not info.is_continue_as_new_suggested():
            return False
        longest = info.get_current_history_length() > patience.LONGEST
        largest = info.get_current_history_size() > patience.LARGEST
        return not self._runs_on or not self._running or longest or largest

    def _hear(self) -> None:
        """Take in what was decided about what waits; an answer to anything else is none."""
        answers, self._answers = self._answers, []
        for answer in answers:
            if answer.ask in asks_of(self.execution, self.plan):
                self.order = self.order.answered(answer)

    def _decide(self) -> None:
        """Let steps go on, or fail, as the order says, once."""
        decide(self.execution, self.plan, self.order.refused, self.order.ready, workflow.now())
        self.order = self.order.model_copy(update={"ready": (), "refused": {}})

    def _busy(self) -> int:
        return sum(1 for task in self._running.values() if not task.done())

    async def _forget_done(self) -> None:
        for step, task in list(self._running.items()):
            if task.done():
                await self._running.pop(step)

    def _start(self) -> None:
        assert self.prepared is not None
        ready = runnable(self.execution, self.plan)[: AT_ONCE - len(self._running)]
        if not self.prepared.parallel:
            ready = () if self._running else ready[:1]
        alone = len(ready) == 1 and not self._running and not self._joined()
        for step in ready:
            start_step(self.execution, step.id, workflow.now())
            self._running[step.id] = asyncio.create_task(self._step(step, alone=alone))

    def _joined(self) -> bool:
        """Whether a step that begins alone may be joined by one that waits, once that is answered."""
        assert self.prepared is not None
        waits = self.prepared.parallel and bool(asks_of(self.execution, self.plan))
        return waits and workflow.patched(ASKS_AT_ONCE)

    async def _step(self, step: PlanStep, *, alone: bool) -> None:
        """Carry one step out and enter its result; what breaks is kept for `_carry_out`."""
        try:
            result = await self._result(step, alone=alone)
            if result.status is not StepStatus.COMPLETED or alone:
                self._enter(step.id, result)
                return
            self._finished.append(Landing(step=step.id, result=result))
            async with self._branch:
                await self._land()
        except asyncio.CancelledError:
            # It ended in the moment in which it was stopped: Temporal keeps its result to itself.
            put_back(self.execution, step.id, STOPPED_IN_THE_MIDDLE)
        except FailureError as failed:
            put_back(self.execution, step.id, STOPPED_IN_THE_MIDDLE)
            if not is_cancelled_exception(failed):
                self._broken = self._broken or failed

    async def _result(self, step: PlanStep, *, alone: bool) -> StepResult:
        order = step_order(self.order, self.execution, step.id, alone=alone, now=workflow.now())
        seconds = min(step.timeout_seconds, self.order.rules.seconds)
        command = workflow.start_activity_method(
            ExecutionActivities.run_step,
            order,
            **patience.step(seconds),
            summary=step.title[:100],
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
        )
        self._commands[step.id] = command
        try:
            return await command
        finally:
            self._commands.pop(step.id, None)

    async def _land(self) -> None:
        """Bring what has finished meanwhile onto the branch, all of it at once."""
        landings, self._finished = tuple(self._finished), []
        if not landings:
            return
        order = LandOrder(at=self._at(), landings=landings)
        try:
            landed = await workflow.execute_activity_method(
                ExecutionActivities.land_steps, order, **patience.READ_REPOSITORY
            )
        except FailureError as failed:
            for each in landings:
                put_back(self.execution, each.step, STOPPED_IN_THE_MIDDLE)
            self._broken = self._broken or failed
            return
        for each, result in zip(landings, landed.results, strict=True):
            self._enter(each.step, result)

    def _enter(self, step: str, result: StepResult) -> None:
        end_step(self.execution, self.plan, step, result, workflow.now())

    async def _stop_all(self) -> None:
        """End the commands that run; steps that only have to land do so.

        Where only the history has become too long, what runs ends by itself, unless it is told to stop.
        """
        if not self._told_to_stop():
            await workflow.wait_condition(lambda: self._busy() == 0 or self._told_to_stop())
            if self._busy() and not workflow.patched(STOPS_AT_ONCE):
                await workflow.wait_condition(lambda: self._busy() == 0)
        # Each once: two requests to cancel one activity fail the task, again and again.
        commands, self._commands = self._commands, {}
        for command in commands.values():
            command.cancel()
        await workflow.wait_condition(lambda: self._busy() == 0)
        await self._forget_done()

    def _told_to_stop(self) -> bool:
        return self.stopping or self._broken is not None

    async def _roll_back(self, to: str) -> ActOutcome:
        try:
            target = target_of(self.execution, self.plan, to)
        except ValueError as unknown:
            return await self._rest(ActEnd.BROKEN, str(unknown))
        commit, snapshot = point_of(self.execution, target)
        order = RollbackOrder(at=self._at(), commit=commit, snapshot=snapshot, expected=self.execution.head)
        self.prepared = await workflow.execute_activity_method(
            ExecutionActivities.roll_back, order, **patience.READ_REPOSITORY
        )
        undo(self.execution, target)
        self.execution.snapshot = self.prepared.snapshot
        return await self._rest(
            ActEnd.ROLLED_BACK, f"rolled back to {f'step {target}' if target else 'the start'}"
        )

    def _at(self) -> ExecutionOrder:
        return execution_order(self.order, self.execution, workflow.now())

    async def _keep(self) -> str:
        return await workflow.execute_local_activity_method(
            ExecutionActivities.keep_execution, self.execution, **patience.QUICK
        )

    async def _rest(self, end: ActEnd, reason: str) -> ActOutcome:
        """Come to rest, whoever cancels it meanwhile: else what it has done would be done again."""
        resting = asyncio.create_task(self._come_to_rest(end, reason))
        while True:
            try:
                return await asyncio.shield(resting)
            except asyncio.CancelledError:
                if resting.cancelled():
                    raise
                if not workflow.patched(RESTS_UNDISTURBED):
                    resting.cancel()

    async def _come_to_rest(self, end: ActEnd, reason: str) -> ActOutcome:
        """Everything that is known goes to the store, and the job is told."""
        await self._telling.ended()
        rest(self.execution, workflow.now())
        outcome = outcome_of(self.execution, self.plan, end, reason, workflow.now())
        more: dict[str, object] = {"kept": self.order.kept}
        if self.plan.steps:
            try:
                more["kept"] = await self._keep()
            except FailureError as failed:
                # The store may lie on the disk that is full: it is gone on with from what was kept before.
                reason, end = reason if end is ActEnd.BROKEN else reason_of(failed), ActEnd.BROKEN
                more |= {"end": end, "reason": reason}
        more |= self._place()
        if end in (ActEnd.COMPLETED, ActEnd.FAILED, ActEnd.ROLLED_BACK):
            try:
                whole = await workflow.execute_activity_method(
                    ExecutionActivities.summarise_execution, self._at(), **patience.READ_REPOSITORY
                )
                more |= {"patch": whole.patch, "diffstat": whole.diffstat[-DIFFSTAT:]}
            except FailureError as failed:
                more["notes"] = (*outcome.notes, f"the patch could not be made: {reason_of(failed)}")
        return outcome.model_copy(update=more)

    def _place(self) -> dict[str, object]:
        if self.prepared is None:
            return {}
        return self.prepared.model_dump(include={"path", "sandbox", "notes"})
