"""The words of phasegate, each defined once. The glossary in docs/ explains them."""

import re
from enum import StrEnum

JOB_ID = re.compile(r"(?!\.)[A-Za-z0-9._-]{1,100}")
"""ids of jobs: what the store and the workspaces can name files by"""


class Phase(StrEnum):
    """The six steps of a plan, in order (Alfred seed, State Flow)."""

    DISCOVERY = "discovery"
    CLARIFICATION = "clarification"
    CONTRACTS = "contracts"
    IMPLEMENTATION_PLAN = "implementation_plan"
    VALIDATION = "validation"
    VERIFIED = "verified"

    @classmethod
    def parse(cls, text: str) -> "Phase":
        """Read a phase's name in any case, `-` or blanks for `_`.

        Raises ValueError naming those that do work: nothing begins, decides or is handed over in VERIFIED.
        """
        key = text.strip().lower().replace("-", "_").replace(" ", "_")
        try:
            return cls(key)
        except ValueError:
            raise ValueError(
                f"unknown phase {text[:60]!r}; name one of {', '.join(p.name for p in WORK_PHASES)}"
            ) from None


WORK_PHASES: tuple[Phase, ...] = tuple(p for p in Phase if p is not Phase.VERIFIED)


class Stage(StrEnum):
    """What happens within a state: who has the ball."""

    WORK = "work"
    AI_REVIEW = "awaiting_ai_review"
    HUMAN_REVIEW = "awaiting_human_review"
    VERIFIED = "verified"
    CANCELLED = "cancelled"


class State(StrEnum):
    """Every place a job can be in."""

    DISCOVERY = "discovery"
    DISCOVERY_AI_REVIEW = "discovery_awaiting_ai_review"
    DISCOVERY_HUMAN_REVIEW = "discovery_awaiting_human_review"
    CLARIFICATION = "clarification"
    CLARIFICATION_AI_REVIEW = "clarification_awaiting_ai_review"
    CLARIFICATION_HUMAN_REVIEW = "clarification_awaiting_human_review"
    CONTRACTS = "contracts"
    CONTRACTS_AI_REVIEW = "contracts_awaiting_ai_review"
    CONTRACTS_HUMAN_REVIEW = "contracts_awaiting_human_review"
    IMPLEMENTATION_PLAN = "implementation_plan"
    IMPLEMENTATION_PLAN_AI_REVIEW = "implementation_plan_awaiting_ai_review"
    IMPLEMENTATION_PLAN_HUMAN_REVIEW = "implementation_plan_awaiting_human_review"
    VALIDATION = "validation"
    VALIDATION_AI_REVIEW = "validation_awaiting_ai_review"
    VALIDATION_HUMAN_REVIEW = "validation_awaiting_human_review"
    VERIFIED = "verified"
    CANCELLED = "cancelled"

    @property
    def stage(self) -> Stage:
        """Which part of its phase this state is."""
        if self is State.VERIFIED:
            return Stage.VERIFIED
        if self is State.CANCELLED:
            return Stage.CANCELLED
        for stage in (Stage.AI_REVIEW, Stage.HUMAN_REVIEW):
            if self.value.endswith(stage.value):
                return stage
        return Stage.WORK

    @property
    def phase(self) -> Phase | None:
        """The phase this state belongs to; None when cancelled."""
        if self is State.CANCELLED:
            return None
        name = self.value.removesuffix(f"_{Stage.AI_REVIEW}").removesuffix(f"_{Stage.HUMAN_REVIEW}")
        return Phase(name)

    @classmethod
    def of(cls, phase: Phase, stage: Stage = Stage.WORK) -> "State":
        """The state of a phase's stage; VERIFIED has only itself."""
        return cls(phase.value if stage is Stage.WORK or phase is Phase.VERIFIED else f"{phase}_{stage}")


