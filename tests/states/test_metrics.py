"""The seed's success metrics, from a record and artifacts."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from states.artifacts.base import Artifact
from states.artifacts.clarification import ClarificationArtifact, ResolvedAmbiguity, TaskRequirements
from states.artifacts.implementation import (
    ContextBundle,
    ImplementationPlanArtifact,
    Specification,
    Subtask,
    TestingNeeds,
)
from states.artifacts.validation import RequirementCoverage, ValidationArtifact
from states.ledger import EntryKind
from states.metrics import measure
from states.record import ArtifactRef, JobRecord, JobSpec, Span
from states.words import ArtifactStatus, Operation, Phase, State

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
FULL: dict[str, Any] = {
    "context_bundle": ContextBundle(existing_code="x = 1", testing_patterns="pytest"),
    "specification": Specification(exact_changes=("set x to 2",)),
    "testing": TestingNeeds(verification_steps=("run pytest",)),
    "acceptance_criteria": ("x is 2",),
}


def subtask(name: str, **fields: Any) -> Subtask:
    return Subtask(subtask_id=name, title=name, location=f"{name}.py", **{**FULL, **fields})


def artifacts(*subtasks: Subtask) -> dict[Phase, Artifact]:
    wanted = TaskRequirements(task="t", requirements=("first", "second"))
    guess = ResolvedAmbiguity(
        question_id="q1",
        original_question="Which one is meant?",
        human_response="",
        clarification="a",
        answered_by="best guess",
    )
    return {
        Phase.CLARIFICATION: ClarificationArtifact(
            updated_requirements=wanted, resolved_ambiguities=(guess,)
        ),
        Phase.IMPLEMENTATION_PLAN: ImplementationPlanArtifact(subtasks=subtasks),
        Phase.VALIDATION: ValidationArtifact(
            plan_digest="d",
            requirement_coverage=tuple(
                RequirementCoverage(requirement=r, implementation_approach="so", coverage_confidence=0.9)
                for r in wanted.requirements
            ),
        ),
    }


def record() -> JobRecord:
    made = JobRecord(job="j", spec=JobSpec(task="t", repository="/r"), started=START)
    made.note(START, EntryKind.MODE, "Normal -> Plan")
    return made


def test_before_there_is_a_plan_shares_are_unknown_not_zero() -> None:
    metrics = measure(record(), {})
    assert (metrics.requirement_coverage, metrics.context_completeness, metrics.subtask_independence) == (
        None,
        None,
        None,
    )


def test_coverage_counts_requirements_that_a_subtask_covers() -> None:
    assert measure(record(), artifacts(subtask("a", covers=("first",)))).requirement_coverage == 0.5


@pytest.mark.parametrize(
    "lacking",
    [
        {"context_bundle": ContextBundle(testing_patterns="pytest")},
        {"context_bundle": ContextBundle(existing_code="x"), "testing": TestingNeeds()},
        {"specification": Specification()},
        {"acceptance_criteria": ()},
    ],
)
def test_a_subtask_that_lacks_something_is_not_complete(lacking: dict[str, Any]) -> None:
    metrics = measure(record(), artifacts(subtask("a"), subtask("b", **lacking)))
    assert metrics.context_completeness == 0.5


def test_a_new_file_needs_no_code() -> None:
    new = subtask("a", operation=Operation.CREATE, context_bundle=ContextBundle(testing_patterns="pytest"))
    assert measure(record(), artifacts(new)).context_completeness == 1.0


def test_independence_is_found_not_claimed() -> None:
    plan = artifacts(subtask("a"), subtask("b", dependencies=("a",)))
    assert measure(record(), plan).subtask_independence == 0.5


def test_times_revisions_and_who_accepted() -> None:
    job = record()
    later = START + timedelta(minutes=3)
    job.note(later, EntryKind.TRANSITION, "validation_awaiting_human_review -> verified (human_approve)")
    job.state = State.VERIFIED
    job.note(later + timedelta(days=7), EntryKind.MODE, "Plan -> Normal")
    job.spans = {Phase.CONTRACTS: Span(working=2, waiting=100), Phase.VALIDATION: Span(working=1, waiting=20)}
    job.human_revisions = {Phase.CONTRACTS: 1}
    job.restarts_total = 2
    old = ArtifactRef(phase=Phase.CONTRACTS, version=1, digest="a", status=ArtifactStatus.SUPERSEDED)
    new = ArtifactRef(phase=Phase.CONTRACTS, version=2, digest="b", accepted_by=("ann",))
    waived = ArtifactRef(phase=Phase.VALIDATION, version=1, digest="c", accepted_by=("policy:x",))
    job.artifacts = [old, new, waived]
    metrics = measure(job, artifacts(subtask("a")))
    assert (metrics.planning_seconds, metrics.working_seconds, metrics.human_seconds) == (180, 3, 120)
    assert (metrics.restarts, metrics.revisions, metrics.revisions_by_people) == (2, 1, 1)
    assert metrics.accepted_by_people == (Phase.CONTRACTS,)
    assert metrics.accepted_by_policy == (Phase.VALIDATION,)
    assert metrics.questions_guessed == 1
