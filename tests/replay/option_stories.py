"""What happens in the recorded jobs whose options are chosen, edited, and drafted by agents."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from temporalio.client import WorkflowHandle
from temporalio.exceptions import ApplicationError

from activities.brief import Brief
from states.agents import AgentEnd, AgentKind
from states.artifacts.plan import Estimates, Plan, PlanOption, PlanStep
from states.artifacts.validation import ValidationArtifact
from states.view import JobView
from states.words import Awaiting, State
from tests.replay.agent_stories import HOUR, UNDER_WAY, to_the_end
from tests.replay.waiting import until
from tests.scripted import ScriptedPlanner
from tests.scripted_agents import Asked, Calls, good

Handle = WorkflowHandle[Any, Any]
Story = Callable[[Handle], Awaitable[None]]
AT_VALIDATION = {"gates": ["validation"]}
DRAFTING = {
    "model": "m",
    "models": {"discovery": "none", "clarification": "none", "contracts": "none", "validation": "none"},
    "policy": {"gates": []},
}


class ThreeWays(ScriptedPlanner):
    """VALIDATION with three options."""

    def validate(self, brief: Brief) -> ValidationArtifact:
        """VALIDATION."""
        return super().validate(brief).model_copy(update={"options": tuple(map(_way, ("a", "b", "c")))})


def _way(name: str) -> PlanOption:
    step = PlanStep(id="s", title=f"do {name}", action=f"do {name}")
    estimates = Estimates(confidence={"a": 0.9, "b": 0.8}.get(name, 0.7))
    return PlanOption(id=name, title=name.upper(), plan=Plan(title=name, steps=(step,), estimates=estimates))


async def _gate(handle: Handle, name: str) -> JobView:
    return await until(handle, lambda seen: seen.gate is not None and seen.gate.id == name)


async def chosen_later(handle: Handle) -> None:
    """Selected at the gate, approved without a choice, selected again twice, and planned again."""
    await _gate(handle, "validation-1")
    await handle.signal("select", {"option": "z", "by": "ann"})
    await handle.signal("select", {"option": "b", "by": "ann"})
    await handle.signal("revise", {"feedback": "smaller steps", "by": "ann"})
    await _gate(handle, "validation-2")
    await handle.signal("approve", {"by": "ann"})
    await until(handle, lambda seen: seen.state is State.VERIFIED)
    await handle.signal("select", "c")
    await until(handle, lambda seen: seen.selected is not None)
    await handle.execute_update("select", {"option": "a", "by": "bob"})
    await handle.signal("restart_from", {"phase": "validation", "by": "bob"})
    await _gate(handle, "validation-3")


async def chosen_while_approving(handle: Handle) -> None:
    """An unknown option, then one that there is."""
    await _gate(handle, "validation-1")
    await handle.signal("approve", {"option": "z", "by": "ann"})
    await handle.signal("approve", {"option": "b", "by": "ann"})
    await until(handle, lambda seen: seen.state is State.VERIFIED and seen.selected is not None)


async def edited(handle: Handle) -> None:
    """A bad version of an option, then a good one."""
    view = await _gate(handle, "validation-1")
    assert view.gate
    good_one = _way("a").model_dump(mode="json")
    bad = {**good_one, "plan": {**good_one["plan"], "steps": []}}
    plan = view.artifacts[-1].built_from
    body = {"plan_digest": next(iter(plan.values())), "options": [bad]}
    base = {"base": view.gate.digest, "by": "ann"}
    await handle.signal("edit", {"artifact": body, **base})
    await handle.signal("edit", {"artifact": {**body, "options": [good_one]}, **base})
    await _gate(handle, "validation-2")
    await handle.signal("approve", {"by": "ann"})
    await until(handle, lambda seen: seen.state is State.VERIFIED and seen.selected is not None)


async def brought_along(handle: Handle) -> None:
    """A plan that an edit adds is brought along by the restart after it, mended, and brought along again."""
    await _gate(handle, "validation-1")
    for number, name in ((1, "d"), (3, "e")):
        view = await _gate(handle, f"validation-{number}")
        assert view.gate
        body = {"plan_digest": next(iter(view.artifacts[-1].built_from.values()))}
        options = [_way(each).model_dump(mode="json") for each in ("a", name)]
        edit = {"artifact": {**body, "options": options}, "base": view.gate.digest, "by": "ann"}
        await handle.signal("edit", edit)
        await _gate(handle, f"validation-{number + 1}")
        await handle.signal("restart_from", {"phase": "discovery", "by": "ann"})
    await _gate(handle, "validation-5")


async def by_policy(handle: Handle) -> None:
    """Nobody is asked."""
    await until(handle, lambda seen: seen.state is State.VERIFIED and seen.selected is not None)


async def paused(handle: Handle) -> None:
    """A pause while one option is finished and two are not."""
    await until(handle, _one_is_finished)
    await asyncio.sleep(UNDER_WAY)
    await handle.signal("pause", {"by": "ann"})
    await until(handle, lambda seen: all(note.end for note in seen.agents))
    await handle.signal("resume", {"by": "ann"})
    await to_the_end(handle)


async def overtaken(handle: Handle) -> None:
    """A restart while agents draft."""
    await until(handle, _one_is_finished)
    await asyncio.sleep(UNDER_WAY)
    await handle.signal("restart_from", {"phase": "contracts", "changes": "also SAML", "by": "ann"})
    await to_the_end(handle)


async def planned_again(handle: Handle) -> None:
    """A restart from the very phase while agents draft: the order is the same, the plan is another one."""
    await until(handle, _one_is_finished)
    await asyncio.sleep(UNDER_WAY)
    await handle.signal("restart_from", {"phase": "implementation_plan", "by": "ann"})
    await to_the_end(handle)


async def more_budget(handle: Handle) -> None:
    """The budget is used up while agents draft, and is raised."""
    await until(handle, lambda seen: seen.awaiting is Awaiting.BUDGET)
    await handle.signal("set_budget", {"usd": 5, "by": "ann"})
    await to_the_end(handle)


def _one_is_finished(seen: JobView) -> bool:
    drafts = [note for note in seen.agents if note.kind is AgentKind.OPTION]
    return sum(note.end is AgentEnd.SUBMITTED for note in drafts) == 1


def one_fails(asked: Asked) -> Calls:
    """The second option's model is gone."""
    if asked.agent == "option-implementation_plan-2":
        raise ApplicationError("the model is gone", type="ModelGone", non_retryable=True)
    return good(asked)


