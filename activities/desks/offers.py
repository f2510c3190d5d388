"""Which tools each kind of agent is offered. None of them approves, restarts or spends."""

import json
from functools import cache
from pathlib import Path

from activities.agent_orders import AgentOrder
from activities.agent_ports import Tool
from activities.desks.dialogue import AskPeople, ReplyToPerson
from activities.desks.drafts import draft_of
from activities.desks.reviews import review_of
from activities.desks.schemas import tool
from activities.index.model import Index
from activities.orders import ReviewOrder, WorkOrder
from activities.tools.toolbox import Toolbox
from states.agents import AgentKind
from states.artifacts.kinds import KIND
from states.words import Phase

SUBMIT_ARTIFACT = "submit_artifact"
SUBMIT_REVIEW = "submit_review"
REPLY = "reply_to_person"
ASK = "ask_people"


def offered(order: AgentOrder) -> list[Tool]:
    """The repository tools, then those with which the agent hands over or asks."""
    asking = "Ask people one to five questions, and stop until they answer."
    more = [tool(ASK, asking, AskPeople)] if asks(order) else []
    return [*looking_tools(), submitting_tool(order), *more]


def looking_tools() -> list[Tool]:
    """The repository tools."""
    found: list[Tool] = json.loads(_repository_tools())
    return found


@cache
def _repository_tools() -> str:
    """As JSON, drawn once. Their schemas depend on no checkout."""

    def unread() -> Index:
        raise LookupError("a schema needs no index")

    return json.dumps(Toolbox(Path(), unread).schemas())


def submitting_tool(order: AgentOrder) -> Tool:
    """The tool whose success ends the conversation. Raises ValueError for agents that plan no phase."""
    match order.kind:
        case AgentKind.REVIEW:
            said = "Hand over your verdict and what you found. This ends the review."
            return tool(SUBMIT_REVIEW, said, review_of(review_in(order).phase))
        case AgentKind.EXPLAIN:
            return tool(REPLY, "Send your reply to the person. This ends your part.", ReplyToPerson)
        case AgentKind.PLAN:
            phase = work_in(order).phase
            said = f"Hand over the whole artifact of {phase.name}. This ends the phase unless it is refused."
            return tool(SUBMIT_ARTIFACT, said, draft_of(KIND[phase]))
        case _:
            raise no_desk(order)


def asks(order: AgentOrder) -> bool:
    """Whether follow-up questions are offered: only while the requirements are being settled."""
    clarifies = order.work is not None and order.work.phase is Phase.CLARIFICATION
    return order.may_ask and order.kind is AgentKind.PLAN and clarifies


def work_in(order: AgentOrder) -> WorkOrder:
    """The work order of an agent that plans or explains. Raises ValueError when it has none."""
    if order.work is None:
        raise ValueError(f"agent {order.agent} is a {order.kind} agent and has no work order")
    return order.work


def review_in(order: AgentOrder) -> ReviewOrder:
    """The review order of an agent that reviews. Raises ValueError when it has none."""
    if order.review is None:
        raise ValueError(f"agent {order.agent} is a {order.kind} agent and has no review order")
    return order.review


def no_desk(order: AgentOrder) -> ValueError:
    """The error for kinds of agents that belong to another desk."""
    return ValueError(f"agent {order.agent} is a {order.kind} agent, which plans no phase")
