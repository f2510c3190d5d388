"""The activities of an agent: open its conversation, call its model, run a tool it asked for."""

from collections.abc import Mapping
from typing import Any

from temporalio import activity
from temporalio.service import RPCError, RPCStatusCode

from activities.agent_orders import (
    USED,
    AgentOrder,
    CallOrder,
    Opened,
    PriceOrder,
    Reply,
    ToolAnswer,
    ToolOrder,
    UsageOrder,
)
from activities.agent_ports import Completion, Desk, Message, Provider
from activities.briefing import lasting
from activities.conversations import Conversations
from activities.desks.fencing import fence
from activities.flights import Flights
from activities.heartbeat import beating
from activities.store import Store
from states.agents import AgentKind, Price, ToolCall, Usage
from states.artifacts.base import canonical_json, digest_of

HISTORY = "## CONVERSATION HISTORY"
"""heads what the other agent said (CooperBench)"""
MOST_CALLS = 100
"""tool calls of one reply that are kept; models that repeat themselves ask for thousands, and each is an
activity that its workflow begins in one and the same moment"""


class AgentActivities:
    """Everything an agent does outside of its workflow."""

    def __init__(self, store: Store, desks: Mapping[AgentKind, Desk], provider: Provider) -> None:
        self._store = store
        self._kept = Conversations(store)
        self._desks = desks
        self._provider = provider
        self._calls: Flights[Reply] = Flights()
        self._unkept: dict[str, Completion] = {}
        """what was paid for and the store has not taken yet, such as while a disk is full"""

    @activity.defn
    async def open_conversation(self, order: AgentOrder) -> Opened:
        """Store the order, the system prompt and the first message; look up what the models cost."""
        desk = self._desks[order.kind]
        async with beating():
            messages = await lasting(desk.opening(order))
            stored = [await self._kept.put(message) for message in messages]
            fallback = await desk.fallback(order)
            return Opened(
                order=await self._kept.put_order(order),
                head=await self._kept.put_list([digest for digest, _ in stored]),
                size=sum(size for _, size in stored) + len(canonical_json(desk.tools(order))),
                prices={model: await self._provider.price(model) for model in order.models},
                fallback=await self._kept.put_bytes(fallback.encode()) if fallback else "",
            )

    @activity.defn
    async def price_models(self, order: PriceOrder) -> dict[str, Price]:
        """What a token of each model costs."""
        return {model: await self._provider.price(model) for model in order.models}

    @activity.defn
    async def read_usage(self, order: UsageOrder) -> Usage | None:
        """What an agent's workflow recorded before its last call; None for one that never did, or is gone.

        It counts the call under way at the most that it can use, so it is too much by one call or exact.
        """
        try:
            seen = await activity.client().get_workflow_handle(order.workflow).describe()
        except RPCError as refused:
            if refused.status is RPCStatusCode.NOT_FOUND:
                return None
            raise
        found: Usage | None = await seen.memo_value(USED, None, type_hint=Usage)
        return found

    @activity.defn
    async def call_model(self, order: CallOrder) -> Reply:
        """One model call. A reply is remembered before it is reported: nothing pays for it again."""
        agent = await lasting(self._kept.order(order.order))
        key = digest_of([agent.session, agent.agent, order.model_dump(mode="json")])
        async with beating():
            earlier = self._calls.is_under_way(key)
            reply = await self._calls.join(key, lambda: self._paid_once(key, order, agent))
        return reply.model_copy(update={"kept": True}) if earlier else reply

    async def _paid_once(self, key: str, order: CallOrder, agent: AgentOrder) -> Reply:
        if known := await lasting(self._store.recall(key)):
            return Reply.model_validate_json(known).model_copy(update={"kept": True})
        digests = [*await lasting(self._kept.list_of(order.head)), *order.add]
        digests += [(await self._kept.put(m))[0] for m in await self._added(order, agent)]
        messages = [await lasting(self._kept.message(digest)) for digest in digests]
        completion = self._unkept.get(key) or await self._complete(order, agent, messages)
        self._unkept[key] = completion
        reply = await self._reply(order, agent, digests, completion)
        await self._store.remember(key, canonical_json(reply.model_dump(mode="json")))
        del self._unkept[key]
        return reply

    @activity.defn
    async def run_tool(self, order: ToolOrder) -> ToolAnswer:
        """Run one call of a reply; what the model reads of it becomes a tool message."""
        agent = await lasting(self._kept.order(order.order))
        message = await lasting(self._kept.message(order.message))
        call = message["tool_calls"][order.index]
        asked = call["function"]
        given = await lasting(
            self._desks[agent.kind].run(agent, asked["name"], asked["arguments"], model=order.model)
        )
        answer: Message = {"role": "tool", "tool_call_id": call["id"], "content": given.text}
        digest, size = await self._kept.put(answer)
        fields: dict[str, Any] = dict(given.answer)
        for name in ("mail", "plan"):
            if name in fields:
                fields[name] = await self._kept.put_bytes(fields[name].encode())
        return ToolAnswer(message=digest, size=size, ok=not given.error, **fields)

    async def _added(self, order: CallOrder, agent: AgentOrder) -> list[Message]:
        """What is said before the call: news of the other agent, a word of the workflow, the last demand."""
        mail = [fence("mail", (await lasting(self._kept.bytes_of(each))).decode()) for each in order.mail]
        said = ["\n\n".join((HISTORY, *mail))] if mail else []
        said += [order.say] if order.say else []
        texts = ["\n\n".join(said)] if said else []
        # The last demand stands alone: nothing before it may read as leave to do otherwise.
        texts += [self._desks[agent.kind].demand(agent)] if order.only else []
        return [{"role": "user", "content": text} for text in texts]

    async def _complete(self, order: CallOrder, agent: AgentOrder, messages: list[Message]) -> Completion:
        desk = self._desks[agent.kind]
        name = desk.submitting(agent)
        tools = desk.tools(agent)
        return await self._provider.complete(
            order.model,
            messages,
            [t for t in tools if t["function"]["name"] == name] if order.only else tools,
            only=name if order.only else "",
            seconds=agent.limits.call_seconds,
            max_output_tokens=agent.limits.max_output_tokens,
        )

    async def _reply(
        self, order: CallOrder, agent: AgentOrder, digests: list[str], completion: Completion
    ) -> Reply:
        message = _bounded(completion.message)
        digest, size = await self._kept.put(message)
        before = [await self._kept.bytes_of(each) for each in digests]
        tools = self._desks[agent.kind].tools(agent)
        return Reply(
            head=await self._kept.put_list([*digests, digest]),
            message=digest,
            size=sum(map(len, before)) + size + len(canonical_json(tools)),
            calls=tuple(
                ToolCall(index=index, name=call["function"]["name"])
                for index, call in enumerate(message.get("tool_calls") or ())
            ),
            model=order.model,
            usage=completion.usage,
            finish=completion.finish,
        )


def _bounded(message: Message) -> Message:
    """A reply with no more calls than are answered: providers refuse conversations with open ones."""
    calls = message.get("tool_calls") or ()
    return {**message, "tool_calls": calls[:MOST_CALLS]} if len(calls) > MOST_CALLS else message
