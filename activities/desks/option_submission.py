"""What an agent that drafts an option writes: PlanOption in a schema that any provider takes."""

from pydantic import Field

from activities.desks.submitted import Submitted
from states.artifacts.plan import Complexity, FileChangeKind, Impact, Likelihood, StepType


class SubmittedCondition(Submitted):
    """When the step runs. Leave it out for a step that always does."""

    step: str = ""
    """id of another step"""
    status: str = "completed"
    """how that step ended: completed, failed or skipped"""
    path: str = ""
    """a path that must be there, or must not"""
    exists: bool = True


class SubmittedEdit(Submitted):
    """Replace `old`, which is there exactly once, by `new`."""

    old: str
    new: str = ""


class SubmittedFile(Submitted):
    """One change of one file: create needs `content`, modify `edits`, move `to`."""

    path: str
    kind: FileChangeKind
    content: str = ""
    edits: tuple[SubmittedEdit, ...] = ()
    to: str = ""


class SubmittedStep(Submitted):
    """One step."""

    id: str
    title: str
    type: StepType
    action: str
    description: str = ""
    dependencies: tuple[str, ...] = ()
    """ids of steps that must have completed before"""
    estimated_minutes: float = Field(default=0, ge=0)
    command: str = ""
    subtask: str = ""
    """id of the subtask whose context the code is written from"""
    files: tuple[SubmittedFile, ...] = ()
    condition: SubmittedCondition = Field(default_factory=SubmittedCondition)
    required: bool = True
    report: str = ""


class SubmittedRisk(Submitted):
    """One risk."""

    description: str
    impact: Impact
    likelihood: Likelihood
    mitigation: str = ""


class SubmittedEstimates(Submitted):
    """How long, how hard, how sure from 0 to 1."""

    duration_minutes: float = Field(ge=0)
    complexity: Complexity
    confidence: float = Field(ge=0, le=1)


class SubmittedPlan(Submitted):
    """The steps of the option, its risks and estimates."""

    steps: tuple[SubmittedStep, ...] = Field(min_length=1)
    risks: tuple[SubmittedRisk, ...] = ()
    estimates: SubmittedEstimates


class SubmittedOption(Submitted):
    """One way to carry the plan out."""

    title: str
    description: str
    plan: SubmittedPlan
    pros: tuple[str, ...] = ()
    cons: tuple[str, ...] = ()
