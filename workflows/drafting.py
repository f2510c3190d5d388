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
        unfinished,
    )
    from states.ledger import EntryKind
    from states.receive import receive
    from states.record import ArtifactRef, Draft
    from states.shares import Shares
    from states.spending import used_up
    from states.staff import call_back, hire, hold_for_budget
    from states.words import Message
    from workflows.conversation import PAUSED
    from workflows.failures import reason_of
    from workflows.staff import Staffed

DRAFTS_OPTIONS = "drafts-options"
"""the patch since which a model's plan gets options from agents"""
DRAFTS_GO_ON = "drafts-go-on"
"""the patch since which drafts outlive a short pause and want of room beside others, and no restart"""
USED_UP = "its share of the budget is used up"


class Drafting(Staffed):
    """A job whose options are drafted by agents. Not a workflow of its own."""

    def drafts(self, order: WorkOrder) -> bool:
        """Whether agents draft options for this work."""
        ladder = self.record.spec.ladder(AgentKind.OPTION, order.phase)
        names = names_to_draft(self.record, order.phase, order.refine)
        return bool(ladder and names) and workflow.patched(DRAFTS_OPTIONS)

    def planned(self, order: WorkOrder) -> Handover | None:
        """What the phase's own agent handed over for this very order, before the drafting was interrupted."""
        base = kept_base(self.record, self._subject(order)) if self.record.drafting else None
        if base is None:
            return None
        return Handover(digest=base.digest, size=base.size, made_by=base.made_by, summary=base.summary)

    async def drafted(self, order: WorkOrder, base: Handover) -> Handover | None:
        """The artifact with the options that agents drafted; None when overtaken or held.

        An option that fails is left out with a note; without any the artifact's own options stay.
        """
        ref = ArtifactRef(phase=order.phase, version=0, **base.model_dump())
        goes_on = workflow.patched(DRAFTS_GO_ON)
        names = names_to_draft(self.record, order.phase, order.refine)
        begin_drafting(self.record, self._subject(order), ref, names)
        shares = Shares(self.record)
        while left := unfinished(self.record):
            if goes_on and self._interrupted(order):
                return None
            if why := used_up(self.record):
                hold_for_budget(self.record, why, workflow.now())
                return None
            models = self.record.spec.ladder(AgentKind.OPTION, order.phase)
            batch = shares.begin(left) if models else ()
            if not batch:
                self._leave_out(left, USED_UP if models else "no model drafts options any more")
                break
            await self._round(order, base, batch, shares)
            if self._interrupted(order):
                return None
        return await self._joined(order, base)

    async def _round(
        self, order: WorkOrder, base: Handover, batch: tuple[Draft, ...], shares: Shares
    ) -> None:
        """Have these drafted side by side, or one alone: each is there then, left out, or rests."""
        goes_on, alone = workflow.patched(DRAFTS_GO_ON), len(batch) == 1
        orders = [self._draft_order(order, base, draft, shares) for draft in batch]
        if goes_on and not alone:
            orders = [agent.model_copy(update={"shared": True}) for agent in orders]
        self.publish()
        outcomes = await self._all(order, list(zip(batch, orders, strict=True)))
        for draft, outcome in zip(batch, outcomes, strict=True):
            shares.book(draft, outcome.usage)
            if goes_on and outcome.end is AgentEnd.BUDGET:
                shares.ran_out(draft, alone=alone)
        if goes_on or self._interrupted(order) or shares.outdated():
            return
        if any(outcome.end is AgentEnd.STOPPED for outcome in outcomes):
            self._leave_out(unfinished(self.record), "its agent stopped by itself")

    def _interrupted(self, order: WorkOrder) -> bool:
        """Whether people want something else now."""
        asked = self.record.demand is not None or self.record.hold is not None
        return asked or self._outdated(AgentKind.OPTION, order)

    async def _all(self, order: WorkOrder, work: list[tuple[Draft, AgentOrder]]) -> list[AgentOutcome]:
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

    async def _one(self, order: WorkOrder, draft: Draft, agent: AgentOrder) -> AgentOutcome:
        try:
            outcome = await self._accompany(agent, lambda: self._outdated(AgentKind.OPTION, order))
        except FailureError as failed:
            used = await self._read_usage(agent.agent)
            outcome = AgentOutcome(end=AgentEnd.FAILED, reason=reason_of(failed), usage=used)
        self._book(agent.agent, outcome)
        option = outcome.answer.option if outcome.answer else ""
        if outcome.end is AgentEnd.SUBMITTED and option:
            settle(self.record, draft.number, option=option)
        elif self._rests(order, outcome):
            rest(self.record, draft.number, agent.agent, outcome.carry)
        elif outcome.end is AgentEnd.BUDGET:  # only before the patch
            self._leave_out((draft,), USED_UP)
        elif outcome.end is AgentEnd.STOPPED:
            self._leave_out((draft,), "its agent was cancelled")
        else:
            self._leave_out((draft,), outcome.reason or "it handed nothing over")
        return outcome

    def _rests(self, order: WorkOrder, outcome: AgentOutcome) -> bool:
        """Whether a draft is gone on with; one whose agent was cancelled by hand is not."""
        if not workflow.patched(DRAFTS_GO_ON):
            out = outcome.end is AgentEnd.BUDGET and bool(used_up(self.record))
            return out or outcome.end is AgentEnd.STOPPED
        told = outcome.reason == PAUSED or self._interrupted(order)
        return outcome.end is AgentEnd.BUDGET or (outcome.end is AgentEnd.STOPPED and told)

    def _leave_out(self, drafts: tuple[Draft, ...], why: str) -> None:
        for draft in drafts:
            settle(self.record, draft.number, why=why[:400])
            what = f"draft {draft.number} of the options is left out"
            self.record.note(workflow.now(), EntryKind.AGENT, what, why=why)
        self.log_ledger()

    def _draft_order(self, order: WorkOrder, base: Handover, draft: Draft, shares: Shares) -> AgentOrder:
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
            allowance=shares.of(draft),
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

    def _subject(self, order: WorkOrder) -> str:
        """What the drafts are about. After a restart that is something else, even if the order is equal."""
        restarts = self.record.restarts_total if workflow.patched(DRAFTS_GO_ON) else 0
        return digest_of([AgentKind.OPTION, order.model_dump(mode="json"), *([restarts] if restarts else [])])
