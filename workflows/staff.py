"""Agents at work for a job: each a child workflow that is paused, overtaken and paid for with the job."""

import asyncio
import contextlib
from collections.abc import Callable

from temporalio import workflow
from temporalio.exceptions import FailureError
from temporalio.workflow import ChildWorkflowHandle, ParentClosePolicy

with workflow.unsafe.imports_passed_through():
    import workflows.patience as patience
    from activities.agent_orders import AgentOrder, AgentOutcome, CodeOrder, UsageOrder
    from activities.agents import AgentActivities
    from activities.orders import ReviewOrder, WorkOrder
    from states.agents import AgentEnd, AgentKind, Usage
    from states.artifacts.base import digest_of
    from states.receive import receive
    from states.spending import allowance, used_up
    from states.staff import book, call_back, hire, hold_for_budget, lay_down, taken_over
    from states.words import Message
    from workflows.agent import STOP, AgentWorkflow
    from workflows.conversation import LOST
    from workflows.failures import reason_of
    from workflows.job import Job
    from workflows.orders import work_order

Work = WorkOrder | ReviewOrder | CodeOrder
GONE_ON_WITH = (AgentEnd.BUDGET, AgentEnd.FAILED, AgentEnd.STOPPED)

CALLED_BACK = "called-back"
"""the patch since which an agent that goes on keeps its id"""
STOPS_OUTDATED = "stops-outdated"
"""the patch since which an agent is stopped when what it works on has changed"""
READS_USAGE = "reads-usage"
"""the patch since which it is looked up what an agent used that does not say so"""


