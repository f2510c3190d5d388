"""What the mutants of all artifacts share: how they are made, and how a review refuses them."""

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, settings

from states.artifacts.implementation import FileOperation
from states.review import Finding
from states.words import Operation, Phase, ReviewKind
from tests.states.good_plans import World

PLAN, VALIDATION = Phase.IMPLEMENTATION_PLAN, Phase.VALIDATION
TECHNICAL, REQUIREMENT, CONTRACT = ReviewKind.TECHNICAL, ReviewKind.REQUIREMENT, ReviewKind.CONTRACT
Mutation = Callable[[World], World]


def operations(world: World, change: Callable[[tuple[FileOperation, ...]], tuple[Any, ...]]) -> World:
    return world.with_change(PLAN, file_operations=change(world[PLAN].file_operations))


def operation_of(world: World, wanted: Operation, **fields: Any) -> World:
    """Change the first file operation of a kind."""
    first = next(o for o in world[PLAN].file_operations if o.operation is wanted)
    return operations(
        world, lambda all_: tuple(o.model_copy(update=fields) if o is first else o for o in all_)
    )


def subtask(world: World, position: int = 0, **fields: Any) -> World:
    subtasks = list(world[PLAN].subtasks)
    subtasks[position] = subtasks[position].model_copy(update=fields)
    return world.with_change(PLAN, subtasks=tuple(subtasks))


def clashing_halves(world: World) -> World:
    """The second half of the first file now edits the lines of the first half."""
    return subtask(world, -1, edits=world[PLAN].subtasks[0].edits)


def without_file(world: World, path: str) -> World:
    return world.on_ground(paths=world.ground.paths - {path})


def asked(world: World, **fields: Any) -> World:
    question = world[Phase.DISCOVERY].ambiguities_discovered[0]
    return world.with_change(Phase.DISCOVERY, ambiguities_discovered=(question.model_copy(update=fields),))


def blocking(world: World, phase: Phase) -> list[Finding]:
    return [finding for finding in world.review(phase).findings if finding.blocking]


def assert_says(found: list[Finding], kind: ReviewKind, says: str) -> None:
    assert [finding for finding in found if finding.kind is kind and says in finding.what], found


shapes = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def refuses(mutant: World, kind: ReviewKind, says: str) -> None:
    """The plan's review refuses the mutant, and so does VALIDATION's, even with an honest new validation."""
    found = blocking(mutant, PLAN)
    assert_says(found, kind, says)
    assert mutant.review(PLAN).kind is kind
    assert set(found) <= set(blocking(mutant.revalidated(), VALIDATION))
    assert not mutant.review(VALIDATION).approved
