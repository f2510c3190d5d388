"""CooperationWorkflow: one planning agent, or two at once who talk to each other (CooperBench seed)."""

import asyncio
from collections.abc import Sequence

from temporalio import workflow
from temporalio.common import RawValue
from temporalio.exceptions import ApplicationError, FailureError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    import workflows.patience as patience
    from activities.agent_orders import AgentOrder, AgentOutcome
    from activities.cooperation import CooperationActivities
    from activities.cooperation_orders import CompareOrder, CooperationOrder, Member, OpenOrder
    from states.agents import AgentEnd, Usage
    from states.budget import Account
    from states.cooperation import (
        Comparison,
        CooperationProgress,
        CooperationState,
        MemberState,
        OpenedWorkspace,
    )
    from states.overlap_notice import notice
    from workflows.agent import STOP
    from workflows.conversation import RESTS, Conversation
    from workflows.failures import reason_of


class _Partner:
    """One agent at work: its conversation, and the plan that counts."""

    def __init__(self, order: AgentOrder, account: Account, known: MemberState, turn: asyncio.Lock) -> None:
        self.known = known
        self.talk = Conversation(order, account, self._send, turn=turn)
        self.talk.usage = known.usage
        self.talk.used = dict.fromkeys(known.used)
        for mail in known.mail:
            self.talk.deliver(mail.digest, mail.source, mail.size)
        self.other: _Partner | None = None

    def _send(self, mail: str, size: int) -> None:
        if self.other:
            self.other.talk.deliver(mail, self.known.agent, size)

    @property
    def may_go_on(self) -> bool:
        """Whether a call is left: no agent makes more than `max_iterations` and the forced one."""
        carry, limits = self.talk.carry, self.talk.order.limits
        return carry is None or carry.iterations <= limits.max_iterations

    def note(self, outcome: AgentOutcome, number: int) -> None:
        """Keep what came of a round. A plan once agreed counts until a new one is agreed."""
        answer, fallback = outcome.answer, outcome.carry.fallback if outcome.carry else ""
        came = answer is not None and outcome.end is AgentEnd.SUBMITTED
        update: dict[str, object] = {"end": outcome.end, "reason": outcome.reason}
        if came and answer and not (self.known.plan and answer.plan == fallback):
            update |= {"plan": answer.plan, "forced": outcome.forced}
        if came or (self.known.plan and outcome.end is not AgentEnd.STOPPED):
            update |= {"rounds": number, "end": AgentEnd.SUBMITTED}
        self.known = self.known.model_copy(update=update)

    def state(self) -> MemberState:
        """Enough to go on in a new run."""
        return self.known.model_copy(
            update={
                "carry": self.talk.carry,
                "usage": self.talk.usage,
                "used": tuple(self.talk.used),
                "trace": tuple(self.talk.trace),
                "mail": self.talk.mail,
            }
        )


