"""One agent's conversation: ask the model, run what it asks for, until something is handed over."""

import asyncio
import contextlib
from collections.abc import Callable
from itertools import count

from temporalio import workflow
from temporalio.exceptions import FailureError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    import workflows.patience as patience
    from activities.agent_orders import (
        AgentOrder,
        AgentOutcome,
        CallOrder,
        Opened,
        PriceOrder,
        Reply,
        ToolAnswer,
        ToolOrder,
    )
    from activities.agents import AgentActivities
    from states.agents import AgentCarry, AgentEnd, Price, ToolCall, Usage
    from states.amounts import counted
    from states.budget import Account, most
    from states.cooperation import Mail
    from states.trace import AgentProgress, TraceEvent, TraceKind
    from workflows.attempts import OWN_ATTEMPTS, Bill, bill_of, is_given_up, wait_after
    from workflows.failures import reason_of

NUDGE = "Go on: call the tools to look further, or hand over what you have."
"""follows a reply without a tool call, so that no conversation ends with the model's own words"""

PRICES_ANEW = "prices-anew"
"""the patch since which models that were changed in mid-conversation have their prices looked up"""

RESTS = "rests"
"""why a conversation stops where `until` holds"""

PAUSED = "paused"
"""why one stops that is told to"""

NO_ROOM = "the next call might use more than is left"

WRAPPING = 400
"""bytes: more than stands around a mail, or around all that is told before a call, with the last demand"""

LOST = Usage(calls=1, unpriced_calls=1, given_up_calls=1)
"""a call that was given up while it ran: it may have been paid, nobody knows how much"""


