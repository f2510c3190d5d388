"""VALIDATION: counted from the plan, honest about what nothing covers."""

from pathlib import Path

import pytest

from activities.deterministic.risks import uses_of
from states.artifacts.implementation import ImplementationPlanArtifact
from states.words import Level, Phase
from tests.activities.deterministic.small_repos import SHOP, Walk, make


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("shop") / "repo", SHOP)


def replan(walk: Walk, **fields: object) -> None:
    """Put another plan in the place of the walk's."""
    plan = walk.made[Phase.IMPLEMENTATION_PLAN]
    assert isinstance(plan, ImplementationPlanArtifact)
    walk.made[Phase.IMPLEMENTATION_PLAN] = plan.model_copy(update=fields)


def test_it_validates_this_plan_and_counts_it(shop: Path) -> None:
    walk = Walk(shop)
    plan = walk.plan()
    checked = walk.validate()
    assert checked.plan_digest == walk.digests[Phase.IMPLEMENTATION_PLAN]
    summary = checked.plan_summary
    assert summary.files_affected == len(plan.file_operations)
    assert summary.methods_modified == 2
    assert summary.methods_created == 0
    assert summary.tests_planned == len(plan.test_plan.unit_tests)
    assert all(c.is_independent for c in checked.subtask_independence_check)


def test_confidence_says_how_it_came_about(shop: Path) -> None:
    checked = Walk(shop).validate()
    best = max(checked.requirement_coverage, key=lambda c: c.coverage_confidence)
    assert best.coverage_confidence == 0.9
    assert (
        "0.5 covered + 0.2 names what it speaks of + 0.2 has a test planned" in best.implementation_approach
    )


def test_what_nothing_covers_has_no_confidence(shop: Path) -> None:
    walk = Walk(shop)
    plan = walk.plan()
    replan(walk, subtasks=tuple(s.model_copy(update={"covers": ()}) for s in plan.subtasks))
    checked = walk.validate()
    assert {c.coverage_confidence for c in checked.requirement_coverage} == {0}
    assert any(w.startswith("nothing covers") for w in checked.warnings)


def test_subtasks_that_edit_the_same_lines_are_dependent(shop: Path) -> None:
    walk = Walk(shop)
    plan = walk.plan()
    twin = plan.subtasks[0].model_copy(update={"subtask_id": "S9"})
    replan(walk, subtasks=(*plan.subtasks, twin))
    checks = {c.subtask_id: c for c in walk.validate().subtask_independence_check}
    assert checks["S9"].dependencies_found == ("S1",)
    assert not checks["S1"].is_independent


def test_risks_are_found_where_they_are(shop: Path) -> None:
    walk = Walk(shop, task="Check the password in `post_link`. It must be right.")
    risks = {r.risk: r for r in walk.validate().risk_assessment}
    assert risks["the change touches authentication"].impact is Level.HIGH
    assert any("used from outside changes: POST /links" in r for r in risks)
    assert any(r.startswith("no existing test covers src/shop/api.py") for r in risks)
    assert any("left for whoever implements" in r for r in risks)


def test_many_callers_are_a_risk(tmp_path: Path) -> None:
    calls = "".join(f"def use_{n}() -> int:\n    return core({n})\n\n\n" for n in range(40))
    files = {
        "core.py": "def core(x: int) -> int:\n    return x\n",
        "users.py": f"from core import core\n\n\n{calls}",
    }
    walk = Walk(make(tmp_path / "repo", files), task="Make `core` faster.")
    risk = next(r for r in walk.validate().risk_assessment if "`core`" in r.risk)
    assert "40 places" in risk.risk
    assert risk.impact is Level.HIGH


@pytest.mark.parametrize(("callers", "count"), [((), 0), (("a:1",), 1), (("a:1", "b:2", "and 7 more"), 9)])
def test_callers_past_the_limit_count(callers: tuple[str, ...], count: int) -> None:
    assert uses_of(callers) == count


def test_new_criteria_of_a_restart_are_assessed(shop: Path) -> None:
    walk = Walk(shop)
    walk.plan()
    checked = walk.validate(changes=("Links must survive a move of the data centre",))
    assert checked.requirement_coverage[-1].requirement == "Links must survive a move of the data centre"
    assert checked.requirement_coverage[-1].coverage_confidence == 0


def test_feedback_is_quoted_and_its_wishes_are_assessed(shop: Path) -> None:
    walk = Walk(shop)
    refused = walk.validate()
    made = walk.validate(feedback=("It must work offline.",), previous=refused)
    assert made.feedback_answered == ("It must work offline.",)
    assert made != refused
    assert "It must work offline." in {c.requirement for c in made.requirement_coverage}
