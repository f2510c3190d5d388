"""OptionDesk: what an agent is given that drafts one way to implement a plan, or refines one."""

import asyncio
from dataclasses import replace
from typing import Any

from activities.agent_orders import AgentOrder, DraftOrder
from activities.agent_ports import Given, Message, Tool
from activities.brief import Brief
from activities.desks.arguments import read_arguments
from activities.desks.context import context_of
from activities.desks.drafts import as_draft
from activities.desks.fencing import Told
from activities.desks.offers import looking_tools, work_in
from activities.desks.option_submission import SubmittedOption
from activities.desks.planning import PlanningDesk, done
from activities.desks.problems import Problems, Refused
from activities.desks.prompts import opening
from activities.desks.schemas import tool
from activities.deterministic import commands
from activities.option_keeping import store_option
from activities.store import Store
from states.amounts import counted
from states.artifacts.plan import PlanOption
from states.option_checks import option_problems, options_of
from states.plan_reading import BadPlan, read_option
from states.words import Phase

SUBMIT_OPTION = "submit_option"
DIRECTIONS = (
    "the smallest change that meets every requirement: the fewest files, no change that no requirement needs",
    "the full change: every subtask, with its tests, and the documents that speak of it brought in line",
    "in stages: what others build on comes first, and the tests run after each stage, so that it stops where "
    "it still works",
    "tests first: the tests that prove the requirements before the code that makes them pass",
    "what is easiest to keep: the structure that the next change of this kind will be glad of, even if it is "
    "more work now",
)
"""what each draft is after, by its number; so many drafts there are at most"""


class OptionDesk(PlanningDesk):
    """For agents of the kind OPTION."""

    def __init__(self, store: Store, *parts: Any) -> None:
        super().__init__(store, *parts)
        self._store = store

    async def opening(self, order: AgentOrder) -> list[Message]:
        """The system prompt and the first user message. Equal orders give equal bytes."""
        brief, before = await self._started(order)
        return await asyncio.to_thread(self._opened, order, brief, before)

    def tools(self, order: AgentOrder) -> list[Tool]:
        """The repository tools, then what the option is handed over with."""
        work_in(order)
        said = "Hand over the whole option. This ends your part unless it is refused."
        return [*looking_tools(), tool(SUBMIT_OPTION, said, SubmittedOption)]

    def submitting(self, order: AgentOrder) -> str:
        """The tool whose success ends the conversation."""
        work_in(order)
        return SUBMIT_OPTION

    async def _submit(self, order: AgentOrder, arguments: str, model: str) -> Given:
        brief, before = await self._started(order)
        option = _read(arguments, order, before, model)
        names = [subtask.subtask_id for subtask in brief.planned().subtasks]
        problems = Problems()
        for problem in option_problems(option, names):
            problems.add("the option", problem)
        problems.raise_any()
        digest = await store_option(self._store, option)
        steps = len(option.plan.steps)
        return done(f"the option is taken: {counted(steps, 'step')}", option=digest)

    async def _started(self, order: AgentOrder) -> tuple[Brief, PlanOption | None]:
        """What the agent works on: the brief with the plan in it, and the option that it refines."""
        work, draft = work_in(order), _draft_in(order)
        brief = await self._briefing.brief(work)
        if work.phase is Phase.IMPLEMENTATION_PLAN:
            plan = await self._briefing.artifacts({Phase.IMPLEMENTATION_PLAN: draft.base})
            return replace(brief, upstream={**brief.upstream, **plan}, previous=None), None
        known = options_of(brief.previous) or options_of(brief.planned())
        found = next((option for option in known if option.id == draft.option), None)
        if found is None:
            raise Refused(f"there is no option {draft.option} to refine")
        done_already = brief.previous.feedback_answered if brief.previous else ()
        asked = tuple(text for text in brief.refine if text not in done_already)
        return replace(brief, previous=None, refine=asked), found

    def _opened(self, order: AgentOrder, brief: Brief, before: PlanOption | None) -> list[Message]:
        index = self._indexes.get(brief.root, brief.commit)
        draft = _draft_in(order)
        known = commands.read(index)
        given = {
            **context_of(order, work_in(order).phase, brief, index),
            "number": draft.number,
            "direction": Told(DIRECTIONS[(draft.number - 1) % len(DIRECTIONS)]),
            "suite": known.suite,
            "before": as_draft(before) if before else None,
            "asked": list(brief.refine),
        }
        return opening("draft_option", given)


def _draft_in(order: AgentOrder) -> DraftOrder:
    if order.draft is None:
        raise ValueError(f"agent {order.agent} is a {order.kind} agent and has no draft order")
    return order.draft


def _read(arguments: str, order: AgentOrder, before: PlanOption | None, model: str) -> PlanOption:
    """The option in either form, under a name of its own. Raises Refused."""
    draft = _draft_in(order)
    name = before.id if before else f"option-{draft.number}"
    try:
        option = read_option(read_arguments(arguments), id=name, source=f"model:{model}")
    except BadPlan as wrong:
        problems = Problems()
        problems.add("the option", str(wrong))
        raise Refused(problems.text()) from None
    version = before.plan.version + 1 if before else 1
    return option.model_copy(update={"plan": option.plan.model_copy(update={"version": version})})
