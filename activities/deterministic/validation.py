"""VALIDATION without a model: what can be counted and compared in one exact plan."""

from collections.abc import Callable

from activities.brief import Brief
from activities.deterministic import requirements
from activities.deterministic.refining import standing_options
from activities.deterministic.risks import risks
from activities.deterministic.voice import answering, wanted
from activities.deterministic.wording import cut, listed, normal, terms
from activities.index.model import Index
from states.artifacts.base import OpenPoint
from states.artifacts.implementation import ImplementationPlanArtifact, Subtask
from states.artifacts.validation import (
    IndependenceCheck,
    PlanSummary,
    RequirementCoverage,
    ValidationArtifact,
)
from states.coherence import dependencies_found
from states.complexity import level_of
from states.words import Operation, Phase

COVERED, GROUNDED, TESTED = 0.5, 0.2, 0.2
"""parts of a confidence: a subtask covers it; that subtask names something the requirement speaks of; a test
is planned for it. They sum up to 0.9: without a model nobody has understood the requirement."""
ENOUGH = 0.7


def validate(brief: Brief, index: Callable[[], Index]) -> ValidationArtifact:
    """Whether the plan holds together, with how every figure was come by; the options, best first.

    `index` is only asked for where feedback has to be read.
    """
    plan, clarified, designed = brief.planned(), brief.clarified(), brief.designed()
    coverage = tuple(_coverage(r, plan) for r in _criteria(brief))
    independence = tuple(
        IndependenceCheck(subtask_id=name, is_independent=not others, dependencies_found=others)
        for name, others in dependencies_found(plan).items()
    )
    options, unsettled = standing_options(brief, index)
    return ValidationArtifact(
        feedback_answered=answering(brief),
        open_points=(*plan.open_points, *_feedback(brief, plan), *unsettled),
        plan_digest=brief.digests[Phase.IMPLEMENTATION_PLAN],
        plan_summary=_summary(plan),
        requirement_coverage=coverage,
        risk_assessment=risks(brief.found(), clarified, designed, plan),
        subtask_independence_check=independence,
        warnings=_warnings(plan, coverage, independence),
        options=options,
    )


def _criteria(brief: Brief) -> tuple[str, ...]:
    """The requirements, and what feedback on this very phase asks the plan to be checked for."""
    asked = [
        s for f in answering(brief) for s in f.splitlines() if requirements.asks(s) and not _about_the_plan(s)
    ]
    known = wanted(brief)
    return tuple(requirements.unique([*known, *(requirements.tidy(a) for a in asked)]))


def _about_the_plan(text: str) -> bool:
    return bool(terms(text) & terms("plan subtask validation artifact coverage risk digest requirement"))


def _coverage(requirement: str, plan: ImplementationPlanArtifact) -> RequirementCoverage:
    """How one requirement is met, and why the confidence is what it is."""
    subtasks = [s for s in plan.subtasks if normal(requirement) in map(normal, s.covers)]
    if not subtasks:
        return RequirementCoverage(
            requirement=requirement, implementation_approach="no subtask covers it", coverage_confidence=0
        )
    tests = [
        t for t in (*plan.test_plan.unit_tests, *plan.test_plan.integration_tests) if t.proves == requirement
    ]
    guessed = any(
        p.subject.startswith("requirement") and cut(requirement, 200) in p.subject for p in plan.open_points
    )
    grounded = not guessed and any(_speaks_of(requirement, s) for s in subtasks)
    parts = [
        "0.5 covered",
        *["0.2 names what it speaks of"] * grounded,
        *["0.2 has a test planned"] * bool(tests),
    ]
    where = "; ".join(f"{s.subtask_id}: {s.title}" for s in subtasks)
    proof = f", proven by {listed([t.name for t in tests], 2)}" if tests else ""
    return RequirementCoverage(
        requirement=requirement,
        implementation_approach=f"{where}{proof} (confidence = {' + '.join(parts)})",
        coverage_confidence=round(COVERED + GROUNDED * grounded + TESTED * bool(tests), 2),
    )


def _speaks_of(requirement: str, subtask: Subtask) -> bool:
    names = [m.method_name for m in subtask.specification.method_implementations]
    return bool(
        terms(requirement) & terms(" ".join([subtask.location.replace("/", " "), subtask.title, *names]))
    )


def _summary(plan: ImplementationPlanArtifact) -> PlanSummary:
    """Counted from the plan. A method is created when its subtask says to add or write it."""
    files = len({o.file_path for o in plan.file_operations})
    methods = [(s, m) for s in plan.subtasks for m in s.specification.method_implementations]
    created = [
        m
        for s, m in methods
        if s.operation is Operation.CREATE or m.implementation_approach.startswith("Write")
    ]
    fresh = [o for o in plan.file_operations if o.operation is Operation.CREATE]
    sources = [o for o in fresh if o.file_path in {s.location for s in plan.subtasks}]
    return PlanSummary(
        files_affected=files,
        methods_created=len(created),
        methods_modified=len(methods) - len(created),
        tests_planned=len(plan.test_plan.unit_tests) + len(plan.test_plan.integration_tests),
        estimated_complexity=level_of(files, bool(created or sources)),
    )


def _feedback(brief: Brief, plan: ImplementationPlanArtifact) -> tuple[OpenPoint, ...]:
    """What feedback on the validation says about places, checked against the plan."""
    points = []
    for text in answering(brief):
        named = [o.file_path for o in plan.file_operations if o.file_path in text]
        why = f"the plan works on {listed(named)}" if named else "it names no file of the plan"
        points.append(
            OpenPoint(
                subject=f'feedback: "{cut(text, 200)}"', why=f"{why}; a person judges whether that answers it"
            )
        )
    return tuple(points)


def _warnings(
    plan: ImplementationPlanArtifact,
    coverage: tuple[RequirementCoverage, ...],
    independence: tuple[IndependenceCheck, ...],
) -> tuple[str, ...]:
    found = [f'nothing covers "{cut(c.requirement, 160)}"' for c in coverage if c.coverage_confidence == 0]
    found += [
        f'weakly covered ({c.coverage_confidence}): "{cut(c.requirement, 160)}"'
        for c in coverage
        if 0 < c.coverage_confidence < ENOUGH
    ]
    found += [
        f"subtask {i.subtask_id} cannot be done alone: {listed(list(i.dependencies_found))}"
        for i in independence
        if not i.is_independent
    ]
    if not plan.subtasks:
        found.append("the plan has no subtask")
    if not plan.test_plan.unit_tests and not plan.test_plan.integration_tests:
        found.append("no test is planned")
    return tuple(found)
