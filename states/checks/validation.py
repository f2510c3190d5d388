"""VALIDATION: is what it claims true of the plan, and does it speak of this very plan."""

from collections.abc import Iterator

from states.amounts import counted
from states.artifacts.clarification import ClarificationArtifact
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.validation import IndependenceCheck, ValidationArtifact
from states.checks.plan import uncovered
from states.checks.subtasks import dependencies_found
from states.checks.words import beside, repeated, requirement, same, short, technical, warning
from states.complexity import SIMPLE_BELOW_FILES
from states.option_checks import sound
from states.policy import LEAST_COVERAGE
from states.review import Finding
from states.words import Level


def check(
    validated: ValidationArtifact,
    plan: ImplementationPlanArtifact,
    clarified: ClarificationArtifact,
    plan_digest: str,
) -> Iterator[Finding]:
    """Every finding about a VALIDATION artifact, but not those about the plan itself."""
    if validated.plan_digest != plan_digest:
        yield technical(
            f"it validates plan {validated.plan_digest[:12]} but the current plan is {plan_digest[:12]}; "
            "validate the current one",
            "plan_digest",
        )
    yield from _coverage(validated, plan, clarified)
    yield from _independence(validated, plan)
    yield from _summary(validated, plan)
    yield from _options(validated, plan)


def confidences(validated: ValidationArtifact, clarified: ClarificationArtifact) -> tuple[float, ...]:
    """The claimed confidence of each requirement, in their order; 0 where the claim is missing."""
    claims = {same(c.requirement): c.coverage_confidence for c in validated.requirement_coverage}
    return tuple(claims.get(same(r), 0.0) for r in clarified.updated_requirements.requirements)


def coverage_share(
    validated: ValidationArtifact, plan: ImplementationPlanArtifact, clarified: ClarificationArtifact
) -> float:
    """Which share of the requirements a subtask covers and is claimed with some confidence; 0 without any."""
    requirements = clarified.updated_requirements.requirements
    lacking = set(uncovered(plan, clarified))
    claimed = zip(requirements, confidences(validated, clarified), strict=True)
    return sum(1 for r, c in claimed if c > 0 and r not in lacking) / max(1, len(requirements))


def files_of(plan: ImplementationPlanArtifact) -> int:
    """How many files the plan touches."""
    return len({operation.file_path for operation in plan.file_operations})


def _coverage(
    validated: ValidationArtifact, plan: ImplementationPlanArtifact, clarified: ClarificationArtifact
) -> Iterator[Finding]:
    claims = {same(claim.requirement): claim for claim in validated.requirement_coverage}
    for text in clarified.updated_requirements.requirements:
        if same(text) not in claims:
            yield requirement(
                f"requirement {short(text)} is not assessed; say how the plan meets it", "coverage"
            )
        elif claims[same(text)].coverage_confidence == 0:
            yield warning(f"requirement {short(text)} is assessed as not met", "coverage")
    share = coverage_share(validated, plan, clarified)
    if share < LEAST_COVERAGE:
        what = (
            f"{share:.0%} of the requirements are covered, {LEAST_COVERAGE:.0%} are needed; cover the rest "
            "or drop them in CLARIFICATION"
        )
        yield beside(plan, requirement(what, "coverage"))


def _independence(validated: ValidationArtifact, plan: ImplementationPlanArtifact) -> Iterator[Finding]:
    found = dependencies_found(plan)
    checks = validated.subtask_independence_check
    checked = {entry.subtask_id for entry in checks}
    for repeat in repeated(entry.subtask_id for entry in checks):
        yield technical(f"subtask {short(repeat)} is checked twice; keep one entry", f"subtask {repeat}")
    for name in found:
        if name not in checked:
            yield technical(f"the independence of subtask {short(name)} is not checked", f"subtask {name}")
    for entry in checks:
        yield from _claim(entry, found)


def _claim(entry: IndependenceCheck, found: dict[str, tuple[str, ...]]) -> Iterator[Finding]:
    where = f"subtask {entry.subtask_id}"
    if entry.subtask_id not in found:
        yield technical(
            f"the plan has no subtask {short(entry.subtask_id)}; check the subtasks it has", where
        )
    elif entry.is_independent and found[entry.subtask_id]:
        names = ", ".join(map(short, found[entry.subtask_id]))
        yield technical(f"it is claimed to be independent but depends on {names}; correct the claim", where)
    elif not entry.is_independent and not found[entry.subtask_id]:
        yield technical("it is claimed to be dependent but the plan says otherwise; correct the claim", where)


def _options(validated: ValidationArtifact, plan: ImplementationPlanArtifact) -> Iterator[Finding]:
    """Whatever can be selected can be carried out; what could not was left out before, and said so."""
    subtasks = [subtask.subtask_id for subtask in plan.subtasks]
    for name, why in sound(validated.options, subtasks)[1]:
        yield technical(f"option {short(name)} cannot be carried out: {why}", f"option {name}")
    offered = {option.id for option in validated.options}
    for option in plan.options:
        if option.id not in offered:
            yield warning(f"option {short(option.id)} of the plan is not offered", f"option {option.id}")


def _summary(validated: ValidationArtifact, plan: ImplementationPlanArtifact) -> Iterator[Finding]:
    summary, files = validated.plan_summary, files_of(plan)
    tests = len(plan.test_plan.unit_tests) + len(plan.test_plan.integration_tests)
    if summary.files_affected != files:
        yield technical(
            f"it counts {counted(summary.files_affected, 'file')} but the plan touches {files}; "
            "correct the count",
            "plan_summary",
        )
    if summary.tests_planned != tests:
        yield warning(
            f"it counts {counted(summary.tests_planned, 'test')} but the plan has {tests}", "plan_summary"
        )
    if summary.estimated_complexity is Level.LOW and files >= SIMPLE_BELOW_FILES:
        yield warning(f"the complexity is called LOW although {files} files are touched", "plan_summary")
    if not validated.risk_assessment:
        yield warning("no risk is assessed", "risk_assessment")
