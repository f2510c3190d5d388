"""Risks that a plan shows by itself; each says what it was counted from and what to do about it."""

from collections.abc import Iterator

from activities.deterministic.wording import cut, listed
from states.amounts import counted
from states.artifacts.clarification import ClarificationArtifact
from states.artifacts.contracts import ContractDesignArtifact
from states.artifacts.discovery import ContextDiscoveryArtifact
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.validation import RiskAssessment
from states.sensitive import sensitive_topics
from states.words import Level, Operation

MANY_CALLERS = 5
VERY_MANY_CALLERS = 15
LARGE_FILE = 500
_NOT_CODE = (".md", ".rst", ".txt", ".adoc", ".toml", ".yaml", ".yml", ".json", ".cfg", ".ini")


def risks(
    found: ContextDiscoveryArtifact,
    clarified: ClarificationArtifact,
    designed: ContractDesignArtifact | None,
    plan: ImplementationPlanArtifact,
) -> tuple[RiskAssessment, ...]:
    """Every risk, those people must look at first."""
    return (
        *_sensitive(clarified, plan),
        *_removed(plan),
        *_callers(designed),
        *_public(designed),
        *_untested(found, plan),
        *_guesses(clarified),
        *_open(plan),
        *_large(plan),
    )


def _sensitive(
    clarified: ClarificationArtifact, plan: ImplementationPlanArtifact
) -> Iterator[RiskAssessment]:
    wanted = clarified.updated_requirements
    texts = (wanted.task, *wanted.requirements, *(o.file_path for o in plan.file_operations))
    for topic in sensitive_topics(texts):
        yield RiskAssessment(
            risk=f"the change touches {topic}",
            probability=Level.MEDIUM,
            impact=Level.HIGH,
            mitigation="a person who knows this area reviews the change before it is merged",
        )


def _removed(plan: ImplementationPlanArtifact) -> Iterator[RiskAssessment]:
    for operation in plan.file_operations:
        if operation.operation is Operation.DELETE:
            yield RiskAssessment(
                risk=f"{operation.file_path} goes, and with it whatever others use of it",
                probability=Level.MEDIUM,
                impact=Level.HIGH,
                mitigation="search for its imports and names in the whole repository before and after",
            )


def uses_of(callers: tuple[str, ...]) -> int:
    """How many callers a contract stands for; its last entry may be `and N more`."""
    more = callers[-1].removeprefix("and ").removesuffix(" more") if callers else ""
    return len(callers) - 1 + int(more) if more.isdigit() else len(callers)


def _callers(designed: ContractDesignArtifact | None) -> Iterator[RiskAssessment]:
    for method in designed.method_contracts if designed else ():
        count = uses_of(method.callers)
        if count >= MANY_CALLERS and not method.stays:
            changed = method.signature != method.current
            yield RiskAssessment(
                risk=f"`{method.qualified}` is used in {count} places",
                probability=Level.HIGH if changed and count >= VERY_MANY_CALLERS else Level.MEDIUM,
                impact=Level.HIGH if count >= VERY_MANY_CALLERS else Level.MEDIUM,
                mitigation="keep its signature compatible (new parameters last, with defaults), test all",
            )


def _public(designed: ContractDesignArtifact | None) -> Iterator[RiskAssessment]:
    if designed is None:
        return
    if designed.api_contracts:
        names = listed([f"{a.method} {a.endpoint}" for a in designed.api_contracts])
        yield RiskAssessment(
            risk=f"an interface that is used from outside changes: {names}",
            probability=Level.MEDIUM,
            impact=Level.MEDIUM,
            mitigation="keep what callers send and get today valid, and try it as one of them",
        )
    changed = [m.qualified for m in designed.method_contracts if m.current and m.signature != m.current]
    if changed:
        yield RiskAssessment(
            risk=f"signatures change: {listed(changed)}",
            probability=Level.MEDIUM,
            impact=Level.MEDIUM,
            mitigation="adapt every caller that the contracts list in the same change",
        )


def _untested(found: ContextDiscoveryArtifact, plan: ImplementationPlanArtifact) -> Iterator[RiskAssessment]:
    tested = {r.path for r in found.codebase_understanding.ranking if r.tests}
    tests = {t.path: t.extends for t in (*plan.test_plan.unit_tests, *plan.test_plan.integration_tests)}
    for subtask in plan.subtasks:
        planned = [p for p in subtask.edits if p in tests]
        bare = not subtask.testing.unit_tests_to_create and subtask.location not in tests
        fresh = any(not tests[p] for p in planned)
        covered = subtask.location in tested or any("still pass" in c for c in subtask.acceptance_criteria)
        code = not subtask.location.endswith(_NOT_CODE)
        if code and subtask.operation is Operation.MODIFY and not covered and (fresh or bare):
            yield RiskAssessment(
                risk=f"no existing test covers {subtask.location}: what breaks there goes unnoticed",
                probability=Level.MEDIUM,
                impact=Level.MEDIUM,
                mitigation="first write a test of what it does today"
                + (f" in {planned[0]}" if planned else ""),
            )


def _guesses(clarified: ClarificationArtifact) -> Iterator[RiskAssessment]:
    for resolved in clarified.resolved_ambiguities:
        if resolved.guessed:
            yield RiskAssessment(
                risk=f"a guess may be wrong: {cut(resolved.original_question, 120)} ({resolved.answered_by})",
                probability=Level.MEDIUM,
                impact=Level.MEDIUM,
                mitigation=f"have a person confirm: {cut(resolved.clarification)}",
            )


def _open(plan: ImplementationPlanArtifact) -> Iterator[RiskAssessment]:
    if plan.open_points:
        count = len(plan.open_points)
        yield RiskAssessment(
            risk=f"{counted(count, 'point is', 'points are')} left for whoever implements to decide",
            probability=Level.HIGH,
            impact=Level.MEDIUM,
            mitigation=f"decide first: {listed([cut(p.subject, 80) for p in plan.open_points], 5)}",
        )


def _large(plan: ImplementationPlanArtifact) -> Iterator[RiskAssessment]:
    for operation in plan.file_operations:
        marks = [
            line for line in operation.existing_code_context.splitlines() if line.startswith("--- lines ")
        ]
        total = int(marks[0].split(" of ")[1].split()[0]) if marks else 0
        if total > LARGE_FILE:
            yield RiskAssessment(
                risk=f"{operation.file_path} has {total} lines; only excerpts of it are in the plan",
                probability=Level.LOW,
                impact=Level.MEDIUM,
                mitigation="read the parts around the change before changing it",
            )
