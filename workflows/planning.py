"""PlanningWorkflow: the job. A loop that asks what happened and fires the machine; only `run` fires."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Any, assert_never

from temporalio import workflow
from temporalio.common import RawValue
from temporalio.exceptions import ApplicationError, FailureError

with workflow.unsafe.imports_passed_through():
    from activities.orders import Handover, LoadOrder, WorkOrder
    from activities.planning import PlanningActivities
    from states.acting import STARTED_WITH, acts_now, begin_act, note_report, starts_to_act
    from states.advance import advance, begin, end, record_artifact, record_review, review_trigger
    from states.agents import AgentEnd, AgentKind
    from states.amounts import counted
    from states.diagram import phase_diagram
    from states.dialogue import follow_up, may_follow_up, replied, reply
    from states.facts import decisions_enough, facts_of
    from states.ledger import LedgerEntry
    from states.machine import MoveRefused
    from states.mending import record_mended
    from states.messages import Ack, Malformed, RestartFrom
    from states.receive import note_refusal, read, receive, take
    from states.record import ArtifactRef, Demand, JobRecord, JobSpec
    from states.refusals import Refused
    from states.reopen import reopen
    from states.review import judged
    from states.start import BadStart, JobStart, read_start
    from states.view import JobResult, JobView, view_of
    from states.words import (
        WORK_PHASES,
        Message,
        Phase,
        QuestionHandling,
        Stage,
        State,
        Trigger,
    )
    from workflows.acting import Acting
    from workflows.drafting import Drafting
    from workflows.failures import reason_of
    from workflows.inputs import decode, only
    from workflows.orders import built_from, edit_order, feedback_for, prepare_order, review_order, work_order
    from workflows.patience import is_near, is_quick
    from workflows.telling import PROGRESS

NOT_READ = "the job has not been read from the store"
Work = Callable[[PlanningActivities, WorkOrder], Awaitable[Handover]]


def work_of(phase: Phase) -> Work:
    """Which activity does the work of a phase."""
    match phase:
        case Phase.DISCOVERY:
            return PlanningActivities.discover_context
        case Phase.CLARIFICATION:
            return PlanningActivities.compose_clarification
        case Phase.CONTRACTS:
            return PlanningActivities.design_contracts
        case Phase.IMPLEMENTATION_PLAN:
            return PlanningActivities.plan_implementation
        case Phase.VALIDATION:
            return PlanningActivities.validate_plan
        case Phase.VERIFIED:
            raise AssertionError("a verified job has no work")
        case _:
            assert_never(phase)


@workflow.defn
class PlanningWorkflow(Acting, Drafting):
    """One task being planned for one repository."""

    @workflow.init
    def __init__(self, *raw: Any) -> None:
        self.problem = ""
        self.done = False
        self.early: list[tuple[str, Sequence[Any]]] = []
        self.resume: RestartFrom | None = None
        spec = JobSpec(task="(not read yet)", repository="(not read yet)")
        try:
            info = workflow.info()
            start = read_start(only(raw), info.workflow_id, info.continued_run_id is not None)
        except BadStart as problem:
            # Raised from `run`: an error here would fail the task again and again instead of the job.
            self.problem, start = str(problem), JobStart()
        self.resume = start.resume
        super().__init__(start.carry or JobRecord(job=workflow.info().workflow_id, spec=start.spec or spec))
        if start.spec:
            begin(self.record, workflow.now())
            if start.unknown:
                names = ", ".join(start.unknown)
                note_refusal(self.record, "start", f"unknown fields are ignored: {names}", workflow.now())

    # --- messages -------------------------------------------------------------------------------------

    @workflow.signal(dynamic=True)
    def on_signal(self, name: str, args: Sequence[RawValue]) -> None:
        """Every message as a signal. One dynamic handler, untyped on purpose: a typed one drops or wedges."""
        self.measure()
        try:
            given = decode(args)
            if name == PROGRESS:
                note_report(self.record, given)
                return
        except Malformed as garbage:
            note_refusal(self.record, name, str(garbage), workflow.now())
        else:
            if self.resume:
                self.early.append((name, given))
            else:
                receive(self.record, name, given, workflow.now())
                self.show()
        self.log_ledger()

    @workflow.update(dynamic=True)
    def on_update(self, name: str, args: Sequence[RawValue]) -> Ack:
        """Every message as an update: the same, with an answer."""
        self.measure()
        request = read(self.record, name, decode(args))
        ack = take(self.record, Message(name), request, workflow.now())
        self.show()
        self.log_ledger()
        return ack

    @on_update.validator
    def check_update(self, name: str, args: Sequence[RawValue]) -> None:
        """Refuse before anything is written; the caller gets the sentence."""
        if self.problem or self.resume:
            raise ApplicationError(self.problem or NOT_READ, type="NotReady")
        try:
            read(self.record, name, decode(args))
        except (Refused, Malformed) as refused:
            raise ApplicationError(str(refused), type=type(refused).__name__) from None

    @workflow.query
    def view(self) -> JobView:
        """The job as people see it."""
        return view_of(self._read())

    @workflow.query
    def ledger(self, since: int = 0) -> list[LedgerEntry]:
        """Ledger entries after number `since`; those before the kept ones lie in the store."""
        return [entry for entry in self.record.ledger if entry.n > since]

    @workflow.query
    def gates(self) -> int:
        """How many gates have been opened so far."""
        return sum(self.record.gates_opened.values())

    @workflow.query
    def record_now(self) -> JobRecord:
        """The whole record, as the store's manifest has it."""
        return self._read()

    def _read(self) -> JobRecord:
        """The record, once there is one: before that the store knows more, and callers look there."""
        if self.problem or self.resume:
            raise ApplicationError(self.problem or NOT_READ, type="NotReady")
        return self.record

    @workflow.query
    def diagram(self) -> str:
        """The machine as mermaid text with the current state marked."""
        return phase_diagram(self.record.state)

    # --- the story ------------------------------------------------------------------------------------

    @workflow.run
    async def run(self, *raw: Any) -> JobResult:  # noqa: ARG002 (read in __init__)
        """Plan until verified and no longer kept open, or cancelled."""
        if self.problem:
            raise ApplicationError(self.problem, type="BadStart", non_retryable=True)
        if self.resume:
            await self._continue_from_store(self.resume)
        while not self.done:
            try:
                if trigger := await self._next_trigger():
                    self._fire(trigger)
            except asyncio.CancelledError:
                # `temporal workflow cancel` asks for what the message `cancel` asks for.
                receive(self.record, Message.CANCEL, [{"by": "temporal workflow cancel"}], workflow.now())
        self.publish()
        await self.save()
        return JobResult(
            job=self.record.job,
            state=self.record.state,
            artifacts={p: ref.digest for p in WORK_PHASES if (ref := self.record.current(p))},
        )

    async def _continue_from_store(self, resume: RestartFrom) -> None:
        self.record = await self.local(PlanningActivities.load_manifest, LoadOrder(job=self.record.job))
        self.resume = None
        self.already_logged()
        try:
            reopen(self.record, resume, workflow.now())
        except Refused as refused:
            raise ApplicationError(str(refused), type="Refused", non_retryable=True) from None
        for name, given in self.early:
            receive(self.record, name, given, workflow.now())

    async def _next_trigger(self) -> Trigger | None:
        """What happened; None when the loop should look again."""
        if self.record.demand:
            return await self._demanded(self.record.demand)
        if starts_to_act(self.record):
            begin_act(self.record, STARTED_WITH, workflow.now())
        if acts_now(self.record):
            await self.carry_out()
            return None
        if self.record.hold and self.record.state is not State.CANCELLED:
            await self.wait(lambda: self.record.hold is None)
            return None
        phase = self.record.state.phase
        match self.record.state.stage:
            case Stage.WORK if phase:
                return await self._work(phase)
            case Stage.AI_REVIEW if phase:
                return await self._review(phase)
            case Stage.HUMAN_REVIEW:
                await self.wait(lambda: decisions_enough(self.record))
                enough = decisions_enough(self.record) and not self.record.hold and not self.record.demand
                return Trigger.HUMAN_APPROVE if enough else None
            case Stage.VERIFIED:
                return await self._keep_open()
            case Stage.CANCELLED:
                self.done = True
                return None
            case Stage.WORK | Stage.AI_REVIEW:
                raise AssertionError("every working state has a phase")
            case stage:
                assert_never(stage)

    def _fire(self, trigger: Trigger) -> None:
        demand = self.record.demand
        if demand and demand.trigger is not trigger:
            # Asked for while the work went on: it goes first, and what was done meanwhile is kept.
            return
        try:
            advance(self.record, trigger, workflow.now())
        except MoveRefused as refused:
            note_refusal(self.record, trigger, str(refused), workflow.now())
            self.record.demand = None
            if demand is None:
                # Own work that the table refuses would be done again for ever: let a person look.
                self.park(str(refused))
        self.log_ledger()

    async def _demanded(self, demand: Demand) -> Trigger | None:
        if demand.trigger is not Trigger.EDIT:
            return demand.trigger
        phase = self.record.state.phase
        assert phase is not None
        try:
            handover = await self.local(
                PlanningActivities.accept_edit, edit_order(self.record, phase, demand)
            )
        except FailureError as failed:
            note_refusal(self.record, Message.EDIT, reason_of(failed), workflow.now())
            if self.record.demand is demand:
                self.record.demand = None
            self.hear_cancelling(failed)
            return None
        if self.record.demand is not demand:
            return None
        self._submit(phase, handover)
        record_mended(self.record, handover.brought)
        return Trigger.EDIT

    async def _work(self, phase: Phase) -> Trigger | None:
        if facts_of(self.record).artifact_ready:
            return Trigger.SUBMIT
        if self.record.workspace is None and not await self._prepare():
            return None
        if phase is Phase.CLARIFICATION and not await self._dialogue():
            return None
        order = work_order(self.record, phase)
        handover = await self._handover(phase, order)
        if handover is None or work_order(self.record, phase) != order:
            # Overtaken, failed, or made without what was said meanwhile.
            return None
        self._submit(phase, handover)
        return Trigger.SUBMIT

    async def _handover(self, phase: Phase, order: WorkOrder) -> Handover | None:
        """The phase's work, done by an agent or without a model; None when there is nothing to submit."""
        if not self.record.spec.ladder(AgentKind.PLAN, phase):
            return await self.perform(work_of(phase), order, quick=is_quick(phase, order.workspace.files))
        if base := self.planned(order):
            return await self.drafted(order, base)
        may_ask = phase is Phase.CLARIFICATION and may_follow_up(self.record)
        outcome = await self.converse(AgentKind.PLAN, order, may_ask=may_ask)
        if outcome is None or outcome.answer is None:
            return None
        if outcome.end is AgentEnd.ASKED:
            follow_up(self.record, outcome.answer.questions, workflow.now())
            return None
        base = outcome.answer.handover
        return await self.drafted(order, base) if base and self.drafts(order) else base

    async def _prepare(self) -> bool:
        prepared = await self.perform(
            PlanningActivities.prepare_job,
            prepare_order(self.record),
            quick=is_near(self.record.spec.repository),
        )
        if prepared is None:
            return False
        self.record.workspace = prepared.workspace
        self.record.task_digest = prepared.task_digest
        return True

    async def _dialogue(self) -> bool:
        """Wait for answers; True when CLARIFICATION can be composed."""
        handling = self.record.spec.policy.question_handling
        critical = [q for q in self.record.open_questions() if q.ref.critical]
        if handling is QuestionHandling.SKIP_TASK and critical:
            reason = f"{counted(len(critical), 'critical question is', 'critical questions are')} open"
            self.record.demand = Demand(trigger=Trigger.CANCEL, by="policy:skip_task", text=reason)
            return False
        if handling is not QuestionHandling.ASK and self.record.open_questions() and not self.record.finished:
            self.record.finished = "policy:best_guess"
        if not await self._explained():
            return False
        heard = len(self.record.says)
        await self.wait(
            lambda: bool(self.record.finished) or not self.record.open_questions() or self._unheard(heard)
        )
        answered = bool(self.record.finished) or not self.record.open_questions()
        return answered and not self.record.hold and not self.record.demand

    def _unheard(self, heard: int) -> bool:
        """Whether a person said something that a model should reply to."""
        explains = bool(self.record.spec.ladder(AgentKind.EXPLAIN, Phase.CLARIFICATION))
        return explains and len(self.record.says) > heard

    async def _explained(self) -> bool:
        """Have a model reply to what people said while questions are open; False when it could not."""
        while (
            self.record.open_questions() and not self.record.finished and self._unheard(replied(self.record))
        ):
            said = len(self.record.says)
            outcome = await self.converse(AgentKind.EXPLAIN, work_order(self.record, Phase.CLARIFICATION))
            if outcome is None or outcome.answer is None:
                return False
            reply(self.record, said, outcome.answer.text, outcome.used, workflow.now())
            self.show()
        return True

    def _submit(self, phase: Phase, handover: Handover) -> None:
        ref = ArtifactRef(
            phase=phase,
            version=0,
            digest=handover.digest,
            size=handover.size,
            built_from=built_from(self.record, phase),
            made_by=handover.made_by,
            summary=handover.summary,
            feedback=feedback_for(self.record, phase),
        )
        record_artifact(self.record, ref, workflow.now())

    async def _review(self, phase: Phase) -> Trigger | None:
        review = await self.perform(
            PlanningActivities.review_artifact, review_order(self.record, phase), quick=True
        )
        if review is None:
            return None
        if review.approved and self.record.spec.ladder(AgentKind.REVIEW, phase):
            # Paid for only where the mechanical checks find nothing.
            outcome = await self.converse(AgentKind.REVIEW, review_order(self.record, phase))
            if outcome is None or outcome.answer is None:
                return None
            review = judged(review, outcome.answer.findings, outcome.used)
        record_review(self.record, review, workflow.now())
        return review_trigger(self.record, review)

    async def _keep_open(self) -> Trigger | None:
        """A verified job stays reachable for restart_from and act until its time is over."""
        left = (self.record.open_until or workflow.now()) - workflow.now()
        chosen = self.record.selected

        def moved() -> bool:
            # Another choice is kept where it can be read while no worker answers.
            return starts_to_act(self.record) or self.record.selected != chosen

        over = left <= timedelta(0) or not await self.wait(moved, left)
        if over and self.record.demand is None and await self.leave():
            end(self.record, workflow.now())
            self.done = True
        return None
