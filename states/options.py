"""Score, rank and compare ways to implement a task (HelixCode seed, scoreOption and OptionPresenter)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum

from pydantic import Field

from states.artifacts.base import Piece
from states.artifacts.plan import Complexity, Impact, Likelihood, PlanOption, PlanRisk

SIMPLICITY = {
    Complexity.LOW: 100.0,
    Complexity.MEDIUM: 75.0,
    Complexity.HIGH: 50.0,
    Complexity.VERY_HIGH: 25.0,
}
_IMPACT = {Impact.LOW: 0.25, Impact.MEDIUM: 0.5, Impact.HIGH: 0.75, Impact.CRITICAL: 1.0}
_LIKELIHOOD = {Likelihood.LOW: 0.25, Likelihood.MEDIUM: 0.5, Likelihood.HIGH: 1.0}
_SPEED = ((1, 100.0), (4, 80.0), (8, 60.0), (24, 40.0))
_SLOWEST = 20.0


class Criterion(StrEnum):
    """What options can be ranked by, each scored 0 to 100."""

    SPEED = "speed"
    SAFETY = "safety"
    SIMPLICITY = "simplicity"
    MAINTAINABILITY = "maintainability"
    PERFORMANCE = "performance"
    COST = "cost"


class RankCriterion(Piece):
    """How much a criterion counts."""

    type: Criterion
    weight: float = Field(default=1.0, ge=0, le=1_000_000, allow_inf_nan=False)


class RankedOption(Piece):
    """An option and its place; rank 1 is recommended. `scores` is by criterion, when ranked by some."""

    option: PlanOption
    rank: int
    score: float
    recommended: bool
    scores: dict[Criterion, float] = Field(default_factory=dict)


def score(option: PlanOption) -> float:
    """How good an option looks, 0 to 100: complexity, confidence, pros and cons, risks."""
    estimates = option.plan.estimates
    points = 30 * SIMPLICITY[estimates.complexity] / 100 + 30 * estimates.confidence
    points += 5 * len(option.pros) - 3 * len(option.cons)
    points -= sum(5 * _IMPACT[risk.impact] * _LIKELIHOOD[risk.likelihood] for risk in option.plan.risks)
    return min(100.0, max(0.0, points))


def rank(options: Iterable[PlanOption]) -> tuple[RankedOption, ...]:
    """Best score first; equal ones stay in the order given."""
    return _placed([(option, score(option), {}) for option in options])


def rank_by(options: Iterable[PlanOption], criteria: Sequence[RankCriterion]) -> tuple[RankedOption, ...]:
    """Best weighted mean of the criteria first; equal ones stay in order. Without any weight each has 0."""
    total = sum(criterion.weight for criterion in criteria)
    judged = []
    for option in options:
        scores = {criterion.type: criterion_score(option, criterion.type) for criterion in criteria}
        points = sum(scores[criterion.type] * criterion.weight for criterion in criteria)
        judged.append((option, points / total if total else 0.0, scores))
    return _placed(judged)


def ranked(options: Iterable[PlanOption], weights: Mapping[Criterion, float]) -> tuple[RankedOption, ...]:
    """Best first: by the weights that are given, without any by score."""
    if not weights:
        return rank(options)
    return rank_by(
        options, [RankCriterion(type=each, weight=weights[each]) for each in Criterion if each in weights]
    )


def criterion_score(option: PlanOption, criterion: Criterion) -> float:
    """How an option does by one criterion, 0 to 100."""
    return _CRITERIA[criterion](option)


def risk_level(risks: Iterable[PlanRisk]) -> Impact:
    """The highest impact among the risks of at least medium likelihood; low when there is none."""
    impacts = [risk.impact for risk in risks if risk.likelihood is not Likelihood.LOW]
    return max(impacts, key=list(Impact).index, default=Impact.LOW)


def _placed(judged: list[tuple[PlanOption, float, dict[Criterion, float]]]) -> tuple[RankedOption, ...]:
    ordered = sorted(judged, key=lambda one: -one[1])
    return tuple(
        RankedOption(option=option, rank=place, score=points, recommended=place == 1, scores=scores)
        for place, (option, points, scores) in enumerate(ordered, start=1)
    )


def _speed(option: PlanOption) -> float:
    hours = option.plan.estimates.duration_minutes / 60
    return next((points for limit, points in _SPEED if hours < limit), _SLOWEST)


def _safety(option: PlanOption) -> float:
    impacts, likelihoods = list(Impact), list(Likelihood)
    danger = sum(
        (impacts.index(risk.impact) + 1) * (likelihoods.index(risk.likelihood) + 1) * 10
        for risk in option.plan.risks
    )
    return max(0.0, 100.0 - danger)


def _simplicity(option: PlanOption) -> float:
    return SIMPLICITY[option.plan.estimates.complexity]


def _maintainability(option: PlanOption) -> float:
    return 50 * option.plan.estimates.confidence + _simplicity(option) / 2


def _performance(option: PlanOption) -> float:
    steps = len(option.plan.steps)
    lean = 50.0 if steps > 10 else 75.0 if steps > 5 else 100.0
    return 50 * option.plan.estimates.confidence + lean / 2


def _cost(option: PlanOption) -> float:
    return (_speed(option) + _simplicity(option)) / 2


_CRITERIA: dict[Criterion, Callable[[PlanOption], float]] = {
    Criterion.SPEED: _speed,
    Criterion.SAFETY: _safety,
    Criterion.SIMPLICITY: _simplicity,
    Criterion.MAINTAINABILITY: _maintainability,
    Criterion.PERFORMANCE: _performance,
    Criterion.COST: _cost,
}