class Staffed(Job):
    """A job that can put an agent to work. Not a workflow of its own."""

    async def converse(self, kind: AgentKind, order: Work, *, may_ask: bool = False) -> AgentOutcome | None:
        """What an agent hands over; None when it was overtaken, rests or failed (the job is then held)."""
        if why := used_up(self.record):
            hold_for_budget(self.record, why, workflow.now())
            return None
        work = digest_of([kind, order.model_dump(mode="json")])
        agent = self._hired(kind, order, work, may_ask=may_ask)
        self.publish()
        try:
            outcome = await self._accompany(agent, lambda: self._outdated(kind, order))
        except FailureError as failed:
            # The agent's workflow itself ended badly: terminated, or not to be started.
            used = await self._read_usage(agent.agent)
            lost = AgentOutcome(end=AgentEnd.FAILED, reason=reason_of(failed), usage=used)
            self._book(agent.agent, lost)
            self.park(lost.reason)
            return None
        except asyncio.CancelledError:
            self._book(agent.agent, AgentOutcome(end=AgentEnd.STOPPED, reason="overtaken", usage=LOST))
            raise
        if outcome.end is AgentEnd.STOPPED and self._outdated(kind, order):
            outcome = outcome.model_copy(update={"reason": "what it works on has changed"})
        self._book(agent.agent, outcome)
        if outcome.end not in GONE_ON_WITH:
            return outcome
        if self.record.demand is None:
            lay_down(self.record, agent.agent, work, outcome.end, outcome.carry)
        if outcome.end is AgentEnd.BUDGET:
            hold_for_budget(self.record, used_up(self.record) or outcome.reason, workflow.now())
        elif outcome.end is AgentEnd.FAILED:
            self.park(outcome.reason, agent.agent)
        return None

    def _hired(self, kind: AgentKind, order: Work, work: str, *, may_ask: bool) -> AgentOrder:
        spec = self.record.spec
        code = order if isinstance(order, CodeOrder) else None
        models = spec.ladder(kind, order.phase)
        rest = taken_over(self.record, work)
        again = None
        if rest and workflow.patched(CALLED_BACK):
            again = call_back(self.record, rest.agent, models)
        note = again or hire(self.record, kind, order.phase, models)
        return AgentOrder(
            job=self.record.job,
            agent=note.id,
            session=workflow.info().first_execution_run_id,
            kind=kind,
            phase=order.phase,
            workspace=order.workspace,
            models=models,
            limits=spec.agents,
            allowance=allowance(self.record),
            work=code.work if code else order if isinstance(order, WorkOrder) else None,
            code=code,
            review=order if isinstance(order, ReviewOrder) else None,
            may_ask=may_ask,
            carry=rest.carry if rest else None,
        )

    async def _accompany(self, order: AgentOrder, outdated: Callable[[], bool]) -> AgentOutcome:
        """Run the agent; stop it at its next call when the job is held, or its budget or its work changes."""
        child = await workflow.start_child_workflow(
            AgentWorkflow.run,
            order,
            id=self._workflow_of(order.agent),
            task_timeout=patience.AGENT_TASK,
            parent_close_policy=ParentClosePolicy.TERMINATE,
            static_summary=f"{order.kind} {order.phase} by {order.models[0]}",
        )
        budget = (self.record.budget_usd, self.record.budget_tokens)

        def disturbed() -> bool:
            changed = (self.record.budget_usd, self.record.budget_tokens) != budget
            return changed or self.record.hold is not None

        def gone() -> bool:
            return child.done() or self._overtaken()

        try:
            await workflow.wait_condition(lambda: gone() or disturbed() or outdated())
            if not gone() and not disturbed() and not workflow.patched(STOPS_OUTDATED):
                await workflow.wait_condition(lambda: gone() or disturbed())
            if not gone():
                await self._stop(child)
                await workflow.wait_condition(gone)
        except asyncio.CancelledError:
            if not workflow.patched(READS_USAGE):
                raise
            # As `run` takes it, but while the agent can still say what it used.
            receive(self.record, Message.CANCEL, [{"by": "temporal workflow cancel"}], workflow.now())
        if not child.done():
            child.cancel()
            try:
                await workflow.wait_condition(child.done, timeout=patience.AGENT_LEAVES)
            except TimeoutError:
                # It cannot run, or nobody runs it. It ends with its job; people do not wait for it.
                used = await self._read_usage(order.agent)
                return AgentOutcome(end=AgentEnd.STOPPED, reason="it did not answer", usage=used)
        return await child

    async def _read_usage(self, agent: str) -> Usage:
        """What an agent used that does not say so: as it recorded it, and where it did not, one lost call."""
        if not workflow.patched(READS_USAGE):
            return LOST
        order = UsageOrder(workflow=self._workflow_of(agent))
        try:
            found = await workflow.execute_activity_method(
                AgentActivities.read_usage, order, **patience.LOOK_UP
            )
        except FailureError:
            # Nobody can look it up either; the job goes on, and says that a call was lost.
            return LOST
        return found or LOST

    def _workflow_of(self, agent: str) -> str:
        note = next(each for each in self.record.agents if each.id == agent)
        return f"{self.record.job}.{note.workflow}"

    async def _stop(self, child: ChildWorkflowHandle[AgentWorkflow, AgentOutcome]) -> None:
        # An agent that ended just now cannot be told; what it handed over is taken all the same.
        with contextlib.suppress(FailureError):
            await child.signal(STOP)

    def _outdated(self, kind: AgentKind, order: Work) -> bool:
        """Whether what an agent hands over is not wanted any more, by what people said since it began."""
        if kind is AgentKind.EXPLAIN:
            return bool(self.record.finished) or not self.record.open_questions()
        return isinstance(order, WorkOrder) and work_order(self.record, order.phase) != order

    def _overtaken(self) -> bool:
        return self.record.demand is not None

    def _book(self, agent: str, outcome: AgentOutcome) -> None:
        head = outcome.carry.head if outcome.carry else ""
        book(
            self.record,
            agent,
            outcome.end,
            outcome.usage,
            outcome.used,
            outcome.reason,
            workflow.now(),
            head,
        )
        self.log_ledger()
