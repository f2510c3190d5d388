"""ValidationArtifact: does the whole plan hold together (Alfred seed, section 5)."""

from typing import Self

from pydantic import Field, model_validator

from states.artifacts.base import Artifact, Confidence, Piece, Text
from states.artifacts.plan import PlanOption
from states.words import Level


class PlanSummary(Piece):
    """The plan in numbers, counted from the plan itself."""

    files_affected: int = Field(default=0, ge=0)
    methods_created: int = Field(default=0, ge=0)
    methods_modified: int = Field(default=0, ge=0)
    tests_planned: int = Field(default=0, ge=0)
    estimated_complexity: Level = Level.LOW


class RequirementCoverage(Piece):
    """How one requirement is met; confidence 0 means that nothing covers it."""

    requirement: Text
    implementation_approach: str
    coverage_confidence: Confidence


class RiskAssessment(Piece):
    """What could go wrong, and what is done about it."""

    risk: Text
    probability: Level
    impact: Level
    mitigation: Text


class IndependenceCheck(Piece):
    """Whether a subtask can be done alone."""

    subtask_id: Text
    is_independent: bool
    dependencies_found: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.is_independent == bool(self.dependencies_found):
            raise ValueError(f"is_independent of {self.subtask_id!r} disagrees with dependencies_found")
        return self


class ValidationArtifact(Artifact):
    """The coherence check of one exact plan."""

    plan_digest: Text
    plan_summary: PlanSummary = PlanSummary()
    requirement_coverage: tuple[RequirementCoverage, ...] = ()
    risk_assessment: tuple[RiskAssessment, ...] = ()
    subtask_independence_check: tuple[IndependenceCheck, ...] = ()
    warnings: tuple[str, ...] = ()
    options: tuple[PlanOption, ...] = ()
    """the options that can be carried out, best first: what is selected is one of these"""
