"""Agents at work for a job: each a child workflow that is paused, overtaken and paid for with the job."""

import asyncio
import contextlib

from temporalio import workflow
from temporalio.exceptions import FailureError
from temporalio.workflow import ChildWorkflowHandle, ParentClosePolicy

with workflow.unsafe.imports_passed_through():
    import workflows.patience as patience
    from activities.agent_orders import AgentOrder, AgentOutcome
    from activities.orders import ReviewOrder, WorkOrder
    from states.agents import AgentEnd, AgentKind
    from states.artifacts.base import digest_of
    from states.spending import allowance, used_up
    from states.staff import book, hire, hold_for_budget, lay_down, taken_over
    from workflows.agent import STOP, AgentWorkflow
    from workflows.conversation import LOST
    from workflows.failures import reason_of
    from workflows.job import Job

GONE_ON_WITH = (AgentEnd.BUDGET, AgentEnd.FAILED, AgentEnd.STOPPED)


class Staffed(Job):
    """A job that can put an agent to work. Not a workflow of its own."""

    async def converse(
        self, kind: AgentKind, order: WorkOrder | ReviewOrder, *, may_ask: bool = False
    ) -> AgentOutcome | None:
        """What an agent hands over; None when it was overtaken, rests or failed (the job is then held)."""
        if why := used_up(self.record):
            hold_for_budget(self.record, why, workflow.now())
            return None
        work = digest_of([kind, order.model_dump(mode="json")])
        agent = self._hired(kind, order, work, may_ask=may_ask)
        self.publish()
        try:
            outcome = await self._accompany(agent)
        except FailureError as failed:
            # The agent's workflow itself ended badly: terminated, or not to be started.
            lost = AgentOutcome(end=AgentEnd.FAILED, reason=reason_of(failed), usage=LOST)
            self._book(agent.agent, lost)
            self.park(lost.reason)
            return None
        except asyncio.CancelledError:
            self._book(agent.agent, AgentOutcome(end=AgentEnd.STOPPED, reason="overtaken", usage=LOST))
            raise
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

    def _hired(
        self, kind: AgentKind, order: WorkOrder | ReviewOrder, work: str, *, may_ask: bool
    ) -> AgentOrder:
        spec = self.record.spec
        models = spec.ladder(kind, order.phase)
        return AgentOrder(
            job=self.record.job,
            agent=hire(self.record, kind, order.phase, models),
            session=workflow.info().first_execution_run_id,
            kind=kind,
            phase=order.phase,
            workspace=order.workspace,
            models=models,
            limits=spec.agents,
            allowance=allowance(self.record),
            work=order if isinstance(order, WorkOrder) else None,
            review=order if isinstance(order, ReviewOrder) else None,
            may_ask=may_ask,
            carry=taken_over(self.record, work),
        )

    async def _accompany(self, order: AgentOrder) -> AgentOutcome:
        """Run the agent; stop it at its next call when the job is held or its budget changes."""
        child = await workflow.start_child_workflow(
            AgentWorkflow.run,
            order,
            id=f"{self.record.job}.{order.agent}",
            task_timeout=patience.AGENT_TASK,
            parent_close_policy=ParentClosePolicy.TERMINATE,
            static_summary=f"{order.kind} {order.phase} by {order.models[0]}",
        )
        budget = (self.record.budget_usd, self.record.budget_tokens)

        def disturbed() -> bool:
            changed = (self.record.budget_usd, self.record.budget_tokens) != budget
            return changed or self.record.hold is not None

        await workflow.wait_condition(lambda: child.done() or self._overtaken() or disturbed())
        if not child.done() and not self._overtaken():
            await self._stop(child)
            await workflow.wait_condition(lambda: child.done() or self._overtaken())
        if not child.done():
            child.cancel()
            try:
                await workflow.wait_condition(child.done, timeout=patience.AGENT_LEAVES)
            except TimeoutError:
                # It cannot run, or nobody runs it. It ends with its job; people do not wait for it.
                return AgentOutcome(end=AgentEnd.STOPPED, reason="it did not answer", usage=LOST)
        return await child

    async def _stop(self, child: ChildWorkflowHandle[AgentWorkflow, AgentOutcome]) -> None:
        # An agent that ended just now cannot be told; what it handed over is taken all the same.
        with contextlib.suppress(FailureError):
            await child.signal(STOP)

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
