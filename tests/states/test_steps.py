"""Whether a plan's steps make sense."""

import pytest

from states.artifacts.plan import Plan, PlanStep, StepCondition
from states.steps import check_plan, dependency_graph, refined, resolve


def plan(*dependencies: tuple[str, ...]) -> Plan:
    steps = tuple(
        PlanStep(id=f"s{n}", title=f"Step number {n}", action="do it", dependencies=names)
        for n, names in enumerate(dependencies, start=1)
    )
    return Plan(title="A plan", steps=steps)


def with_step(number: int, **fields: object) -> Plan:
    steps = list(plan((), ("s1",)).steps)
    steps[number - 1] = steps[number - 1].model_copy(update=fields)
    return Plan(title="A plan", steps=tuple(steps))


def test_a_good_plan_has_no_problem() -> None:
    assert check_plan(plan((), ("s1",), ("s1", "2"), ("Step number 3",))) == ()


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (Plan(title=" ", steps=plan(()).steps), "plan title is required"),
        (Plan(title="A plan"), "plan must have at least one step"),
        (with_step(2, title=" "), "step 2: title is required"),
        (with_step(1, action=""), "step 1: action is required"),
        (plan((), ("s9",)), "step 2: dependency s9 not found"),
        (plan(("s1",)), "step 1: depends on itself"),
        (plan(("1",)), "step 1: depends on itself"),
        (with_step(2, id="s1", dependencies=()), "step 2: id s1 is used twice"),
        (plan(("s3",), ("s1",), ("s2",)), "steps wait for each other: s1 -> s3 -> s2 -> s1"),
        (with_step(1, condition=StepCondition(step="2")), "steps wait for each other: s1 -> s2 -> s1"),
        (
            with_step(1, condition=StepCondition(step="s1", status="failed")),
            "step 1: its condition asks how it ended itself",
        ),
    ],
)
def test_each_mistake_has_its_message(broken: Plan, message: str) -> None:
    assert check_plan(broken) == (message,)


def test_every_mistake_is_told_at_once() -> None:
    broken = Plan(title="", steps=(PlanStep(id="x", title="", dependencies=("nobody", "x")),))
    assert check_plan(broken) == (
        "plan title is required",
        "step 1: title is required",
        "step 1: action is required",
        "step 1: dependency nobody not found",
        "step 1: depends on itself",
    )


@pytest.mark.parametrize("name", ["s2", " s2 ", "2", "#2", "step 2", "Step 2", "step number 2"])
def test_dependencies_name_steps_by_id_number_or_title(name: str) -> None:
    found = resolve(plan((), (), ()), name)
    assert found is not None
    assert found.id == "s2"


@pytest.mark.parametrize("name", ["", "0", "4", "-1", "9" * 9000, "²", "s22"])
def test_what_names_no_step(name: str) -> None:
    assert resolve(plan((), (), ()), name) is None


def test_an_id_wins_over_a_number() -> None:
    swapped = Plan(
        title="p",
        steps=(PlanStep(id="2", title="first", action="a"), PlanStep(id="1", title="second", action="b")),
    )
    found = resolve(swapped, "2")
    assert found is not None
    assert found.title == "first"


def test_the_graph_is_by_id_without_repeats() -> None:
    assert dependency_graph(plan((), ("1", "s1", "Step number 1"), ("nobody",))) == {
        "s1": (),
        "s2": ("s1",),
        "s3": (),
    }


def test_a_refinement_is_the_next_version() -> None:
    first = plan(())
    second = refined(first, plan((), ()))
    assert (second.version, len(second.steps)) == (2, 2)
    assert refined(second, first).version == 3
    assert first.version == 1
