"""Artifacts that hold together, of many shapes, for tests that then break them."""

from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from states.artifacts.base import Artifact, MethodSignature
from states.artifacts.clarification import ClarificationArtifact, ResolvedAmbiguity, TaskRequirements
from states.artifacts.contracts import ContractDesignArtifact, MethodContract
from states.artifacts.discovery import (
    Ambiguity,
    Candidate,
    CodebaseUnderstanding,
    CodePattern,
    ContextDiscoveryArtifact,
    Estimate,
    ExtractedContext,
)
from states.artifacts.implementation import (
    ContextBundle,
    FileOperation,
    ImplementationPlanArtifact,
    MethodImplementation,
    Specification,
    Subtask,
    TestPlan,
    TestSpecification,
)
from states.artifacts.kinds import StoredArtifact
from states.artifacts.validation import (
    IndependenceCheck,
    PlanSummary,
    RequirementCoverage,
    RiskAssessment,
    ValidationArtifact,
)
from states.coherence import Ground, dependencies_found, review
from states.review import Review
from states.words import WORK_PHASES, Level, MethodChange, Operation, Phase


@dataclass(frozen=True)
class World:
    """A repository and the artifacts that plan a change of it."""

    ground: Ground
    artifacts: dict[Phase, Artifact]

    def __getitem__(self, phase: Phase) -> Any:
        return self.artifacts[phase]

    def phases(self) -> list[Phase]:
        return [phase for phase in WORK_PHASES if phase in self.artifacts]

    def with_change(self, phase: Phase, **fields: Any) -> "World":
        """The world with some fields of one artifact replaced, without validation: as a mutant would be."""
        changed = self.artifacts[phase].model_copy(update=fields)
        return replace(self, artifacts={**self.artifacts, phase: changed})

    def on_ground(self, **fields: Any) -> "World":
        return replace(self, ground=replace(self.ground, **fields))

    def plan_digest(self) -> str:
        return StoredArtifact.wrap(
            Phase.IMPLEMENTATION_PLAN, self.artifacts[Phase.IMPLEMENTATION_PLAN], {}
        ).digest

    def revalidated(self) -> "World":
        """The world with an honest VALIDATION of its present plan."""
        return replace(self, artifacts={**self.artifacts, Phase.VALIDATION: validation_of(self)})

    def review(self, phase: Phase) -> Review:
        digests = {Phase.IMPLEMENTATION_PLAN: self.plan_digest()}
        return review(phase, self.artifacts, self.ground, f"digest of {phase}", digests)


def good_world(
    modified: int = 2, created: int = 1, deleted: int = 0, requirements: int = 2, contracts: bool = True
) -> World:
    """A change that modifies, creates and deletes so many files; the first modified one in two subtasks."""
    edited = [f"src/mod{n}.py" for n in range(modified)]
    fresh = [f"src/fresh{n}.py" for n in range(created)]
    dropped = [f"src/old{n}.py" for n in range(deleted)]
    existing = [*edited, *dropped]
    ground = Ground(
        paths=frozenset([*existing, "tests/test_mod0.py", "README.md"]),
        symbols=frozenset(f"Thing{n}.run" for n in range(modified)),
        places=frozenset((path, f"Thing{n}.run") for n, path in enumerate(edited)),
    )
    wanted = tuple(f"Requirement number {n} holds" for n in range(requirements))
    artifacts: dict[Phase, Artifact] = {
        Phase.DISCOVERY: _discovery([*existing, "README.md"], len(edited) + len(fresh) + len(dropped)),
        Phase.CLARIFICATION: _clarification(wanted),
        Phase.IMPLEMENTATION_PLAN: _plan(edited, fresh, dropped, wanted, contracts),
    }
    if contracts:
        artifacts[Phase.CONTRACTS] = ContractDesignArtifact(
            method_contracts=(
                *(_contract(path, n, MethodChange.MODIFY) for n, path in enumerate(edited)),
                *(_contract(path, n, MethodChange.NEW) for n, path in enumerate(fresh)),
            ),
            follows_patterns=True,
        )
    return World(ground, artifacts).revalidated()


def good_worlds() -> st.SearchStrategy[World]:
    """Good worlds of every shape that has something to mutate."""
    return st.builds(
        good_world,
        modified=st.integers(1, 4),
        created=st.integers(1, 2),
        deleted=st.integers(0, 2),
        requirements=st.integers(1, 6),
        contracts=st.booleans(),
    )


