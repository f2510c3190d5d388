"""BenchDesk: what agents are given that plan features of CooperBench (CooperBench seed, Available Tools)."""

import asyncio
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field

from activities.agent_orders import AgentOrder
from activities.agent_ports import Given, Message, Tool
from activities.briefing import Workspaces, lasting
from activities.desks.fencing import Told
from activities.desks.prompts import opening
from activities.desks.schemas import tool
from activities.index.model import Index
from activities.plain_text import strip_control, strip_line
from activities.store import Store
from activities.tools.arguments import Arguments, parse
from activities.tools.errors import ToolError
from activities.tools.toolbox import SEED_TOOLS, Toolbox
from states.agents import AgentEnd, AgentKind
from states.artifacts.base import lower
from states.bench import AGREE, TALK

DEMAND = f"You must now submit your implementation plan using {AGREE}."
BLANK = "Missing required parameter 'plan'. You must provide a complete implementation plan."
MOST_FEATURE = 200_000
"""characters of a feature that a prompt shows"""

_PROMPTS = {
    AgentKind.SINGLE: "plan_single",
    AgentKind.SOLO: "plan_solo",
    AgentKind.COOP: "plan_coop",
}


class MessageType(StrEnum):
    """What a message to the other agent is."""

    ANALYSIS = "analysis"
    PROPOSAL = "proposal"
    QUESTION = "question"
    CONCERN = "concern"
    AGREEMENT = "agreement"


class CommunicateWithAgent(Arguments):
    """A message to the other agent."""

    message: str = Field(
        min_length=1, max_length=20_000, description="Your message, with paths and line numbers."
    )
    message_type: Annotated[MessageType, BeforeValidator(lower)] = Field(description="What the message is.")


class AgreementReached(Arguments):
    """The final plan."""

    plan: str = Field(max_length=500_000, description="The complete implementation plan as markdown.")


class BenchDesk:
    """For agents of the kinds SINGLE, SOLO and COOP. Writes nothing but plans and mail."""

    def __init__(self, store: Store, workspaces: Workspaces) -> None:
        self._store = store
        self._workspaces = workspaces

    async def opening(self, order: AgentOrder) -> list[Message]:
        """The rules, and the features fenced as data."""
        given = {
            "number": _number(order),
            "coop": order.kind is AgentKind.COOP,
            "solo": order.kind is AgentKind.SOLO,
            "both": Told(", of both features" if order.kind is AgentKind.SOLO else ""),
            "turns": order.limits.max_iterations,
            "commit": Told(order.workspace.commit),
            "features": await self._features(order),
            "most": MOST_FEATURE,
        }
        return opening(_PROMPTS[order.kind], given)

    def tools(self, order: AgentOrder) -> list[Tool]:
        """The tools of the seed."""
        talk = tool(
            TALK,
            "Send a message to the other agent. It reads it before its next turn.",
            CommunicateWithAgent,
        )
        agree = tool(
            AGREE, "Hand over your final implementation plan. This ends your part.", AgreementReached
        )
        looking = Toolbox(Path(), _no_index).schemas(SEED_TOOLS)
        return [*looking, *([talk] if order.kind is AgentKind.COOP else []), agree]

    def submitting(self, order: AgentOrder) -> str:  # noqa: ARG002 (the port's argument)
        """The same for all."""
        return AGREE

    def demand(self, order: AgentOrder) -> str:  # noqa: ARG002 (the port's argument)
        """The seed project's own words."""
        return DEMAND

    async def fallback(self, order: AgentOrder) -> str:
        """What stands in for a plan that never came: the features."""
        texts = await self._features(order)
        if order.kind is AgentKind.COOP:
            return f"# FORCED PLAN\nFeature: {texts[0]}"
        return "\n\n".join(texts)

    async def run(self, order: AgentOrder, name: str, arguments: str, *, model: str) -> Given:  # noqa: ARG002
        """Run a tool on raw JSON arguments. Its answer is not fenced: the seed fixes every byte of it."""
        try:
            if name in SEED_TOOLS:
                root = await lasting(self._workspaces.checkout(order.job, order.workspace))
                return await asyncio.to_thread(Toolbox(root, _no_index).run, name, arguments)
            if name == AGREE:
                return _agreed(parse(AgreementReached, arguments))
            if name == TALK and order.kind is AgentKind.COOP:
                return _said(_number(order), parse(CommunicateWithAgent, arguments))
        except ToolError as refused:
            return Given(error=str(refused))
        return Given(error=f"Tool {strip_line(name, 60)} not found")

    async def _features(self, order: AgentOrder) -> list[str]:
        return [(await lasting(self._store.get(feature.text))).decode() for feature in order.features]


def _agreed(given: AgreementReached) -> Given:
    plan = strip_control(given.plan)
    if not plan.strip():
        # No repair is counted: the seed's agent may go on until its turns are used up.
        return Given(error=BLANK)
    return Given(plan, answer={"end": AgentEnd.SUBMITTED, "plan": plan})


def _said(number: int, given: CommunicateWithAgent) -> Given:
    said = f"[{given.message_type.upper()}] {strip_control(given.message)}"
    return Given(said, answer={"mail": f"**Agent {number}**: {said}"})


def _number(order: AgentOrder) -> int:
    """Which of the agents: 2 of `agent2`; 1 where there is only one."""
    digits = order.agent.removeprefix("agent")
    return int(digits) if digits.isdigit() else 1


def _no_index() -> Index:
    raise LookupError("the tools of the seed need no index")
