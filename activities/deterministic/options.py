"""Options without a model: real alternatives, made of the plan's subtasks and what the index knows."""

from activities.brief import Brief
from activities.deterministic import commands
from activities.deterministic.stages import Material
from activities.deterministic.ways import Ways
from activities.index.model import Index
from activities.option_joining import joined
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.plan import PlanOption


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
