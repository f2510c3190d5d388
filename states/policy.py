"""Which gates there are, who may pass them, and which named policy may waive one on the facts."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator

from states.artifacts.base import lower
from states.artifacts.plan import Complexity
from states.options import Criterion
from states.review import OptionFact, PhaseFacts
from states.words import WORK_PHASES, Level, Phase, QuestionHandling

DEFAULT_GATES: tuple[Phase, ...] = (Phase.CLARIFICATION, Phase.CONTRACTS, Phase.VALIDATION)
LEAST_COVERAGE = 0.95
LEAST_INDEPENDENCE = 0.90
AUTO_SELECT = "policy:auto_select_best"
MOST_OPTIONS = 5
Weight = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]


class Policy(BaseModel):
    """How a job is governed (Alfred seed, autonomous_config). Written by people: typos are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    gates: tuple[Phase, ...] = DEFAULT_GATES
    """phases at whose end a person decides"""
    approvals: int = Field(default=1, ge=1, le=20)
    """how many different people must approve a gate"""
    require_digest: bool = False
    """whether an approval must name the digest that was read"""
    forbid_self_approval: bool = False
    """whether the submitter's own approval is refused"""
    max_revisions: int = Field(default=3, ge=0, le=50)
    """revisions of one phase by AI review before a person is asked instead"""
    max_human_revisions: int = Field(default=20, ge=1, le=1000)
    """revisions of one phase by people"""
    max_restarts: int = Field(default=3, ge=0, le=100)
    """restarts without a person's decision in between"""
    keep_open_seconds: int = Field(default=7 * 24 * 3600, ge=0, le=10 * 365 * 24 * 3600)
    """how long a verified job stays open for restart_from and act, ten years at most; 0 closes it at once"""
    max_follow_ups: int = Field(default=2, ge=0, le=20)
    """rounds of further questions that a model may ask in CLARIFICATION"""
    skip_human_reviews: bool = False
    """waive gates whose facts are harmless, as `policy:skip_human_reviews`"""
    auto_approve_contracts: bool = False
    """waive the CONTRACTS gate when it follows existing patterns, as `policy:auto_approve_contracts`"""
    question_handling: QuestionHandling = QuestionHandling.ASK
    """ask people, take the best guess, or cancel the task"""
    confidence_threshold: float = Field(default=0.8, ge=0, le=1)
    """least mean confidence at which VALIDATION may be waived"""
    complexity_threshold: Level = Level.MEDIUM
    """highest complexity at which a gate may be waived"""
    budget_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """most that models may cost; unused without a model"""
    budget_tokens: int | None = Field(default=None, ge=0)
    """most tokens that models may use; unused without a model"""
    option_count: int = Field(default=3, ge=0, le=MOST_OPTIONS)
    """how many ways to implement are drawn up; 0: only those that people brought along are offered"""
    auto_select_best: bool = False
    """select the best option of a verified plan if nobody did, as `policy:auto_select_best`"""
    option_confidence_threshold: float = Field(default=0.7, ge=0, le=1)
    """least confidence of an option that is not a person's choice"""
    max_plan_complexity: Annotated[Complexity, BeforeValidator(lower)] = Complexity.HIGH
    """highest complexity of an option that is not a person's choice"""
    ranking: dict[Criterion, Weight] = Field(default_factory=dict)
    """what options are ranked by, and how much each counts; without any by score"""

    @field_validator("gates", mode="before")
    @classmethod
    def _parse_gates(cls, value: object) -> object:
        if value == "all":
            return WORK_PHASES
        if isinstance(value, str):
            value = [part for part in value.split(",") if part.strip()]
        if isinstance(value, (list, tuple)):
            phases = {Phase.parse(str(part)) for part in value}
            return tuple(p for p in WORK_PHASES if p in phases)
        return value


def safeguards(policy: Policy, facts: PhaseFacts) -> tuple[str, ...]:
    """Why a person must decide whatever the autonomy; empty when nothing stands against a waiver."""
    levels = list(Level)
    reasons = []
    if levels.index(facts.complexity) > levels.index(policy.complexity_threshold):
        reasons.append(f"complexity {facts.complexity} exceeds {policy.complexity_threshold}")
    if facts.high_risk:
        reasons.append("a risk is HIGH in probability and impact")
    if facts.coverage < LEAST_COVERAGE:
        reasons.append(f"requirement coverage {facts.coverage:.2f} is below {LEAST_COVERAGE}")
    if facts.independence < LEAST_INDEPENDENCE:
        reasons.append(f"subtask independence {facts.independence:.2f} is below {LEAST_INDEPENDENCE:.2f}")
    reasons += [f"it touches {topic}" for topic in facts.sensitive]
    reasons += doubts(policy, facts.options[0]) if facts.options else ()
    return tuple(reasons)


def doubts(policy: Policy, option: OptionFact) -> tuple[str, ...]:
    """Why an option needs a person's choice (HelixCode seed, ConfidenceThreshold and MaxPlanComplexity)."""
    scale = list(Complexity)
    reasons = []
    if scale.index(option.complexity) > scale.index(policy.max_plan_complexity):
        reasons.append(
            f"option {option.id} is of {option.complexity} complexity, above {policy.max_plan_complexity}"
        )
    if option.confidence < policy.option_confidence_threshold:
        reasons.append(
            f"option {option.id} has a confidence of {option.confidence:.0%}, "
            f"below {policy.option_confidence_threshold:.0%}"
        )
    return tuple(reasons)


def waiver(policy: Policy, phase: Phase, facts: PhaseFacts, open_critical: int) -> str | None:
    """The named policy that waives the gate of `phase` on these facts, or None when a person decides.

    `open_critical` is the number of critical questions that no person answered.
    """
    if safeguards(policy, facts):
        return None
    if phase is Phase.CONTRACTS and policy.auto_approve_contracts and facts.follows_patterns:
        return "policy:auto_approve_contracts"
    if not policy.skip_human_reviews:
        return None
    if phase is Phase.CLARIFICATION and open_critical:
        return None
    if phase is Phase.CONTRACTS and not facts.follows_patterns:
        return None
    if phase is Phase.VALIDATION and facts.confidence < policy.confidence_threshold:
        return None
    return "policy:skip_human_reviews"
