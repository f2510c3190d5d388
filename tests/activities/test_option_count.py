"""Five options are the most that people are shown, wherever they come from."""

from pathlib import Path

import pytest

from activities.brief import Brief
from activities.option_joining import joined
from activities.option_keeping import BadOption, edited
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.plan import Plan, PlanOption, PlanStep, StepType


def ways(count: int, first: str = "a") -> tuple[PlanOption, ...]:
    """Options that differ."""
    return tuple(
        PlanOption(
            id=f"{first}{number}",
            title="A way",
            plan=Plan(
                title="A plan",
                steps=(
                    PlanStep(
                        id="1",
                        title="Look",
                        action="look",
                        type=StepType.SHELL_COMMAND,
                        command=f"echo {first}{number}",
                    ),
                ),
            ),
        )
        for number in range(count)
    )


def test_what_people_brought_takes_the_place_of_what_is_drawn_up() -> None:
    brief = Brief(job="j", task="t", root=Path(), commit="c" * 40, option_count=5, brought=ways(3, "mine-"))
    options = joined(ImplementationPlanArtifact(), ways(5), brief).options
    assert [option.id for option in options] == ["mine-0", "mine-1", "mine-2", "a0", "a1"]


def test_an_edit_with_more_is_refused() -> None:
    plan = ImplementationPlanArtifact(options=ways(6))
    with pytest.raises(BadOption, match="there are 6 options; people can compare 5 at most"):
        edited(plan, None, (), "ann", {})
    five = ImplementationPlanArtifact(options=ways(5))
    assert len(edited(five, None, (), "ann", {}).options) == 5