class Trigger(StrEnum):
    """What happened. The table says where it leads."""

    SUBMIT = "submit"
    AI_APPROVE = "ai_approve"
    ESCALATE = "escalate"
    EDIT = "edit"
    HUMAN_APPROVE = "human_approve"
    REVISE_TECHNICAL = "revise_technical"
    REVISE_REQUIREMENT = "revise_requirement"
    REVISE_CONTRACT = "revise_contract"
    RESTART_FROM_DISCOVERY = "restart_from_discovery"
    RESTART_FROM_CLARIFICATION = "restart_from_clarification"
    RESTART_FROM_CONTRACTS = "restart_from_contracts"
    RESTART_FROM_IMPLEMENTATION_PLAN = "restart_from_implementation_plan"
    RESTART_FROM_VALIDATION = "restart_from_validation"
    CANCEL = "cancel"

    @classmethod
    def restart(cls, phase: Phase) -> "Trigger":
        """The trigger that restarts from a phase. Raises ValueError for VERIFIED."""
        return cls(f"restart_from_{phase}")

    @classmethod
    def revise(cls, kind: "ReviewKind") -> "Trigger":
        """The trigger of a revision of this kind."""
        return cls(f"revise_{kind}")


class ReviewKind(StrEnum):
    """What a revision is about, which decides where it leads (Alfred seed, Revision Handling)."""

    TECHNICAL = "technical"
    REQUIREMENT = "requirement"
    CONTRACT = "contract"


class Mode(StrEnum):
    """The operational mode of a job (HelixCode seed, ModeController)."""

    NORMAL = "Normal"
    PLAN = "Plan"
    ACT = "Act"
    PAUSED = "Paused"


class ModeTrigger(StrEnum):
    """What moves a job from one mode to another."""

    PLAN = "plan"
    ACT = "act"
    PAUSE = "pause"
    RESUME = "resume"
    REPLAN = "replan"
    CLOSE = "close"


class Awaiting(StrEnum):
    """Whom a job waits for; the value of the search attribute PhasegateAwaiting."""

    ANSWERS = "answers"
    HUMAN_REVIEW = "human_review"
    BUDGET = "budget"
    OPERATOR = "operator"
    NONE = "none"


class ArtifactStatus(StrEnum):
    """Whether an artifact is what the job stands on now."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    INVALIDATED = "invalidated"


class PhaseStatus(StrEnum):
    """How far a phase is, as people see it."""

    DONE = "done"
    KEPT = "kept"
    ACTIVE = "active"
    WAITING = "waiting"
    SKIPPED = "skipped"
    PENDING = "pending"


class Operation(StrEnum):
    """What a plan does with a file."""

    CREATE = "CREATE"
    MODIFY = "MODIFY"
    DELETE = "DELETE"


class MethodChange(StrEnum):
    """What a contract does with a method."""

    MODIFY = "modify"
    NEW = "new"
    KEEP = "keep"


class ModelStatus(StrEnum):
    """Whether the repository has a data model already."""

    EXISTING = "existing"
    MODIFIED = "modified"
    NEW = "new"


class Level(StrEnum):
    """Three-step scale of the Alfred seed."""

    LOW = "LOW"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"


class HoldKind(StrEnum):
    """Why a job is paused, which decides who can let it go on."""

    PERSON = "person"
    FAILURE = "failure"
    BUDGET = "budget"


class QuestionHandling(StrEnum):
    """What happens to questions when nobody is to be asked (Alfred seed, autonomous_config)."""

    ASK = "ask"
    BEST_GUESS = "best_guess"
    SKIP_TASK = "skip_task"


class Message(StrEnum):
    """What people can send to a job, as a signal or as an update, under one name."""

    APPROVE = "approve"
    REVISE = "revise"
    ANSWER = "answer"
    SAY = "say"
    FINISH = "finish"
    EDIT = "edit"
    RESTART_FROM = "restart_from"
    SELECT = "select"
    ACT = "act"
    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    SET_BUDGET = "set_budget"
    SET_MODELS = "set_models"
    ROLLBACK = "rollback"
