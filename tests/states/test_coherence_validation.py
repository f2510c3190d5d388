"""No false validation passes the mechanical review."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from states.artifacts.plan import Plan, PlanOption, PlanStep, StepType
from states.artifacts.validation import IndependenceCheck
from states.words import Level, ReviewKind
from tests.states.good_plans import World, good_world, good_worlds
from tests.states.mutants import (
    PLAN,
    REQUIREMENT,
    TECHNICAL,
    VALIDATION,
    Mutation,
    assert_says,
    blocking,
    clashing_halves,
    shapes,
)


def validated(world: World, **fields: Any) -> World:
    return world.with_change(VALIDATION, **fields)


def claims(world: World, confidence: float) -> World:
    coverage = world[VALIDATION].requirement_coverage
    return validated(
        world,
        requirement_coverage=tuple(
            c.model_copy(update={"coverage_confidence": confidence}) for c in coverage
        ),
    )


def independence(world: World, change: Callable[[list[IndependenceCheck]], list[IndependenceCheck]]) -> World:
    return validated(
        world, subtask_independence_check=tuple(change(list(world[VALIDATION].subtask_independence_check)))
    )


def summary(world: World, **fields: Any) -> World:
    return validated(world, plan_summary=world[VALIDATION].plan_summary.model_copy(update=fields))


WORDY = PlanOption(
    id="wordy",
    plan=Plan(
        title="Say it",
        steps=(PlanStep(id="1", title="Tidy", action="tidy up", type=StepType.SHELL_COMMAND),),
    ),
)

VALIDATION_MUTATIONS: dict[str, tuple[Mutation, ReviewKind, str]] = {
    "another plan's digest": (
        lambda w: validated(w, plan_digest="0" * 64),
        TECHNICAL,
        "it validates plan 000000000000",
    ),
    "plan edited afterwards": (
        lambda w: w.with_change(PLAN, implementation_notes=("hm",)),
        TECHNICAL,
        "validate the current one",
    ),
    "option that runs words": (
        lambda w: validated(w, options=(WORDY,)),
        TECHNICAL,
        "option 'wordy' cannot be carried out: step 1: command is required for shell_command",
    ),
    "requirement not assessed": (
        lambda w: validated(w, requirement_coverage=()),
        REQUIREMENT,
        "'Requirement number 0 holds' is not assessed",
    ),
    "requirement assessed as not met": (
        lambda w: claims(w, 0.0),
        REQUIREMENT,
        "0% of the requirements are covered",
    ),
    "independence not checked": (
        lambda w: independence(w, lambda all_: all_[1:]),
        TECHNICAL,
        "is not checked",
    ),
    "independence checked twice": (
        lambda w: independence(w, lambda all_: [*all_, all_[0]]),
        TECHNICAL,
        "is checked twice",
    ),
    "independence of a ghost": (
        lambda w: independence(
            w, lambda all_: [*all_, IndependenceCheck(subtask_id="ghost", is_independent=True)]
        ),
        TECHNICAL,
        "the plan has no subtask 'ghost'",
    ),
    "falsely dependent": (
        lambda w: independence(
            w,
            lambda all_: [
                all_[0].model_copy(update={"is_independent": False, "dependencies_found": ("x",)}),
                *all_[1:],
            ],
        ),
        TECHNICAL,
        "claimed to be dependent but",
    ),
    "wrong number of files": (lambda w: summary(w, files_affected=99), TECHNICAL, "it counts 99 files"),
}


@pytest.mark.parametrize("name", VALIDATION_MUTATIONS)
@shapes
@given(world=good_worlds())
def test_no_false_validation_passes(name: str, world: World) -> None:
    mutate, kind, says = VALIDATION_MUTATIONS[name]
    assert_says(blocking(mutate(world), VALIDATION), kind, says)


@shapes
@given(good_worlds())
def test_a_claim_of_independence_is_checked_against_the_plan(world: World) -> None:
    honest = clashing_halves(world).revalidated()
    liar = independence(
        honest,
        lambda all_: [IndependenceCheck(subtask_id=c.subtask_id, is_independent=True) for c in all_],
    )
    lies = [f for f in blocking(liar, VALIDATION) if "claimed to be independent but depends on" in f.what]
    assert len(lies) == 2
    assert not [f for f in blocking(honest, VALIDATION) if "claimed" in f.what]


@pytest.mark.parametrize(("uncovered", "passes"), [(0, True), (1, True), (2, False)])
def test_coverage_needs_95_percent(uncovered: int, passes: bool) -> None:
    world = good_world(requirements=21)
    coverage = world[VALIDATION].requirement_coverage
    world = validated(
        world,
        requirement_coverage=tuple(
            c.model_copy(update={"coverage_confidence": 0.0}) if n < uncovered else c
            for n, c in enumerate(coverage)
        ),
    )
    assert world.review(VALIDATION).approved is passes
    assert world.review(VALIDATION).facts.coverage == pytest.approx((21 - uncovered) / 21)


def test_low_complexity_with_many_files_is_only_a_warning() -> None:
    world = summary(good_world(modified=3), estimated_complexity=Level.LOW)
    found = world.review(VALIDATION)
    assert found.approved
    assert any("LOW although 4 files" in f.what and not f.blocking for f in found.findings)
    assert found.facts.complexity is Level.MEDIUM  # counted, not claimed