def waiting_once() -> Callable[[Asked], Calls]:
    """The second and the third option are told to come again in an hour, once."""
    met: set[str] = set()

    def script(asked: Asked) -> Calls:
        late = asked.agent in ("option-implementation_plan-2", "option-implementation_plan-3")
        if late and asked.agent not in met:
            met.add(asked.agent)
            raise ApplicationError("too many calls", type="ModelRateLimited", next_retry_delay=HOUR)
        return good(asked)

    return script


SCENARIOS: dict[str, dict[str, Any]] = {
    "options": {"story": chosen_later, "planner": ThreeWays(), "policy": AT_VALIDATION},
    "options_approved": {"story": chosen_while_approving, "planner": ThreeWays(), "policy": AT_VALIDATION},
    "options_edited": {"story": edited, "planner": ThreeWays(), "policy": AT_VALIDATION},
    "options_brought": {"story": brought_along, "planner": ThreeWays(), "policy": AT_VALIDATION},
    "options_by_policy": {
        "story": by_policy,
        "planner": ThreeWays(),
        "policy": {"gates": [], "auto_select_best": True},
    },
    "options_drafted": {"story": to_the_end, "spec": DRAFTING, "script": one_fails},
    "options_paused": {"story": paused, "spec": DRAFTING, "script": waiting_once()},
    "options_overtaken": {"story": overtaken, "spec": DRAFTING, "script": waiting_once()},
    "options_budget": {
        "story": more_budget,
        "spec": DRAFTING,
        "policy": {"budget_usd": 0.055},
        "script": good,
    },
    # As before, since drafts without room beside each other take turns.
    "options_in_turn": {
        "story": more_budget,
        "spec": DRAFTING,
        "policy": {"budget_usd": 0.055},
        "script": good,
    },
    "options_replanned": {"story": planned_again, "spec": DRAFTING, "script": waiting_once()},
}
