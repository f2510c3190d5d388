"""A desk and a provider of model replies that do what a test says, through the ports of the product."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from activities.agent_orders import AgentOrder
from activities.agent_ports import Completion, Given, Message, Tool
from activities.agents import AgentActivities
from activities.briefing import Briefing
from activities.shelf import BlobShelf
from activities.store import Store
from states.agents import AgentEnd, AgentKind, Price, Usage
from states.artifacts.base import Artifact, canonical_json
from states.artifacts.kinds import KIND
from states.artifacts.plan import Estimates, Plan, PlanOption, PlanStep
from states.review import Finding, QuestionRef
from states.words import Phase, ReviewKind
from tests.scripted import NoWorkspaces, ScriptedPlanner

SUBMIT, REVIEW, REPLY, ASK, LOOK, BREAK = "submit", "review", "reply", "ask", "look", "break"

Calls = list[tuple[str, dict[str, Any]]]


@dataclass(frozen=True)
class Asked:
    """What a scripted model knows when it replies: who it is, and its how-manieth reply this is, from 1."""

    agent: str
    kind: AgentKind
    phase: Phase
    turn: int
    model: str
    only: str
    messages: list[Message]


Script = Callable[[Asked], Calls]


def good(asked: Asked) -> Calls:
    """Look once, then hand over what passes."""
    if asked.kind is AgentKind.REVIEW:
        return [(REVIEW, {})]
    if asked.kind is AgentKind.EXPLAIN:
        return [(REPLY, {"text": "it means that"})]
    return [(LOOK, {"what": "src"})] if asked.turn == 1 and not asked.only else [(SUBMIT, {})]


@dataclass
class ScriptedProvider:
    """Replies as `script` says; an exception that it raises is what the provider answers."""

    script: Script = good
    usage: Usage = field(
        default_factory=lambda: Usage(calls=1, prompt_tokens=100, completion_tokens=10, cost_usd=0.01)
    )
    per_token: Price = field(default_factory=lambda: Price(prompt=1e-6, completion=1e-6))
    asked: list[Asked] = field(default_factory=list)
    priced: list[str] = field(default_factory=list)
    """models whose price was looked up"""

    async def complete(
        self,
        model: str,
        messages: list[Message],
        tools: list[Tool],
        *,
        only: str = "",
        seconds: float,
        max_output_tokens: int,
    ) -> Completion:
        """The next reply."""
        assert seconds
        assert max_output_tokens
        assert tools
        who = json.loads(messages[0]["content"])
        turn = 1 + sum(1 for m in messages if m["role"] == "assistant")
        asked = Asked(who["agent"], AgentKind(who["kind"]), Phase(who["phase"]), turn, model, only, messages)
        self.asked.append(asked)
        calls = [
            {"id": f"c{turn}-{i}", "type": "function", "function": {"name": name, "arguments": json.dumps(a)}}
            for i, (name, a) in enumerate(self.script(asked))
        ]
        message: Message = {"role": "assistant", "content": "" if calls else "let me think"}
        return Completion({**message, "tool_calls": calls} if calls else message, self.usage, "stop")

    async def price(self, model: str) -> Price:
        """The same for every model."""
        self.priced.append(model)
        return self.per_token

    def turns(self, agent: str) -> int:
        """How many replies an agent was given."""
        return sum(1 for each in self.asked if each.agent == agent)


class ScriptedDesk:
    """Artifacts of the scripted planner, handed over by the word."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._briefing = Briefing(BlobShelf(store), NoWorkspaces())
        self._planner = ScriptedPlanner()

    async def opening(self, order: AgentOrder) -> list[Message]:
        """Who the agent is."""
        who = {"agent": order.agent, "kind": order.kind, "phase": order.phase}
        return [{"role": "system", "content": json.dumps(who)}, {"role": "user", "content": "go"}]

    def tools(self, order: AgentOrder) -> list[Tool]:
        """Names alone."""
        names = (self.submitting(order), LOOK, ASK, BREAK)
        return [{"type": "function", "function": {"name": name, "parameters": {}}} for name in names]

    def submitting(self, order: AgentOrder) -> str:
        """By kind."""
        return {AgentKind.REVIEW: REVIEW, AgentKind.EXPLAIN: REPLY}.get(order.kind, SUBMIT)

    def demand(self, order: AgentOrder) -> str:
        """The last word."""
        return f"now {self.submitting(order)}"

    async def fallback(self, order: AgentOrder) -> str:
        """None for a phase."""
        assert order
        return ""

    async def run(self, order: AgentOrder, name: str, arguments: str, *, model: str) -> Given:
        """What the words mean."""
        given = json.loads(arguments)
        match name:
            case "look":
                return Given(f"saw {given['what']}")
            case "submit" if "wrong" in given:
                return Given(error=given["wrong"], answer={"refused": True, "text": given["wrong"]})
            case "submit" if order.kind is AgentKind.OPTION:
                return await self._option(order, given, model)
            case "submit":
                handover = await self._handover(order, model)
                return Given("taken", answer={"end": AgentEnd.SUBMITTED, "handover": handover})
            case "review":
                findings = (Finding(kind=ReviewKind(given["kind"]), what="not good"),) if given else ()
                return Given("taken", answer={"end": AgentEnd.SUBMITTED, "findings": findings})
            case "reply":
                return Given("sent", answer={"end": AgentEnd.SUBMITTED, "text": given["text"]})
            case "ask":
                question = QuestionRef(id="x", text=given["text"])
                return Given("asked", answer={"end": AgentEnd.ASKED, "questions": (question,)})
            case _:
                return Given(error=f"Tool {name} not found")

    async def _option(self, order: AgentOrder, given: dict[str, Any], model: str) -> Given:
        """One step, named after the draft, unless the script says more."""
        assert order.draft
        name = order.draft.option or f"option-{order.draft.number}"
        steps = (PlanStep(id="s", title=f"do {name}", action=f"do {name} {given.get('how', '')}"),)
        version = 2 if order.draft.option else 1
        estimates = Estimates(confidence=given.get("confidence", 0.5 + order.draft.number / 10))
        plan = Plan(title=name, steps=steps, version=version, estimates=estimates)
        option = PlanOption(id=name, title=name, plan=plan, source=f"model:{model}")
        digest = await self._store.put(canonical_json(option.model_dump(mode="json")))
        return Given("taken", answer={"end": AgentEnd.SUBMITTED, "option": digest})

    async def _handover(self, order: AgentOrder, model: str) -> object:
        assert order.work
        assert order.phase
        brief = await self._briefing.brief(order.work)
        make: dict[Phase, Callable[..., Artifact]] = {
            Phase.DISCOVERY: self._planner.discover,
            Phase.CLARIFICATION: self._planner.clarify,
            Phase.CONTRACTS: self._planner.design,
            Phase.IMPLEMENTATION_PLAN: self._planner.plan,
            Phase.VALIDATION: self._planner.validate,
        }
        artifact = make[order.phase](brief).model_copy(update={"made_by": f"model:{model}"})
        assert isinstance(artifact, KIND[order.phase])
        return await self._briefing.keep(order.phase, artifact, order.work.built_from)


def scripted_agents(store: Store, provider: ScriptedProvider) -> AgentActivities:
    """The product's agent activities over scripted parts."""
    desk = ScriptedDesk(store)
    return AgentActivities(store, dict.fromkeys(AgentKind, desk), provider)
