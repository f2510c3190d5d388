"""The steps of a plan: what they depend on, whether they make sense, and what a refinement does to them."""

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

from states.artifacts.plan import Plan, PlanStep


def check_plan(plan: Plan) -> tuple[str, ...]:
    """What is wrong with a plan, for people; empty when it can be carried out. Steps count from 1."""
    return tuple(_problems(plan))


def resolve(plan: Plan, reference: str) -> PlanStep | None:
    """The step that a dependency names, by id, else by number (`2`, `#2`, `step 2`), else by title."""
    wanted = reference.strip()
    by_id = next((step for step in plan.steps if step.id == wanted), None)
    if by_id:
        return by_id
    number = wanted.casefold().removeprefix("step").strip().removeprefix("#")
    for position, step in enumerate(plan.steps, start=1):
        if number == str(position):
            return step
    return next((s for s in plan.steps if wanted and s.title.strip().casefold() == wanted.casefold()), None)


def dependency_graph(plan: Plan) -> dict[str, tuple[str, ...]]:
    """The ids that each step's id waits for; names that resolve to no step are left out."""
    return {
        step.id: tuple(
            dict.fromkeys(found.id for name in step.dependencies if (found := resolve(plan, name)))
        )
        for step in plan.steps
    }


def refined(previous: Plan, draft: Plan) -> Plan:
    """A plan made from `previous` after feedback: the draft as the next version."""
    return draft.model_copy(update={"version": previous.version + 1})


def _problems(plan: Plan) -> Iterator[str]:
    if not plan.title.strip():
        yield "plan title is required"
    if not plan.steps:
        yield "plan must have at least one step"
    for number, step in enumerate(plan.steps, start=1):
        for problem in _step_problems(plan, step):
            yield f"step {number}: {problem}"
        if any(earlier.id == step.id for earlier in plan.steps[: number - 1]):
            yield f"step {number}: id {step.id} is used twice"
    yield from _cycle(plan)


def _step_problems(plan: Plan, step: PlanStep) -> Iterator[str]:
    if not step.title.strip():
        yield "title is required"
    if not step.action.strip():
        yield "action is required"
    for name in step.dependencies:
        found = resolve(plan, name)
        if found is None:
            yield f"dependency {name} not found"
        elif found is step:
            yield "depends on itself"
    if _asked(plan, step) is step:
        yield "its condition asks how it ended itself"


def _asked(plan: Plan, step: PlanStep) -> PlanStep | None:
    """The step that a condition asks about."""
    return resolve(plan, step.condition.step) if step.condition else None


def _waits(plan: Plan) -> dict[str, tuple[str, ...]]:
    waits = dependency_graph(plan)
    return {
        step.id: (*waits[step.id], *([asked.id] if (asked := _asked(plan, step)) else []))
        for step in plan.steps
    }


def _cycle(plan: Plan) -> Iterator[str]:
    """One circle of steps, if there is any; a step that waits for itself is reported on its own.

    A step waits for the one that its condition asks about, as it does for those that it depends on.
    """
    graph = {name: [other for other in others if other != name] for name, others in _waits(plan).items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:  # graphlib's way to say which steps form the circle
        circle = list(reversed(error.args[1]))
        yield f"steps wait for each other: {' -> '.join(circle)}"
