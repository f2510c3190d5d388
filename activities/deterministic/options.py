"""Options without a model: real alternatives, made of the plan's subtasks and what the index knows."""

from collections.abc import Sequence

from activities.brief import Brief
from activities.deterministic import commands
from activities.deterministic.stages import Material
from activities.deterministic.ways import Ways
from activities.index.model import Index
from states.artifacts.base import OpenPoint
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.plan import PlanOption
from states.option_checks import sound
from states.policy import MOST_OPTIONS


def with_options(plan: ImplementationPlanArtifact, brief: Brief, index: Index) -> ImplementationPlanArtifact:
    """The plan with as many ways to carry it out as were asked for, and those that were brought along."""
    return joined(plan, ways_of(plan, index), brief)


def ways_of(plan: ImplementationPlanArtifact, index: Index) -> tuple[PlanOption, ...]:
    """Every way that makes sense for the subtasks, the usual ones first; none without subtasks."""
    if not plan.subtasks:
        return ()
    ways = Ways(Material(plan, index), commands.read(index))
    drawn_up = (ways.full(), ways.smallest(), ways.staged(), ways.tests_first())
    return tuple(way for way in drawn_up if way is not None)


def joined(
    plan: ImplementationPlanArtifact, drawn_up: Sequence[PlanOption], brief: Brief
) -> ImplementationPlanArtifact:
    """The plan with what people brought along and what was drawn up, as many as were asked for.

    Each bad one is left out and an open point.
    """
    subtasks = [subtask.subtask_id for subtask in plan.subtasks]
    brought, wrong = sound(brief.brought, subtasks)
    kept, left_out = sound((*brought, *drawn_up), subtasks)
    room = min(brief.option_count, MOST_OPTIONS - len(brought))
    fresh = kept[len(brought) :][:room]
    why = tuple(
        OpenPoint(subject=f"option {name}", why=f"left out: {reason}") for name, reason in (*wrong, *left_out)
    )
    return plan.model_copy(update={"options": (*brought, *fresh), "open_points": (*plan.open_points, *why)})
