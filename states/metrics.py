"""The success metrics of the Alfred seed, computed from a job's record and its current artifacts.

What the seed measures after implementation (first-pass success, test coverage achieved, integration)
is not known from a plan and therefore not here.
"""

from collections.abc import Mapping
from datetime import timedelta

from pydantic import Field

from states.artifacts.base import Artifact, Piece
from states.artifacts.clarification import ClarificationArtifact
from states.artifacts.implementation import ImplementationPlanArtifact, Subtask
from states.artifacts.validation import ValidationArtifact
from states.checks.subtasks import dependencies_found
from states.checks.validation import coverage_share
from states.checks.words import maybe
from states.execution import Metrics
from states.people import is_person, is_policy
from states.record import JobRecord
from states.words import ArtifactStatus, Operation, Phase, State


class JobMetrics(Piece):
    """Shares are 0 to 1 and None before the plan exists that they speak of; times are in seconds.

    `planning_seconds` runs from the start to VERIFIED, or to the last thing that happened; it is the sum
    of `working_seconds` and `human_seconds` up to moves that are not booked yet.
    """

    requirement_coverage: float | None = None
    context_completeness: float | None = None
    subtask_independence: float | None = None
    subtasks: int = 0
    planning_seconds: float = 0.0
    working_seconds: float = 0.0
    human_seconds: float = 0.0
    restarts: int = 0
    revisions: int = 0
    revisions_by_people: int = 0
    versions: dict[Phase, int] = Field(default_factory=dict)
    questions: int = 0
    questions_guessed: int = 0
    agents: int = 0
    model_calls: int = 0
    tokens: int = 0
    cached_tokens: int = 0
    """the part of `tokens` that a provider's cache served"""
    cost_usd: float = 0.0
    """of the calls whose price is known"""
    unpriced_calls: int = 0
    """model calls whose cost is not known and not in `cost_usd`"""
    estimated_calls: int = 0
    """model calls whose tokens were not counted but estimated"""
    accepted_by_people: tuple[Phase, ...] = ()
    accepted_by_policy: tuple[Phase, ...] = ()
    executions: int = 0
    """executions begun over the job's life"""
    act: Metrics | None = None
    """what the current execution did, as of its last rest"""


def measure(record: JobRecord, artifacts: Mapping[Phase, Artifact]) -> JobMetrics:
    """The metrics of a job; `artifacts` are those that it stands on."""
    clarified = maybe(artifacts, Phase.CLARIFICATION, ClarificationArtifact)
    plan = maybe(artifacts, Phase.IMPLEMENTATION_PLAN, ImplementationPlanArtifact)
    checked = maybe(artifacts, Phase.VALIDATION, ValidationArtifact)
    resolved = clarified.resolved_ambiguities if clarified else ()
    spent = record.spent()
    accepted = {
        ref.phase: ref.accepted_by for ref in record.artifacts if ref.status is ArtifactStatus.CURRENT
    }
    return JobMetrics(
        requirement_coverage=coverage_share(checked, plan, clarified)
        if checked and plan and clarified
        else None,
        context_completeness=_share(plan, [_is_full(s) for s in plan.subtasks]) if plan else None,
        subtask_independence=_share(plan, [not found for found in dependencies_found(plan).values()])
        if plan
        else None,
        subtasks=len(plan.subtasks) if plan else 0,
        planning_seconds=_planning_time(record).total_seconds(),
        working_seconds=sum(span.working for span in record.spans.values()),
        human_seconds=sum(span.waiting for span in record.spans.values()),
        restarts=record.restarts_total,
        revisions=sum(max(0, n - 1) for n in _versions(record).values()),
        revisions_by_people=sum(record.human_revisions.values()),
        versions=_versions(record),
        questions=len(record.questions),
        questions_guessed=sum(1 for each in resolved if each.guessed),
        agents=sum(agent.agents for agent in record.agents),
        model_calls=spent.calls,
        tokens=spent.tokens,
        cached_tokens=spent.cached_tokens,
        cost_usd=round(spent.cost_usd, 6),
        unpriced_calls=spent.unpriced_calls,
        estimated_calls=spent.estimated_calls,
        accepted_by_people=tuple(p for p, names in accepted.items() if any(is_person(n) for n in names)),
        accepted_by_policy=tuple(p for p, names in accepted.items() if any(is_policy(n) for n in names)),
        executions=record.acts,
        act=record.act.last.metrics if record.act else None,
    )


def _share(plan: ImplementationPlanArtifact, holds: list[bool]) -> float:
    """A plan without subtasks has nothing that holds."""
    return sum(holds) / max(1, len(plan.subtasks))


def _is_full(subtask: Subtask) -> bool:
    """Whether an implementer needs to look nothing up: code (unless new), tests and when it is done."""
    bundle, testing = subtask.context_bundle, subtask.testing
    has_code = bool(bundle.existing_code.strip() or bundle.related_code_snippets)
    knows_tests = bool(
        bundle.testing_patterns.strip() or testing.unit_tests_to_create or testing.verification_steps
    )
    says_what = bool(subtask.specification.exact_changes or subtask.specification.method_implementations)
    return (
        (has_code or subtask.operation is Operation.CREATE)
        and knows_tests
        and says_what
        and bool(subtask.acceptance_criteria)
    )


def _planning_time(record: JobRecord) -> timedelta:
    """To the last move into VERIFIED, else to the last entry of the ledger."""
    if record.started is None or not record.ledger:
        return timedelta()
    verified = [entry.at for entry in record.ledger if f"-> {State.VERIFIED} " in entry.what]
    last = verified[-1] if verified and record.state is State.VERIFIED else record.ledger[-1].at
    return last - record.started


def _versions(record: JobRecord) -> dict[Phase, int]:
    return {phase: len(found) for phase in Phase if (found := record.versions(phase))}
