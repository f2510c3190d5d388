"""Plans in the seed's form and the richer one, from models and people."""

from typing import Any

import pytest

from states.artifacts.plan import Complexity, StepType
from states.option_checks import option_problems
from states.plan_reading import BadPlan, minutes_of, plan_object, read_option, read_plan, strange_field

SEED = {
    "title": "Cache lookups",
    "description": "Keep what was found.",
    "plan": {
        "title": "Cache",
        "steps": [
            {"title": "Write the cache", "type": "Code Generation", "action": "write it"},
            {"title": "Test", "type": "testing", "action": "pytest", "dependencies": [1, "Write the cache"]},
        ],
        "risks": [{"risk": "stale", "impact": "High", "probability": "LOW"}, "memory grows"],
        "estimates": {"duration": "2h30m", "complexity": "Very High", "confidence": "85%"},
    },
    "pros": ["fast"],
    "cons": ["memory"],
}


def test_names_that_are_no_fields() -> None:
    assert strange_field(SEED) == ""
    assert strange_field({"title": "x", "step": []}) == "step"
    assert strange_field({"title": "x", "steps": [{"title": "a"}, {"title": "b", "typ": 1}]}) == (
        "steps.2.typ"
    )
    assert strange_field({"title": "x", "plan": {"steps": [{"title": "a", "typ": 1}]}}) == "plan.steps.1.typ"
    edit = {"path": "a", "kind": "modify", "edits": [{"old": "a", "neu": "b"}]}
    assert strange_field({"title": "x", "steps": [{"files": [edit]}]}) == "steps.1.files.1.edits.1.neu"


def test_the_seeds_form() -> None:
    option = read_option(SEED, id="a", source="model:m")
    assert (option.id, option.source, option.title) == ("a", "model:m", "Cache lookups")
    first, second = option.plan.steps
    assert first.type is StepType.CODE_GENERATION
    assert (first.id, second.id, second.dependencies) == ("step-1", "step-2", ("1", "Write the cache"))
    estimates = option.plan.estimates
    assert (estimates.duration_minutes, estimates.complexity) == (150, Complexity.VERY_HIGH)
    assert estimates.confidence == pytest.approx(0.85)
    assert [risk.description for risk in option.plan.risks] == ["stale", "memory grows"]
    # Its `action` may be a command or prose; nobody guesses which.
    (problem,) = option_problems(option, ())
    assert problem.startswith("step 2: command is required for testing")
    told = second.model_copy(update={"command": "pytest"})
    plan = option.plan.model_copy(update={"steps": (first, told)})
    assert option_problems(option.model_copy(update={"plan": plan}), ()) == ()


def test_the_flat_form() -> None:
    flat = {**{k: v for k, v in SEED.items() if k != "plan"}, **SEED["plan"]}  # type: ignore[dict-item]
    plan = read_plan(flat)
    assert [step.title for step in plan.steps] == ["Write the cache", "Test"]


def test_what_is_missing_stays_missing() -> None:
    option = read_option({"id": "a", "steps": [{"title": "x"}]})
    assert "option title is required" in option_problems(option, ())
    assert "step 1: action is required" in option_problems(option, ())


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (
            {"steps": [{"title": "x"}, {"title": "x", "type": "magic"}]},
            "steps.2.type: must be one of file_operation, shell_command, code_generation, code_analysis, "
            "validation or testing, not 'magic'",
        ),
        ({"steps": 5}, "steps: must be a list, not a number"),
        ({"plan": {"steps": 5}}, "plan.steps: must be a list, not a number"),
        ({"steps": "first this, then that"}, "steps: must be a list, not text"),
        ({"steps": [7]}, "steps.1: must be an object, not a number"),
        ({"steps": [], "estimates": {"confidence": 3}}, "estimates.confidence: must be 1 or less"),
        (
            {"steps": [{"title": "x", "estimated_minutes": "soon"}]},
            "steps.1.estimated_minutes: must be a number, not text",
        ),
        (
            {"steps": [{"title": "x", "required": []}]},
            "steps.1.required: must be true or false, not a list",
        ),
    ],
)
def test_one_sentence_says_what_is_wrong(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(BadPlan) as refused:
        read_option({"id": "a", "title": "A", **wrong})
    assert str(refused.value) == why


@pytest.mark.parametrize(
    "text", ['{"a": 1}', 'Here it is:\n```json\n{"a": 1}\n```\nGood luck.', 'Sure! {"a": 1} Done.']
)
def test_a_plan_is_found_in_what_is_around_it(text: str) -> None:
    assert plan_object(text) == {"a": 1}


@pytest.mark.parametrize("text", ["", "no plan", "[1, 2]", "{" * 100_000])
def test_no_plan_is_said(text: str) -> None:
    with pytest.raises(BadPlan):
        plan_object(text)


@pytest.mark.parametrize(
    ("written", "minutes"),
    [("2h0m0s", 120), ("45 minutes", 45), ("30s", 0.5), (7, 7), ("1.5h", 90), ("1 hour 30 min", 90)],
)
def test_durations(written: Any, minutes: float) -> None:
    assert minutes_of(written) == minutes
