"""Plan and PlanOption: ranked ways to implement (HelixCode seed)."""

from enum import StrEnum

from pydantic import Field

from states.artifacts.base import Confidence, Piece, RepoPath, Text


class Complexity(StrEnum):
    """Four-step scale of the HelixCode seed, lowest first."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    VERY_HIGH = "very_high"


class Impact(StrEnum):
    """How much a risk hurts, lowest first."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Likelihood(StrEnum):
    """How probable a risk is, lowest first."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class StepType(StrEnum):
    """What kind of work a step is."""

    FILE_OPERATION = "file_operation"
    SHELL_COMMAND = "shell_command"
    CODE_GENERATION = "code_generation"
    CODE_ANALYSIS = "code_analysis"
    VALIDATION = "validation"
    TESTING = "testing"


class PlanRisk(Piece):
    """One risk of an option."""

    description: Text
    impact: Impact = Impact.LOW
    likelihood: Likelihood = Likelihood.LOW
    mitigation: str = ""


class Estimates(Piece):
    """How long, how hard, how sure."""

    duration_minutes: float = Field(default=0, ge=0)
    complexity: Complexity = Complexity.LOW
    confidence: Confidence = 0.5


class FileChangeKind(StrEnum):
    """What a file operation does."""

    CREATE = "create"
    MODIFY = "modify"
    MOVE = "move"
    DELETE = "delete"


class ExactEdit(Piece):
    """Replace `old`, which must be there exactly `count` times, by `new`."""

    old: str = Field(min_length=1)
    new: str = ""
    count: int = Field(default=1, ge=1)


class FileChange(Piece):
    """One change of one file. CREATE needs `content`, MODIFY `edits`, MOVE `to`."""

    path: RepoPath
    kind: FileChangeKind
    content: str = ""
    edits: tuple[ExactEdit, ...] = ()
    to: RepoPath | None = None
    executable: bool = False


class StepCondition(Piece):
    """When a step runs: how another step ended, or whether a path is there. All that is given must hold."""

    step: str = ""
    status: str = "completed"
    """completed, failed or skipped; the step then does not depend on the other's success"""
    path: RepoPath | None = None
    exists: bool = True


class PlanStep(Piece):
    """One executable step; `dependencies` name other steps by id, number or title.

    `action` says it in words, which are never run; what is done is in `command` for commands and tests, in
    `files` for file operations, in `subtask` and `context` for code that a model or a person writes.
    """

    id: Text
    title: str
    description: str = ""
    type: StepType = StepType.CODE_GENERATION
    action: str = ""
    dependencies: tuple[str, ...] = ()
    estimated_minutes: float = Field(default=0, ge=0)
    command: str = ""
    files: tuple[FileChange, ...] = ()
    subtask: str = ""
    """id of the subtask whose context bundle the code is written from"""
    condition: StepCondition | None = None
    required: bool = True
    retries: int = Field(default=0, ge=0, le=10)
    timeout_seconds: float = Field(default=600, gt=0, le=24 * 3600)
    report: str = ""
    """where a test command writes JUnit XML, relative to the repository"""


class Plan(Piece):
    """What to do, step by step."""

    title: str
    description: str = ""
    steps: tuple[PlanStep, ...] = ()
    risks: tuple[PlanRisk, ...] = ()
    estimates: Estimates = Estimates()
    version: int = Field(default=1, ge=1)


class PlanOption(Piece):
    """One of several ways; score and rank are computed by `states.options`."""

    id: Text
    title: str = ""
    description: str = ""
    plan: Plan
    pros: tuple[str, ...] = ()
    cons: tuple[str, ...] = ()
    source: str = ""
    """what drew it up: `planner:deterministic`, `model:<name>`, `template:<name>`, `person:<name>`"""