@workflow.defn
class CooperationWorkflow:
    """Opens the repository, lets the agents plan over one account, and has two settle overlaps once."""

    @workflow.init
    def __init__(self, order: CooperationOrder) -> None:
        self.order = order
        known = order.state or CooperationState(started=workflow.now())
        self.current = known.model_copy(update={"ended": None})
        self.partners: tuple[_Partner, ...] = ()
        self.stopping = self.resting = False
        self.doing = "opens the repository"

    @workflow.signal(dynamic=True)
    def on_signal(self, name: str, args: Sequence[RawValue]) -> None:  # noqa: ARG002 (whatever it carries)
        """`stop`; everything else is ignored. Dynamic, as a typed handler can wedge on what it is sent."""
        if name == STOP:
            self.stopping = True
            for partner in self.partners:
                partner.talk.stopping = True

    @workflow.query
    def progress(self) -> CooperationProgress:
        """The run at this moment, without the traces."""
        seen = [partner.talk.progress() for partner in self.partners]
        return CooperationProgress(
            doing=self.doing,
            agents=tuple(each.model_copy(update={"trace": ()}) for each in seen),
            plans=sum(bool(partner.known.plan) for partner in self.partners),
            events=sum(len(each.trace) for each in seen),
        )

    @workflow.query
    def state(self) -> CooperationState:
        """The whole run, with the traces."""
        members = tuple(partner.state() for partner in self.partners) or self.current.members
        return self.current.model_copy(update={"members": members})

    @workflow.run
    async def run(self, order: CooperationOrder) -> CooperationState:
        """Plan until every agent has handed over or cannot go on; the result can be gone on with."""
        try:
            await self._plan()
        except asyncio.CancelledError:
            self.resting = False
        if self.resting:
            workflow.continue_as_new(order.model_copy(update={"state": self.state()}))
        self.doing = ""
        return self.state().model_copy(update={"ended": workflow.now()})

    async def _plan(self) -> None:
        opened = self.current.workspace or await self._open()
        self.current = self.current.model_copy(update={"workspace": opened})
        self._seat(opened)
        self.doing = "plans"
        if not await self._round(1, [""] * len(self.partners)):
            return
        if len(self.partners) == 1:
            return
        fresh = self.current.first is None
        first = self.current.first or await self._compare()
        self.current = self.current.model_copy(update={"first": first})
        if not first.count:
            return
        self.doing = "settles overlaps"
        says = [notice(first.conflicts, first.count, side) if fresh else "" for side in range(2)]
        if await self._round(2, says):
            last = await self._compare()
            self.current = self.current.model_copy(update={"last": last})

    async def _open(self) -> OpenedWorkspace:
        info = workflow.info()
        order = OpenOrder(job=info.workflow_id, repository=self.order.repository, ref=self.order.ref)
        try:
            return await workflow.execute_activity_method(
                CooperationActivities.open_workspace, order, **patience.READ_REPOSITORY
            )
        except FailureError as failed:
            if is_cancelled_exception(failed):
                raise asyncio.CancelledError from None
            raise ApplicationError(reason_of(failed), type="NoWorkspace", non_retryable=True) from None

    def _seat(self, opened: OpenedWorkspace) -> None:
        known = {member.agent: member for member in self.current.members}
        spent = sum((member.usage for member in known.values()), Usage())
        account = Account(allowance=self.order.allowance, spent=spent)
        turn = asyncio.Lock()
        self.partners = tuple(
            _Partner(
                self._agent(member, opened, known.get(member.agent)),
                account,
                known.get(member.agent) or MemberState(agent=member.agent),
                turn,
            )
            for member in self.order.members
        )
        if len(self.partners) == 2:
            self.partners[0].other, self.partners[1].other = self.partners[1], self.partners[0]
        for partner in self.partners:
            partner.talk.stopping = self.stopping

    def _agent(self, member: Member, opened: OpenedWorkspace, known: MemberState | None) -> AgentOrder:
        job = workflow.info().workflow_id
        return AgentOrder(
            job=job,
            agent=member.agent,
            # Not the run's id: the id stands for all parameters, so a reply is paid once for all its runs.
            session=job,
            kind=self.order.kind,
            workspace=opened.workspace,
            models=member.models,
            limits=self.order.limits,
            allowance=self.order.allowance,
            features=member.features,
            past=known.trace if known else (),
            carry=known.carry if known else None,
        )

    async def _round(self, number: int, says: Sequence[str]) -> bool:
        """Let those who have not finished this round converse, at once; whether all have plans now."""

        async def converse(partner: _Partner, say: str) -> None:
            if partner.known.rounds >= number or (number > 1 and not partner.may_go_on):
                return
            partner.known = partner.known.model_copy(update={"end": None, "reason": ""})
            outcome = await partner.talk.run(say=say, until=self._rests)
            if outcome.reason == RESTS:
                self.resting = True
            else:
                partner.note(outcome, number)

        await asyncio.gather(*(converse(p, say) for p, say in zip(self.partners, says, strict=True)))
        if self.resting and self.stopping:
            self._stop_rested()
        return not self.resting and all(partner.known.rounds >= 1 for partner in self.partners)

    def _stop_rested(self) -> None:
        """A stop that came while one agent rested for a new run: there is none."""
        self.resting = False
        for partner in self.partners:
            if partner.known.end is None:
                partner.known = partner.known.model_copy(update={"end": AgentEnd.STOPPED, "reason": "paused"})

    def _rests(self) -> bool:
        return workflow.info().is_continue_as_new_suggested()

    async def _compare(self) -> Comparison:
        one, two = self.partners
        return await workflow.execute_local_activity_method(
            CooperationActivities.compare_plans,
            CompareOrder(plans=(one.known.plan, two.known.plan)),
            **patience.QUICK,
        )