class Conversation:
    """Owned by a workflow, which may run two at once over one account. Not a workflow of its own."""

    def __init__(
        self,
        order: AgentOrder,
        account: Account,
        send: Callable[[str, int], None] | None = None,
        record: Callable[[Usage], None] | None = None,
        turn: asyncio.Lock | None = None,
    ) -> None:
        """`send` passes a stored mail on; `record` is told before each call what is used if this is the last
        thing that is ever heard of it. Conversations of one workflow have one `turn`: local activities that
        run at once come to their end in another order when they are replayed.
        """
        self.order = order
        self.usage = Usage()
        self.used: dict[str, None] = {}
        self.trace: list[TraceEvent] = list(order.past)
        self.stopping = False
        self.ended: AgentEnd | None = None
        self.carry: AgentCarry | None = order.carry
        self._account = account
        self._send = send
        self._record = record
        self._turn = turn or asyncio.Lock()
        self._unheard = 0
        """attempts of the call under way that nobody heard of again"""
        self._mail: list[tuple[str, str]] = []
        self._sizes: dict[str, int] = {}
        """bytes of each mail that was delivered"""
        self._doing = ""
        self._forced = False

    def deliver(self, mail: str, source: str, size: int) -> None:
        """A stored mail of another agent, of `size` bytes; it is read once, before this agent's next call."""
        self._mail.append((mail, source))
        self._sizes[mail] = size

    @property
    def mail(self) -> tuple[Mail, ...]:
        """What was delivered and not read yet, oldest first."""
        return tuple(Mail(digest=d, source=source, size=self._sizes[d]) for d, source in self._mail)

    @property
    def size(self) -> int:
        """Bytes of the next call at most: the conversation, and what is told before the call."""
        carry = self._carry()
        told = sum(self._sizes[digest] + WRAPPING for digest, _ in self._mail)
        return carry.size + told + len(carry.say.encode()) + WRAPPING

    def progress(self) -> AgentProgress:
        """The agent as people see it."""
        return AgentProgress(
            agent=self.order.agent,
            kind=self.order.kind,
            calls=self.carry.calls if self.carry else 0,
            usage=self.usage,
            doing=self._doing,
            end=self.ended,
            trace=tuple(self.trace),
        )

    async def run(self, say: str = "", until: Callable[[], bool] = lambda: False) -> AgentOutcome:
        """Go on until an end, or a rest where `until` holds. `say` is told to the agent first."""
        self.ended, self._forced = None, False
        try:
            outcome = await self._converse(say, until)
        except FailureError as failed:
            if is_cancelled_exception(failed):
                outcome = self._rest(AgentEnd.STOPPED, "overtaken")
            else:
                outcome = self._rest(AgentEnd.FAILED, reason_of(failed))
        except asyncio.CancelledError:
            outcome = self._rest(AgentEnd.STOPPED, "overtaken")
        self.ended, self._doing = outcome.end, ""
        return outcome

    async def _converse(self, say: str, until: Callable[[], bool]) -> AgentOutcome:
        carry = self.carry or await self._open()
        self.carry = carry.model_copy(update={"say": say or carry.say, "prices": await self._prices(carry)})
        while True:
            if self.stopping:
                return self._rest(AgentEnd.STOPPED, PAUSED)
            if until():
                return self._rest(AgentEnd.STOPPED, RESTS)
            only = self._is_last()
            if not self._carry().pending and not await self._ask(only=only):
                if self.stopping:
                    continue
                return self._rest(AgentEnd.BUDGET, self._account.used_up() or NO_ROOM)
            answers = await self._answer()
            if outcome := self._outcome(answers, only=only):
                return outcome

    def _outcome(self, answers: list[ToolAnswer], *, only: bool) -> AgentOutcome | None:
        """What the answers to one reply end with; None when the conversation goes on."""
        done = [answer for answer in answers if answer.end]
        if done:
            self._forced = only
            return self._rest(done[-1].end or AgentEnd.SUBMITTED, "", done[-1])
        refused = [answer for answer in answers if answer.refused]
        repairs = self._carry().repairs
        if refused and repairs > self.order.limits.max_repairs:
            refusals = counted(repairs, "submission does", "submissions do")
            why = f"{refusals} not validate, the last: {refused[-1].text}"
            return self._rest(AgentEnd.FAILED, why)
        return self._gave_up() if only and not refused else None

    async def _prices(self, carry: AgentCarry) -> dict[str, Price]:
        """What every model costs; those of a conversation that goes on with other models are looked up."""
        new = tuple(model for model in self.order.models if model not in carry.prices)
        if not new or not workflow.patched(PRICES_ANEW):
            return carry.prices
        async with self._turn:
            found = await workflow.execute_local_activity_method(
                AgentActivities.price_models, PriceOrder(models=new), **patience.QUICK
            )
        return {**carry.prices, **found}

    def _is_last(self) -> bool:
        """Whether the next reply, or the one that still waits for answers, is the forced one."""
        carry = self._carry()
        return carry.iterations - bool(carry.pending) >= self.order.limits.max_iterations

    async def _open(self) -> AgentCarry:
        self._doing = "opens the conversation"
        opened = await self._opened()
        return AgentCarry(
            order=opened.order,
            head=opened.head,
            size=opened.size,
            prices=opened.prices,
            fallback=opened.fallback,
        )

    async def _opened(self) -> Opened:
        """The first prompt reads the index, which takes minutes to make of a large repository."""
        work = AgentActivities.open_conversation
        if patience.is_small(self.order.workspace.files):
            async with self._turn:
                return await workflow.execute_local_activity_method(work, self.order, **patience.QUICK)
        return await workflow.execute_activity_method(work, self.order, **patience.READ_REPOSITORY)

    async def _ask(self, *, only: bool) -> bool:
        """Get the next reply, of the first model of the ladder that gives one; False when stopped or out of
        budget."""
        last: FailureError | None = None
        for model in self.order.models:
            try:
                return await self._call(model, only=only)
            except FailureError as failed:
                if is_cancelled_exception(failed):
                    raise
                last = failed
                self._note(TraceKind.FALLBACK, model=model, why=reason_of(failed)[:300])
        assert last is not None, "a ladder has at least one model"
        raise last

    async def _call(self, model: str, *, only: bool) -> bool:
        """Ask until the model replies; False when stopped or out of budget. Raises the last failure."""
        carry = self._carry()
        bound = most(self.size, self.order.limits.max_output_tokens, carry.prices.get(model, Price()))
        if not await self._room(bound):
            return False
        mail, asked = tuple(self._mail), workflow.now()
        order = CallOrder(
            order=carry.order,
            head=carry.head,
            add=carry.add,
            mail=tuple(digest for digest, _ in mail),
            say="" if only and carry.say == NUDGE else carry.say,
            number=carry.calls + 1,
            model=model,
            only=only,
        )
        try:
            reply = await self._reply(order, bound)
        finally:
            self._settle(self._doubt(bound))
            self._unheard = 0
        if reply is None:
            return False
        for digest, source in mail:
            # Noted once, however often the call failed before.
            self._note(TraceKind.COMMUNICATION_RECEIVED, at=asked, message=digest, source=source)
        del self._mail[: len(mail)]
        self.used[model] = None
        self._take_reply(order, reply)
        return True

    async def _room(self, bound: Usage) -> bool:
        """Reserve what an attempt may use, once there is room; False when stopped or out of budget."""
        self._doing = "waits for budget"
        doubt, account = self._doubt(bound), self._account

        def in_vain() -> bool:
            return self.stopping or bool(account.used_up(doubt)) or account.has_no_room(bound + doubt)

        await workflow.wait_condition(lambda: in_vain() or account.may_start(bound + doubt))
        if in_vain():
            return False
        account.reserve(self.order.agent, bound + doubt)
        return True

    async def _reply(self, order: CallOrder, bound: Usage) -> Reply | None:
        """The reply, after as many attempts as it takes; None when stopped or out of budget between two."""
        own = workflow.patched(OWN_ATTEMPTS)
        for number in count(1):
            self._doing = f"asks {order.model}"
            try:
                return await self._attempt(order, bound, own=own)
            except FailureError as failed:
                wait = wait_after(failed, number) if own else None
                if wait is None:
                    raise
                self._doing = (
                    f"waits {wait.total_seconds():.0f} s for {order.model}: {reason_of(failed)[:200]}"
                )
            with contextlib.suppress(TimeoutError):
                await workflow.wait_condition(lambda: self.stopping, timeout=wait)
            if not await self._room(bound):
                return None
        raise AssertionError("attempts end with a reply or a failure")

    async def _attempt(self, order: CallOrder, bound: Usage, *, own: bool) -> Reply:
        """One attempt, booked with what it used or may have used."""
        seconds, doubt = self.order.limits.call_seconds, self._doubt(bound)
        if own and self._record:
            self._record(self.usage + doubt + bound)
        used = Usage()
        try:
            reply = await workflow.execute_activity_method(
                AgentActivities.call_model,
                order,
                **(patience.model_attempt(seconds) if own else patience.model_call(seconds)),
                summary=f"{self.order.agent} call {order.number}: {order.model}",
            )
            # What nobody heard of again was asked in vain, unless this is its reply.
            self._unheard -= bool(self._unheard and reply.kept)
            used = reply.usage + self._doubt(bound)
            self._unheard = 0
            return reply
        except BaseException as failed:
            used = self._billed(failed, bound) if own else LOST if is_given_up(failed) else Usage()
            raise
        finally:
            self._settle(used)

    def _billed(self, failed: BaseException, bound: Usage) -> Usage:
        """What to book for an attempt without a reply, and for those that nobody heard of before it."""
        bill = bill_of(failed)
        self._unheard += bill is not Bill.NONE
        if bill is Bill.DOUBTFUL:
            return Usage()
        used, self._unheard = self._doubt(bound), 0
        return used

    def _doubt(self, bound: Usage) -> Usage:
        return sum([bound] * self._unheard, Usage())

    def _settle(self, used: Usage) -> None:
        self._account.settle(self.order.agent, used)
        self.usage += used

    def _take_reply(self, order: CallOrder, reply: Reply) -> None:
        carry = self._carry()
        self.carry = carry.model_copy(
            update={
                "head": reply.head,
                "add": (),
                "say": "" if reply.calls else NUDGE,
                "pending": reply.calls,
                "message": reply.message,
                "model": reply.model,
                "size": reply.size,
                "calls": order.number,
                "iterations": carry.iterations + 1,
            }
        )
        self._note(
            TraceKind.LLM_CALL,
            model=reply.model,
            head=reply.head,
            message=reply.message,
            usage=reply.usage,
        )

    async def _answer(self) -> list[ToolAnswer]:
        """Run every tool of the last reply at once; the answers are in the order of the calls."""
        carry = self._carry()
        self._doing = ", ".join(dict.fromkeys(call.name for call in carry.pending))
        async with self._turn:
            answers = await asyncio.gather(*(self._tool(carry, call) for call in carry.pending))
        self.carry = carry.model_copy(
            update={
                "pending": (),
                "add": tuple(answer.message for answer in answers),
                "size": carry.size + sum(answer.size for answer in answers),
                "repairs": carry.repairs + any(answer.refused for answer in answers),
            }
        )
        for call, answer in zip(carry.pending, answers, strict=True):
            self._note(
                TraceKind.TOOL_EXECUTION,
                model=call.name,
                message=carry.message,
                index=call.index,
                answer=answer.message,
                ok=answer.ok,
            )
            if answer.mail and self._send:
                self._send(answer.mail, answer.size)
        return answers

    async def _tool(self, carry: AgentCarry, call: ToolCall) -> ToolAnswer:
        order = ToolOrder(order=carry.order, message=carry.message, index=call.index, model=carry.model)
        return await workflow.execute_local_activity_method(AgentActivities.run_tool, order, **patience.QUICK)

    def _gave_up(self) -> AgentOutcome:
        """Nothing came, not even by the forced call."""
        carry = self._carry()
        self._forced = True
        if carry.fallback:
            answer = ToolAnswer(message="", size=0, end=AgentEnd.SUBMITTED, plan=carry.fallback)
            return self._rest(AgentEnd.SUBMITTED, "", answer)
        return self._rest(AgentEnd.FAILED, f"nothing was handed over in {counted(carry.calls, 'call')}")

    def _rest(self, end: AgentEnd, reason: str, answer: ToolAnswer | None = None) -> AgentOutcome:
        return AgentOutcome(
            end=end,
            reason=reason,
            carry=self.carry,
            usage=self.usage,
            used=tuple(self.used),
            answer=answer,
            forced=self._forced,
        )

    def _carry(self) -> AgentCarry:
        assert self.carry is not None, "the conversation is open"
        return self.carry

    def _note(self, kind: TraceKind, **what: object) -> None:
        self.trace.append(
            TraceEvent.model_validate({"at": workflow.now(), "agent": self.order.agent, "kind": kind} | what)
        )
