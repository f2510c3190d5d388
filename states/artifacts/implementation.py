"""ImplementationPlanArtifact: file operations and self-contained subtasks (Alfred seed, section 4)."""

from pydantic import Field

from states.artifacts.base import Artifact, FileAction, ModelDefinition, Piece, RepoPath, Text
from states.artifacts.plan import PlanOption
from states.words import Operation


class FileOperation(Piece):
    """What happens to one file. `affected_methods` are existing names that change."""

    file_path: RepoPath
    operation: FileAction
    existing_code_context: str = ""
    changes_description: Text
    affected_methods: tuple[str, ...] = ()


class ContextBundle(Piece):
    """Everything a subtask needs, so that nothing is rediscovered. Snippets map `path:first-last` to text."""

    existing_code: str = ""
    related_code_snippets: dict[str, str] = Field(default_factory=dict)
    data_models: tuple[ModelDefinition, ...] = ()
    utility_functions: tuple[str, ...] = ()
    testing_patterns: str = ""
    error_handling_patterns: str = ""


class MethodImplementation(Piece):
    """How one method is to be written or changed."""

    method_name: Text
    signature: str = ""
    implementation_approach: Text
    edge_cases: tuple[str, ...] = ()


class Specification(Piece):
    """Step by step what to do."""

    exact_changes: tuple[Text, ...] = ()
    method_implementations: tuple[MethodImplementation, ...] = ()
    integration_points: tuple[str, ...] = ()


class TestingNeeds(Piece):
    """How a subtask is proven."""

    __test__ = False

    unit_tests_to_create: tuple[str, ...] = ()
    test_data: tuple[str, ...] = ()
    verification_steps: tuple[str, ...] = ()
    expected_outcomes: tuple[str, ...] = ()


class Subtask(Piece):
    """A self-contained unit of work. `covers` names requirements word for word; `edits` maps a path to
    old-file line ranges `[first, last]` in the form of `states.coherence.conflicts`."""

    subtask_id: Text
    title: Text
    location: RepoPath
    operation: FileAction = Operation.MODIFY
    context_bundle: ContextBundle = ContextBundle()
    specification: Specification = Specification()
    testing: TestingNeeds = TestingNeeds()
    acceptance_criteria: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()
    edits: dict[str, tuple[tuple[float, float], ...]] = Field(default_factory=dict)


class TestSpecification(Piece):
    """One test to write or extend; `path` is where, `extends` is true when the file exists."""

    __test__ = False

    path: RepoPath
    name: Text
    proves: Text
    extends: bool = False


class TestPlan(Piece):
    """Which tests prove the plan."""

    __test__ = False

    unit_tests: tuple[TestSpecification, ...] = ()
    integration_tests: tuple[TestSpecification, ...] = ()
    test_data_requirements: tuple[str, ...] = ()


class ImplementationPlanArtifact(Artifact):
    """The plan: files, subtasks, tests, and several ways to carry them out."""

    file_operations: tuple[FileOperation, ...] = ()
    subtasks: tuple[Subtask, ...] = ()
    test_plan: TestPlan = TestPlan()
    implementation_notes: tuple[str, ...] = ()
    options: tuple[PlanOption, ...] = ()
    """ways to carry the subtasks out, as they were drawn up"""
