"""Plan and PlanOption: ranked ways to implement (HelixCode seed)."""

from enum import StrEnum

from pydantic import Field

from states.artifacts.base import Confidence, Piece, Text


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


class PlanStep(Piece):
    """One executable step; `dependencies` name other steps by id, number or title."""

    id: Text
    title: str
    description: str = ""
    type: StepType = StepType.CODE_GENERATION
    action: str = ""
    dependencies: tuple[str, ...] = ()
    estimated_minutes: float = Field(default=0, ge=0)


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
