"""Scoring, ranking and comparing options against the worked examples."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from states.artifacts.plan import (
    Complexity,
    Estimates,
    Impact,
    Likelihood,
    Plan,
    PlanOption,
    PlanRisk,
    PlanStep,
)
from states.comparison import CRITERIA, compare, duration
from states.options import Criterion, RankCriterion, criterion_score, rank, rank_by, risk_level, score

CASES = Path(__file__).parent.parent / "data/cases"
SCORES = json.loads((CASES / "scores.json").read_text())
RANKINGS = json.loads((CASES / "rankings.json").read_text())


def option(
    name: str = "a",
    *,
    complexity: str = "low",
    confidence: float = 0.5,
    minutes: float = 10,
    pros: int = 0,
    cons: int = 0,
    steps: int = 1,
    risks: Any = (),
) -> PlanOption:
    plan = Plan(
        title=name,
        steps=tuple(PlanStep(id=str(n), title=f"step {n}", action="do") for n in range(steps)),
        risks=tuple(
            PlanRisk(description="r", impact=Impact(i), likelihood=Likelihood(chance)) for i, chance in risks
        ),
        estimates=Estimates(
            duration_minutes=minutes, complexity=Complexity(complexity), confidence=confidence
        ),
    )
    return PlanOption(id=name, title=name.upper(), plan=plan, pros=("+",) * pros, cons=("-",) * cons)


@pytest.mark.parametrize("case", SCORES, ids=lambda c: f"{c['complexity']}-{c['confidence']}-{c['score']}")
def test_score(case: dict[str, Any]) -> None:
    case = dict(case)
    expected = case.pop("score")
    assert score(option(**case)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("case", RANKINGS["rankings"])
def test_ranking_by_criteria(case: dict[str, Any]) -> None:
    options = [
        option(o["id"], minutes=o["minutes"], complexity=o["complexity"], confidence=o["confidence"])
        for o in RANKINGS["options"]
    ]
    criteria = [RankCriterion(type=Criterion(name), weight=weight) for name, weight in case["criteria"]]
    ranked = rank_by(reversed(options), criteria)
    assert {one.option.id: round(one.score, 4) for one in ranked} == case["scores"]
    assert [one.option.id for one in ranked] == ["a", "b", "c"]
    assert [one.rank for one in ranked] == [1, 2, 3]
    assert [one.recommended for one in ranked] == [True, False, False]
    assert ranked[1].scores == {Criterion.SPEED: 80, Criterion.SIMPLICITY: 75}


@pytest.mark.parametrize(
    ("minutes", "points"),
    [
        (0, 100),
        (59, 100),
        (60, 80),
        (239, 80),
        (240, 60),
        (479, 60),
        (480, 40),
        (1439, 40),
        (1440, 20),
        (9e9, 20),
    ],
)
def test_speed_by_hours(minutes: float, points: float) -> None:
    assert criterion_score(option(minutes=minutes), Criterion.SPEED) == points


@pytest.mark.parametrize(
    ("risks", "points"),
    [
        ([], 100),
        ([("low", "low")], 90),
        ([("medium", "medium"), ("low", "low")], 50),
        ([("critical", "high")], 0),
    ],
)
def test_safety_by_risks(risks: list[tuple[str, str]], points: float) -> None:
    assert criterion_score(option(risks=risks), Criterion.SAFETY) == points


@pytest.mark.parametrize(("steps", "points"), [(5, 90), (6, 77.5), (10, 77.5), (11, 65)])
def test_performance_by_steps(steps: int, points: float) -> None:
    assert criterion_score(option(steps=steps, confidence=0.8), Criterion.PERFORMANCE) == points


def test_the_other_criteria() -> None:
    middling = option(complexity="medium", confidence=0.8, minutes=120)
    assert criterion_score(middling, Criterion.SIMPLICITY) == 75
    assert criterion_score(middling, Criterion.MAINTAINABILITY) == 40 + 37.5
    assert criterion_score(middling, Criterion.COST) == (80 + 75) / 2
    assert [criterion_score(option(complexity=c), Criterion.SIMPLICITY) for c in Complexity] == [
        100,
        75,
        50,
        25,
    ]


def test_no_criteria_and_no_weight_give_zero_in_the_order_given() -> None:
    options = [option("b"), option("a")]
    for criteria in ([], [RankCriterion(type=Criterion.SPEED, weight=0)]):
        ranked = rank_by(options, criteria)
        assert [(one.option.id, one.score) for one in ranked] == [("b", 0), ("a", 0)]
    assert rank([]) == rank_by([], [RankCriterion(type=Criterion.SPEED)]) == ()


@pytest.mark.parametrize("weight", [-0.1, float("nan"), float("inf")])
def test_a_weight_that_is_none_is_refused(weight: float) -> None:
    with pytest.raises(ValidationError, match="weight"):
        RankCriterion(type=Criterion.SPEED, weight=weight)


@pytest.mark.parametrize("confidence", [-0.01, 1.01, float("nan")])
def test_confidence_outside_its_range_is_refused(confidence: float) -> None:
    with pytest.raises(ValidationError, match="confidence"):
        option(confidence=confidence)


options_ = st.builds(
    option,
    name=st.sampled_from("abcdef"),
    complexity=st.sampled_from([c.value for c in Complexity]),
    confidence=st.floats(0, 1),
    pros=st.integers(0, 40),
    cons=st.integers(0, 40),
    risks=st.lists(
        st.tuples(st.sampled_from([i.value for i in Impact]), st.sampled_from([*Likelihood])), max_size=9
    ),
)


@given(options_)
def test_scores_stay_within_their_range_and_move_the_right_way(one: PlanOption) -> None:
    assert 0 <= score(one) <= 100
    assert score(one.model_copy(update={"pros": (*one.pros, "+")})) >= score(one)
    assert score(one.model_copy(update={"cons": (*one.cons, "-")})) <= score(one)
    assert all(0 <= criterion_score(one, criterion) <= 100 for criterion in Criterion)


@given(st.lists(options_, max_size=8))
def test_ties_keep_their_order_and_everyone_has_a_place(given_options: list[PlanOption]) -> None:
    numbered = [o.model_copy(update={"id": f"{n}"}) for n, o in enumerate(given_options)]
    ranked = rank(numbered)
    assert [one.rank for one in ranked] == list(range(1, len(numbered) + 1))
    places = [(-one.score, int(one.option.id)) for one in ranked]
    assert places == sorted(places)
    assert sum(one.recommended for one in ranked) == (1 if numbered else 0)


@pytest.mark.parametrize(
    ("risks", "level"),
    [
        ([], "low"),
        ([("critical", "low")], "low"),
        ([("critical", "low"), ("medium", "medium")], "medium"),
        ([("high", "medium"), ("medium", "high")], "high"),
        ([("critical", "high")], "critical"),
    ],
)
def test_risk_level(risks: list[tuple[str, str]], level: str) -> None:
    assert risk_level(option(risks=risks).plan.risks).value == level


def test_comparison() -> None:
    swift = option("swift", minutes=120, confidence=0.9, cons=5)
    steady = option("steady", complexity="very_high", minutes=0, confidence=0.5, risks=[("high", "high")])
    found = compare([steady, swift])
    assert found.criteria == CRITERIA
    values = [[cell.value for cell in row] for row in found.matrix]
    assert values == [["Very High", "0s", "50%", "High", "18.8"], ["Low", "2h0m0s", "90%", "Low", "42.0"]]
    assert {cell.option_id for cell in found.matrix[1]} == {"swift"}
    assert found.summary == (
        "'SWIFT' is recommended with a score of 42.0 of 100, 23.2 points ahead of 'STEADY': "
        "low complexity, 2h, 90% confidence, low risk."
    )


def test_a_comparison_of_equals_of_one_and_of_none_still_says_something() -> None:
    assert "level with 'B'" in compare([option("a"), option("b")]).summary
    assert compare([option("a")]).summary == "'A' is the only option, with a score of 45.0 of 100."
    assert compare([]).summary == "There is no option to compare."


@pytest.mark.parametrize(
    ("minutes", "text"),
    [
        (0, "0s"),
        (0.5, "30s"),
        (10, "10m0s"),
        (90.5, "1h30m30s"),
        (120, "2h0m0s"),
        (0.025, "1.5s"),
        (1800, "30h0m0s"),
    ],
)
def test_duration(minutes: float, text: str) -> None:
    assert duration(minutes) == text