def validation_of(world: World) -> ValidationArtifact:
    plan: ImplementationPlanArtifact = world[Phase.IMPLEMENTATION_PLAN]
    wanted = world[Phase.CLARIFICATION].updated_requirements.requirements
    tests = (*plan.test_plan.unit_tests, *plan.test_plan.integration_tests)
    return ValidationArtifact(
        plan_digest=world.plan_digest(),
        plan_summary=PlanSummary(
            files_affected=len({o.file_path for o in plan.file_operations}),
            tests_planned=len(tests),
            estimated_complexity=Level.MEDIUM,
        ),
        requirement_coverage=tuple(
            RequirementCoverage(
                requirement=r, implementation_approach="by a subtask", coverage_confidence=0.9
            )
            for r in wanted
        ),
        risk_assessment=(
            RiskAssessment(risk="slow", probability=Level.HIGH, impact=Level.LOW, mitigation="measure"),
        ),
        subtask_independence_check=tuple(
            IndependenceCheck(subtask_id=name, is_independent=not found, dependencies_found=found)
            for name, found in dependencies_found(plan).items()
        ),
    )


def _discovery(files: list[str], affected: int) -> ContextDiscoveryArtifact:
    return ContextDiscoveryArtifact(
        commit="c0ffee",
        codebase_understanding=CodebaseUnderstanding(
            relevant_files=tuple(files),
            existing_patterns=(CodePattern(name="runner", description="each thing has a run method"),),
        ),
        ambiguities_discovered=(
            Ambiguity(
                id="q1",
                question="Which thing is meant here?",
                context="class Thing0: ...",
                impact_if_wrong="the wrong thing runs",
                candidates=(Candidate(label="first", path=files[0]), Candidate(label="last", path=files[-1])),
                recommended="first",
            ),
        ),
        extracted_context=ExtractedContext(
            code_snippets={f"{files[0]}:1-9": "class Thing0: ..."},
            existing_methods=(MethodSignature(name="run", signature="def run()", path=files[0], line=3),),
        ),
        estimate=Estimate(files_affected=affected, existing_pattern=True),
    )


def _clarification(wanted: tuple[str, ...]) -> ClarificationArtifact:
    return ClarificationArtifact(
        resolved_ambiguities=(
            ResolvedAmbiguity(
                question_id="q1",
                original_question="Which thing is meant here?",
                human_response="first",
                clarification="the first",
                answered_by="ada",
            ),
        ),
        updated_requirements=TaskRequirements(task="Make things faster", requirements=wanted),
    )


def _contract(path: str, n: int, change: MethodChange) -> MethodContract:
    return MethodContract(
        class_name="Thing" if change is MethodChange.NEW else f"Thing{n}",
        method_name=f"fresh{n}" if change is MethodChange.NEW else "run",
        signature="def run(self, fast: bool) -> int",
        current="" if change is MethodChange.NEW else "def run(self) -> int",
        purpose="runs the thing",
        path=path,
        change=change,
    )


def _plan(
    edited: list[str], fresh: list[str], dropped: list[str], wanted: tuple[str, ...], contracts: bool
) -> ImplementationPlanArtifact:
    named: dict[str, tuple[str, ...]] = {path: (f"Thing{n}.run",) for n, path in enumerate(edited)}
    named |= {path: (f"Thing.fresh{n}",) if contracts else () for n, path in enumerate(fresh)}
    operations = dict.fromkeys(edited, Operation.MODIFY)
    operations |= dict.fromkeys(fresh, Operation.CREATE) | dict.fromkeys(dropped, Operation.DELETE)
    subtasks = [_subtask(path, operation) for path, operation in operations.items()]
    subtasks.append(
        subtasks[0].model_copy(update={"subtask_id": "second half", "edits": {edited[0]: ((40.0, 44.5),)}})
    )
    shared = [
        tuple(r for n, r in enumerate(wanted) if n % len(subtasks) == turn) for turn in range(len(subtasks))
    ]
    return ImplementationPlanArtifact(
        file_operations=tuple(
            FileOperation(
                file_path=path,
                operation=operation,
                existing_code_context="" if operation is Operation.CREATE else "class Thing: ...",
                changes_description="make it faster",
                affected_methods=named.get(path, ()),
            )
            for path, operation in operations.items()
        ),
        subtasks=tuple(
            s.model_copy(update={"covers": covers}) for s, covers in zip(subtasks, shared, strict=True)
        ),
        test_plan=TestPlan(
            unit_tests=(
                TestSpecification(path="tests/test_mod0.py", name="test_fast", proves="speed", extends=True),
            )
        ),
    )


def _subtask(path: str, operation: Operation) -> Subtask:
    return Subtask(
        subtask_id=f"{operation} {path}",
        title=f"{operation} {path}",
        location=path,
        operation=operation,
        context_bundle=ContextBundle(existing_code="class Thing: ...", testing_patterns="plain pytest"),
        specification=Specification(
            exact_changes=("do it",),
            method_implementations=(
                MethodImplementation(method_name="helper", implementation_approach="with care"),
            ),
        ),
        acceptance_criteria=("the tests pass",),
        edits={path: ((3.0, 9.5),)} if operation is Operation.MODIFY else {},
    )
