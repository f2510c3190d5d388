"""The steps that options are made of, and what they are estimated to take."""

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from activities.deterministic.commands import TestCommands
from activities.deterministic.wording import cut, listed
from states.artifacts.implementation import Subtask
from states.artifacts.plan import Complexity, Estimates, PlanStep, StepCondition, StepType
from states.words import Operation

PER_FILE, PER_NEW_FILE, PER_DELETED_FILE, PER_CALLABLE, PER_TEST = 10.0, 20.0, 5.0, 10.0, 5.0
"""minutes that a person takes; a rule of thumb that is the same for all options, so that they compare"""
RUNNING, LOOKING, PER_DOCUMENT = 2.0, 1.0, 10.0
_REPORT = "phasegate-junit.xml"
_SCALE = ((3, Complexity.LOW), (8, Complexity.MEDIUM), (20, Complexity.HIGH))
"""files below which a plan is that complex"""


def code_step(subtask: Subtask, after: Sequence[str] = (), *, tests: bool = True) -> PlanStep:
    """Write what a subtask asks for; without `tests` its planned tests are left out."""
    goals = f", so that {'; '.join(subtask.covers)}" if subtask.covers else ""
    but = "" if tests or not planned(subtask) else " without its planned tests"
    return PlanStep(
        id=subtask.subtask_id,
        title=f"{subtask.title}{but}",
        description="\n".join(subtask.specification.exact_changes),
        type=StepType.CODE_GENERATION,
        action=cut(f"Do subtask {subtask.subtask_id}{but}: {subtask.title}{goals}", 600),
        dependencies=tuple(after),
        estimated_minutes=_minutes(subtask) + (_minutes_for_tests(subtask) if tests else 0.0),
        subtask=subtask.subtask_id,
    )


def tests_step(subtask: Subtask) -> PlanStep:
    """Write only the planned tests of a subtask."""
    names = listed(list(planned(subtask)))
    return PlanStep(
        id=f"{subtask.subtask_id}-tests",
        title=f"Write the tests of {subtask.subtask_id} first",
        type=StepType.CODE_GENERATION,
        action=cut(f"Of subtask {subtask.subtask_id} write only the tests: {names}", 600),
        estimated_minutes=_minutes_for_tests(subtask),
        subtask=subtask.subtask_id,
    )


def planned(subtask: Subtask) -> tuple[str, ...]:
    """The tests that a subtask brings."""
    return subtask.testing.unit_tests_to_create


def document_step(path: str, names: Sequence[str], after: Sequence[str]) -> PlanStep:
    """Bring a document in line with code that it names."""
    return PlanStep(
        id=f"docs-{PurePosixPath(path).name}".lower(),
        title=f"Bring {path} in line",
        type=StepType.CODE_GENERATION,
        action=f"Bring {path} in line with the change: it names {listed(list(names))}",
        dependencies=tuple(after),
        estimated_minutes=PER_DOCUMENT,
        condition=StepCondition(path=path),
    )


def proving_step(name: str, command: str, after: Sequence[str], title: str = "Run the tests") -> PlanStep:
    """Run the tests; pytest also writes a report that is read."""
    reports = command.endswith("pytest") or " pytest " in f" {command} "
    return PlanStep(
        id=name,
        title=title,
        type=StepType.TESTING,
        action=f"Run `{command}`",
        command=f"{command} --junitxml={_REPORT}" if reports else command,
        dependencies=tuple(after),
        estimated_minutes=RUNNING,
        report=_REPORT if reports else "",
    )


def readable_step(after: Sequence[str]) -> PlanStep:
    """Every file that changed is still what its name says."""
    return PlanStep(
        id="readable",
        title="Check that every changed file can be parsed",
        type=StepType.VALIDATION,
        action="Parse every file that the steps before have changed",
        dependencies=tuple(after),
        estimated_minutes=LOOKING,
    )


def impact_step(after: Sequence[str], *, when_failed: str = "") -> PlanStep:
    """Which symbols changed and who uses them; `when_failed`: only if that step has failed."""
    return PlanStep(
        id="impact",
        title="Report what changed and who uses it",
        type=StepType.CODE_ANALYSIS,
        action="Compare the symbols before and after, and list who uses those that changed",
        dependencies=tuple(after),
        estimated_minutes=LOOKING,
        condition=StepCondition(step=when_failed, status="failed") if when_failed else None,
        required=not when_failed,
    )


def suite_of(commands: TestCommands, tests: Iterable[str]) -> str:
    """How all tests are run; without a known way those of the plan, where one command runs them."""
    if commands.suite:
        return commands.suite
    known = list(dict.fromkeys(command for test in tests if (command := commands.for_file(test))))
    return known[0] if len(known) == 1 else ""


def estimated(steps: Sequence[PlanStep], files: int, confidence: float) -> Estimates:
    """One after the other, as one person works; `files` decides how complex it is."""
    complexity = next((c for limit, c in _SCALE if files < limit), Complexity.VERY_HIGH)
    return Estimates(
        duration_minutes=sum(step.estimated_minutes for step in steps),
        complexity=complexity,
        confidence=round(min(0.95, max(0.05, confidence)), 2),
    )


def _minutes(subtask: Subtask) -> float:
    if subtask.operation is Operation.DELETE:
        return PER_DELETED_FILE
    own = PER_NEW_FILE if subtask.operation is Operation.CREATE else PER_FILE
    methods = len(subtask.specification.method_implementations)
    return own + PER_CALLABLE * methods


def _minutes_for_tests(subtask: Subtask) -> float:
    return PER_TEST * len(planned(subtask))
