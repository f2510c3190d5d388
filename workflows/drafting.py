"""Options drafted by agents at once, each with a share of what is left of the budget."""

import asyncio

from temporalio import workflow
from temporalio.exceptions import FailureError

with workflow.unsafe.imports_passed_through():
    from activities.agent_orders import AgentOrder, AgentOutcome, DraftOrder
    from activities.orders import Handover, JoinOrder, LeftOut, WorkOrder
    from activities.planning import PlanningActivities
    from states.agents import AgentEnd, AgentKind
    from states.artifacts.base import digest_of
    from states.drafting import (
        begin_drafting,
        kept_base,
        names_to_draft,
        rest,
        settle,
        share,
        unfinished,
    )
    from states.ledger import EntryKind
    from states.receive import receive
    from states.record import ArtifactRef, Draft
    from states.spending import used_up
    from states.staff import call_back, hire, hold_for_budget
    from states.words import Message
    from workflows.failures import reason_of
    from workflows.staff import Staffed

DRAFTS_OPTIONS = "drafts-options"
"""the patch since which a model's plan gets options from agents"""


class Drafting(Staffed):
    """A job whose options are drafted by agents. Not a workflow of its own."""

    def drafts(self, order: WorkOrder) -> bool:
        """Whether agents draft options for this work."""
        ladder = self.record.spec.ladder(AgentKind.OPTION, order.phase)
        names = names_to_draft(self.record, order.phase, order.refine)
        return bool(ladder and names) and workflow.patched(DRAFTS_OPTIONS)

    def planned(self, order: WorkOrder) -> Handover | None:
        """What the phase's own agent handed over for this very order, before the drafting was interrupted."""
        base = kept_base(self.record, _work(order))
        if base is None:
            return None
        return Handover(digest=base.digest, size=base.size, made_by=base.made_by, summary=base.summary)

    async def drafted(self, order: WorkOrder, base: Handover) -> Handover | None:
        """The artifact with the options that agents drafted; None when overtaken or held.

        An option that fails is left out with a note; without any the artifact's own options stay.
        """
        ref = ArtifactRef(phase=order.phase, version=0, **base.model_dump())
        begin_drafting(self.record, _work(order), ref, names_to_draft(self.record, order.phase, order.refine))
        while left := unfinished(self.record):
            if why := used_up(self.record):
                hold_for_budget(self.record, why, workflow.now())
                return None
            allowed = (self.record.budget_usd, self.record.budget_tokens)
            orders = [self._draft_order(order, base, draft, len(left)) for draft in left]
            self.publish()
            ends = await self._all(order, list(zip(left, orders, strict=True)))
            if self.record.demand or self.record.hold or self._outdated(AgentKind.OPTION, order):
                return None
            if AgentEnd.STOPPED in ends and allowed == (self.record.budget_usd, self.record.budget_tokens):
                # Nobody asked them to stop: what cannot be stopped by people is not begun again either.
                for draft in unfinished(self.record):
                    self._leave_out(draft.number, "its agent stopped by itself")
        return await self._joined(order, base)

    async def _all(self, order: WorkOrder, work: list[tuple[Draft, AgentOrder]]) -> list[AgentEnd]:
        """Every draft until it ends, one way or another; how each ended."""
        tasks = [asyncio.create_task(self._one(order, draft, agent)) for draft, agent in work]

        def over() -> bool:
            return all(task.done() for task in tasks)

        try:
            await workflow.wait_condition(over)
        except asyncio.CancelledError:
            # As `run` takes it, but while the agents can still say what they used.
            receive(self.record, Message.CANCEL, [{"by": "temporal workflow cancel"}], workflow.now())
            await workflow.wait_condition(over)
        return [task.result() for task in tasks]

    async def _one(self, order: WorkOrder, draft: Draft, agent: AgentOrder) -> AgentEnd:
        try:
            outcome = await self._accompany(agent, lambda: self._outdated(AgentKind.OPTION, order))
        except FailureError as failed:
            used = await self._read_usage(agent.agent)
            outcome = AgentOutcome(end=AgentEnd.FAILED, reason=reason_of(failed), usage=used)
        self._book(agent.agent, outcome)
        option = outcome.answer.option if outcome.answer else ""
        if outcome.end is AgentEnd.SUBMITTED and option:
            settle(self.record, draft.number, option=option)
        elif outcome.end is AgentEnd.STOPPED or (outcome.end is AgentEnd.BUDGET and used_up(self.record)):
            rest(self.record, draft.number, agent.agent, outcome.carry)
        else:
            reason = outcome.reason or "it handed nothing over"
            why = "its share of the budget is used up" if outcome.end is AgentEnd.BUDGET else reason
            self._leave_out(draft.number, why)
        return outcome.end

    def _leave_out(self, number: int, why: str) -> None:
        settle(self.record, number, why=why[:400])
        what = f"draft {number} of the options is left out"
        self.record.note(workflow.now(), EntryKind.AGENT, what, why=why)
        self.log_ledger()

    def _draft_order(self, order: WorkOrder, base: Handover, draft: Draft, among: int) -> AgentOrder:
        spec = self.record.spec
        models = spec.ladder(AgentKind.OPTION, order.phase)
        again = call_back(self.record, draft.rest.agent, models) if draft.rest else None
        note = again or hire(self.record, AgentKind.OPTION, order.phase, models)
        return AgentOrder(
            job=self.record.job,
            agent=note.id,
            session=workflow.info().first_execution_run_id,
            kind=AgentKind.OPTION,
            phase=order.phase,
            workspace=order.workspace,
            models=models,
            limits=spec.agents,
            allowance=share(self.record, among),
            work=order,
            draft=DraftOrder(base=base.digest, number=draft.number, option=draft.name),
            carry=draft.rest.carry if draft.rest else None,
        )

    async def _joined(self, order: WorkOrder, base: Handover) -> Handover | None:
        assert self.record.drafting is not None
        drafts = self.record.drafting.drafts
        join = JoinOrder(
            work=order,
            base=base.digest,
            options=tuple(each.option for each in drafts if each.option),
            left_out=tuple(
                LeftOut(name=each.name or f"draft-{each.number}", why=each.why)
                for each in drafts
                if not each.option
            ),
        )
        handover = await self.perform(PlanningActivities.join_options, join, quick=True)
        if handover is not None:
            self.record.drafting = None
        return handover


def _work(order: WorkOrder) -> str:
    return digest_of([AgentKind.OPTION, order.model_dump(mode="json")])
