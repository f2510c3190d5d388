"""PlanningDesk: what agents are given that plan a phase, review an artifact, or reply to a person."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

from activities.agent_orders import AgentOrder
from activities.agent_ports import Given, Message, Tool
from activities.brief import Brief
from activities.briefing import Briefing, Workspaces
from activities.desks.context import context_of, ranking_of
from activities.desks.dialogue import read_questions, read_reply
from activities.desks.fencing import fence
from activities.desks.offers import ASK, asks, no_desk, offered, review_in, submitting_tool, work_in
from activities.desks.problems import Refused
from activities.desks.prompts import opening
from activities.desks.reviews import read_review
from activities.desks.shown import MOST_REVIEWED, shown
from activities.desks.submissions import whole_artifact
from activities.index.model import Index
from activities.index.shelf import IndexShelf
from activities.orders import WorkOrder
from activities.shelf import BlobShelf
from activities.store import Store
from activities.tools.toolbox import ALL_TOOLS, MOST_CHARACTERS, Toolbox
from states.agents import AgentEnd, AgentKind
from states.artifacts.base import Artifact
from states.review import QuestionRef
from states.words import Phase
from states.workspace import WorkspaceRef

_PROMPTS = {
    Phase.DISCOVERY: "discover_context",
    Phase.CLARIFICATION: "compose_clarification",
    Phase.CONTRACTS: "design_contracts",
    Phase.IMPLEMENTATION_PLAN: "plan_implementation",
    Phase.VALIDATION: "validate_plan",
}
"""the template of a phase is named after its activity"""


class PlanningDesk:
    """For agents of the kinds PLAN, REVIEW and EXPLAIN. Offers nothing that approves, restarts or spends."""

    def __init__(self, store: Store, workspaces: Workspaces, indexes: IndexShelf) -> None:
        self._briefing = Briefing(BlobShelf(store), workspaces)
        self._indexes = indexes

    async def opening(self, order: AgentOrder) -> list[Message]:
        """The system prompt and the first user message. Equal orders give equal bytes."""
        brief = await self._brief(order)
        return await asyncio.to_thread(self._opening, order, brief, await self._reviewed(order))

    def tools(self, order: AgentOrder) -> list[Tool]:
        """The repository tools, then what the agent hands over with."""
        return offered(order)

    def submitting(self, order: AgentOrder) -> str:
        """The tool whose success ends the conversation."""
        name: str = submitting_tool(order)["function"]["name"]
        return name

    def demand(self, order: AgentOrder) -> str:
        """The user message of the forced call."""
        return f"You must now hand over what you have, using {self.submitting(order)}."

    async def fallback(self, order: AgentOrder) -> str:
        """Blank: nothing may stand in for an artifact, a review or a reply."""
        self.submitting(order)
        return ""

    async def run(self, order: AgentOrder, name: str, arguments: str, *, model: str) -> Given:
        """Run a tool on the raw JSON arguments of `model`."""
        if name in ALL_TOOLS:
            return await self._look(order, name, arguments)
        try:
            if name == ASK and asks(order):
                return _asked(read_questions(arguments, work_in(order)))
            if name != self.submitting(order):
                return Given(error=f"Tool {name[:60]!r} not found")
            return await self._submit(order, arguments, model)
        except Refused as refused:
            return Given(error=str(refused), answer={"refused": True, "text": refused.findings[:1_000]})

    async def _look(self, order: AgentOrder, name: str, arguments: str) -> Given:
        """Ask the repository; what it says is fenced, as it is a stranger's text."""
        root = await self._briefing.checkout(order.job, order.workspace)
        box = Toolbox(root, lambda: self._index(root, order.workspace))
        given = await asyncio.to_thread(box.run, name, arguments)
        if given.error:
            return Given(error=fence(f"error of {name}", given.error, MOST_CHARACTERS))
        return Given(content=fence(name, given.content, MOST_CHARACTERS))

    async def _submit(self, order: AgentOrder, arguments: str, model: str) -> Given:
        match order.kind:
            case AgentKind.REVIEW:
                findings = read_review(review_in(order).phase, arguments)
                return done("the review is taken", findings=findings)
            case AgentKind.EXPLAIN:
                return done("the reply is taken", text=read_reply(arguments))
            case AgentKind.PLAN:
                return await self._keep(work_in(order), arguments, model)
            case _:
                raise no_desk(order)

    async def _keep(self, work: WorkOrder, arguments: str, model: str) -> Given:
        brief = await self._briefing.brief(work)
        artifact = await asyncio.to_thread(self._whole, work.phase, arguments, brief, model)
        handover = await self._briefing.keep(work.phase, artifact, work.built_from)
        return done(f"the artifact is taken: {handover.summary}", handover=handover)

    def _whole(self, phase: Phase, arguments: str, brief: Brief, model: str) -> Artifact:
        index = self._indexes.get(brief.root, brief.commit)
        return whole_artifact(phase, arguments, brief, index, model)

    def _index(self, root: Path, workspace: WorkspaceRef) -> Index:
        return self._indexes.get(root, workspace.commit)

    async def _brief(self, order: AgentOrder) -> Brief:
        """What the agent's work is about; of a review, what the reviewed phase was asked for."""
        if order.kind is not AgentKind.REVIEW:
            return await self._briefing.brief(work_in(order))
        review = review_in(order)
        if review.work is None:
            raise ValueError(
                f"agent {order.agent} reviews {review.phase} without the work that it was made for"
            )
        brief = await self._briefing.brief(review.work)
        return replace(brief, upstream=await self._briefing.artifacts(review.built_from))

    async def _reviewed(self, order: AgentOrder) -> Artifact | None:
        if order.kind is not AgentKind.REVIEW:
            return None
        review = review_in(order)
        return (await self._briefing.artifacts({review.phase: review.digest}))[review.phase]

    def _opening(self, order: AgentOrder, brief: Brief, reviewed: Artifact | None) -> list[Message]:
        index = self._indexes.get(brief.root, brief.commit)
        match order.kind:
            case AgentKind.REVIEW:
                assert reviewed is not None
                given = context_of(order, review_in(order).phase, brief, index)
                gone = brief.invalidated
                return opening("review_artifact", {**given, "reviewed": shown(reviewed, gone, MOST_REVIEWED)})
            case AgentKind.EXPLAIN:
                return opening("explain", context_of(order, work_in(order).phase, brief, index))
            case AgentKind.PLAN:
                phase = work_in(order).phase
                given = context_of(order, phase, brief, index)
                ranking = ranking_of(brief, index) if phase is Phase.DISCOVERY else {}
                return opening(_PROMPTS[phase], {**given, **ranking})
            case _:
                raise no_desk(order)


def _asked(questions: tuple[QuestionRef, ...]) -> Given:
    return Given(content="the questions are taken", answer={"end": AgentEnd.ASKED, "questions": questions})


def done(said: str, **answer: Any) -> Given:
    """The answer of a tool that ends the conversation, and what it hands over."""
    return Given(content=said, answer={"end": AgentEnd.SUBMITTED, **answer})
