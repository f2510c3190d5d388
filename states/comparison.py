"""Options side by side, for people (HelixCode seed, CompareOptions)."""

from collections.abc import Iterable

from states.amounts import estimate_words
from states.artifacts.base import Piece
from states.artifacts.plan import PlanOption
from states.options import RankedOption, rank, risk_level, score

CRITERIA = ("Complexity", "Duration", "Confidence", "Risk Level", "Score")


class ComparisonCell(Piece):
    """One value of one option; `score` is the number behind it, 0 where there is none."""

    option_id: str
    criterion: str
    value: str
    score: float = 0.0


class Comparison(Piece):
    """One row per option, in the order given, one column per criterion, and what it comes down to."""

    criteria: tuple[str, ...] = CRITERIA
    matrix: tuple[tuple[ComparisonCell, ...], ...] = ()
    summary: str


def compare(options: Iterable[PlanOption]) -> Comparison:
    """Put options side by side."""
    given = tuple(options)
    return Comparison(matrix=tuple(map(_row, given)), summary=_summary(rank(given)))


def duration(minutes: float) -> str:
    """A duration as `2h0m0s`, `10m0s`, `30s` or `1.5s`."""
    seconds = round(minutes * 60, 3)
    whole, rest = divmod(seconds, 60)
    hours, left = divmod(int(whole), 60)
    shown = f"{rest:.3f}".rstrip("0").rstrip(".") + "s"
    if hours:
        return f"{hours}h{left}m{shown}"
    return f"{left}m{shown}" if left else shown


def _row(option: PlanOption) -> tuple[ComparisonCell, ...]:
    estimates, points = option.plan.estimates, score(option)
    cells = (
        (_titled(estimates.complexity), 0.0),
        (duration(estimates.duration_minutes), 0.0),
        (f"{estimates.confidence:.0%}", estimates.confidence),
        (_titled(risk_level(option.plan.risks)), 0.0),
        (f"{points:.1f}", points),
    )
    return tuple(
        ComparisonCell(option_id=option.id, criterion=criterion, value=value, score=number)
        for criterion, (value, number) in zip(CRITERIA, cells, strict=True)
    )


def _titled(value: str) -> str:
    return value.replace("_", " ").title()


def _summary(ranked: tuple[RankedOption, ...]) -> str:
    if not ranked:
        return "There is no option to compare."
    best = ranked[0]
    name = _name(best)
    if len(ranked) == 1:
        return f"{name} is the only option, with a score of {best.score:.1f} of 100."
    lead = best.score - ranked[1].score
    margin = f"{lead:.1f} points ahead of {_name(ranked[1])}" if lead else f"level with {_name(ranked[1])}"
    estimates = best.option.plan.estimates
    time = f"{estimate_words(estimates.duration_minutes)}, " if estimates.duration_minutes else ""
    return (
        f"{name} is recommended with a score of {best.score:.1f} of 100, {margin}: "
        f"{_titled(estimates.complexity).lower()} complexity, {time}"
        f"{estimates.confidence:.0%} confidence, {risk_level(best.option.plan.risks)} risk."
    )


def _name(ranked: RankedOption) -> str:
    return f"{(ranked.option.title or ranked.option.id)!r}"
