"""Options without a model: real alternatives, what is in them, and what feedback makes of them."""

from dataclasses import replace
from pathlib import Path

import pytest

from activities.brief import Brief
from activities.deterministic.options import ways_of
from activities.deterministic.refining import standing_options
from activities.index.model import Index
from activities.index.shelf import IndexShelf
from activities.option_joining import joined
from states.artifacts.base import Artifact
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.plan import Plan, PlanOption, PlanStep, StepType
from states.option_checks import option_problems, same_steps
from states.options import rank
from states.words import Phase
from tests.activities.deterministic.small_repos import SHOP, Walk, make

README = "# Shop\n\n`create_link` makes a link, `resolve_link` finds it.\n"
WIDE = "Make `create_link` refuse blank urls, and `post_link` and `Store.put` log each call."


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("shop") / "repo", {**SHOP, "README.md": README})


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {path: text for path, text in SHOP.items() if "test" not in path}
    return make(tmp_path_factory.mktemp("bare") / "repo", files)


def options_in(walk: Walk) -> dict[str, PlanOption]:
    return {option.id: option for option in walk.plan().options}


def index_of(walk: Walk) -> Index:
    return IndexShelf(None).get(walk.brief.root, walk.brief.commit)


def brief_of(walk: Walk) -> Brief:
    """What VALIDATION is given."""
    upstream: dict[Phase, Artifact] = {
        phase: made for phase, made in walk.made.items() if phase is not Phase.VALIDATION
    }
    return replace(walk.brief, upstream=upstream, digests={p: walk.digests[p] for p in upstream})


def kinds(option: PlanOption) -> list[StepType]:
    return [step.type for step in option.plan.steps]


def test_three_ways_that_differ_and_can_be_carried_out(shop: Path) -> None:
    walk = Walk(shop, task=WIDE)
    plan = walk.plan()
    assert len(plan.options) == 3
    names = [subtask.subtask_id for subtask in plan.subtasks]
    for option in plan.options:
        assert option_problems(option, names) == ()
        assert option.pros
        assert option.plan.estimates.duration_minutes == sum(s.estimated_minutes for s in option.plan.steps)
    first, second, third = plan.options
    assert not same_steps(first.plan, second.plan)
    assert not same_steps(second.plan, third.plan)
    walk.validate()
    assert walk.blocking() == []


def test_the_full_change_has_every_subtask_and_the_documents(shop: Path) -> None:
    walk = Walk(shop)
    full = options_in(walk)["full"]
    assert {s.subtask for s in full.plan.steps if s.subtask} == {s.subtask_id for s in walk.plan().subtasks}
    document = next(step for step in full.plan.steps if step.id == "docs-readme.md")
    assert "create_link" in document.action
    assert document.condition
    assert document.condition.path == "README.md"
    tests = next(step for step in full.plan.steps if step.type is StepType.TESTING)
    assert tests.command == f"python -m pytest --junitxml={tests.report}"


def test_one_of_a_thing_is_told_in_the_singular(shop: Path) -> None:
    """One document, and one subtask where the task names one place; several are told as several."""
    full, wide = options_in(Walk(shop))["full"], options_in(Walk(shop, task=WIDE))["full"]
    assert "README.md says what the code does" in full.pros
    assert not [text for text in (*full.pros, full.plan.description) if " 1 subtasks" in text]
    assert full.plan.description.startswith("The subtask with its tests, ")
    assert wide.plan.description.startswith("All ")


def test_the_smallest_change_leaves_tests_and_documents_out(shop: Path) -> None:
    options = options_in(Walk(shop))
    smallest, full = options["smallest"], options["full"]
    assert len(smallest.plan.steps) < len(full.plan.steps)
    assert smallest.plan.estimates.duration_minutes < full.plan.estimates.duration_minutes
    assert smallest.plan.estimates.confidence < full.plan.estimates.confidence
    impact = smallest.plan.steps[-1]
    assert impact.condition
    assert (impact.condition.step, impact.condition.status, impact.required) == ("tests", "failed", False)


def test_stages_follow_the_imports_with_tests_in_between(shop: Path) -> None:
    walk = Walk(shop, task=WIDE)
    plan = walk.plan()
    staged = options_in(walk)["staged"]
    order = [step.id for step in staged.plan.steps]
    subtask = {s.location: s.subtask_id for s in plan.subtasks}
    assert order.index(subtask["src/shop/store.py"]) < order.index(subtask["src/shop/links.py"])
    runs = [n for n, step in enumerate(staged.plan.steps) if step.type is StepType.TESTING]
    assert len(runs) >= 2
    between = staged.plan.steps[runs[0] + 1 : runs[1]]
    assert between
    assert all(step.dependencies == (staged.plan.steps[runs[0]].id,) for step in between)


def test_without_tests_the_options_say_so(bare: Path) -> None:
    walk = Walk(bare)
    for option in walk.plan().options:
        assert StepType.TESTING not in kinds(option)
        assert any("no test command" in risk.description for risk in option.plan.risks)
        assert option.plan.estimates.confidence < 0.7


def test_as_many_as_were_asked_for(shop: Path) -> None:
    walk = Walk(shop, task=WIDE)
    plan = walk.plan()
    brief = walk.brief
    every = ways_of(plan, index_of(walk))
    for most in (1, 2, 5):
        fresh = joined(plan.model_copy(update={"options": ()}), every, replace(brief, option_count=most))
        assert len(fresh.options) == min(most, len(every))


def test_one_bad_option_does_not_discard_the_others(shop: Path) -> None:
    walk = Walk(shop)
    plan = walk.plan().model_copy(update={"options": ()})
    good = ways_of(plan, index_of(walk))
    circle = (
        PlanStep(id="a", title="a", action="a", dependencies=("b",)),
        PlanStep(id="b", title="b", action="b", dependencies=("a",)),
    )
    bad = PlanOption(id="bad", title="Bad", plan=Plan(title="Bad", steps=circle))
    found = joined(plan, (good[0], bad, good[1]), walk.brief)
    assert [option.id for option in found.options] == [good[0].id, good[1].id]
    assert any("wait for each other" in p.why for p in found.open_points if p.subject == "option bad")


def refined(walk: Walk, *asked: str) -> tuple[PlanOption, ...]:
    brief = replace(brief_of(walk), refine=asked)
    return standing_options(brief, lambda: index_of(walk))[0]


def test_validation_has_them_best_first(shop: Path) -> None:
    walk = Walk(shop, task=WIDE)
    assert walk.validate().options == tuple(each.option for each in rank(walk.plan().options))


def test_feedback_raises_the_version_and_does_what_it_plainly_says(shop: Path) -> None:
    walk = Walk(shop)
    walk.validate()
    options = {o.id: o for o in refined(walk, "Also change src/shop/store.py, and run `ruff check .`")}
    for option in options.values():
        assert option.plan.version == 2
        ids = [step.id for step in option.plan.steps]
        assert {"asked-1", "run-1"} <= set(ids)
        tests = next(step for step in option.plan.steps if step.type is not StepType.CODE_GENERATION)
        assert "asked-1" in tests.dependencies
        names = [s.subtask_id for s in walk.plan().subtasks]
        assert option_problems(option, names) == ()


def test_feedback_about_one_option_leaves_the_others(shop: Path) -> None:
    walk = Walk(shop)
    walk.validate()
    options = {o.id: o for o in refined(walk, "smallest: drop step readable")}
    assert options["full"].plan.version == 1
    smallest = options["smallest"].plan
    assert smallest.version == 2
    assert "readable" not in [step.id for step in smallest.steps]
    tests = next(step for step in smallest.steps if step.id == "tests")
    assert tests.dependencies == ("S1",)


def test_feedback_that_is_answered_already_changes_nothing_again(shop: Path) -> None:
    walk = Walk(shop)
    first = walk.validate()
    brief = replace(brief_of(walk), refine=("run `ruff check .`",))
    once, _ = standing_options(brief, lambda: index_of(walk))
    answered = first.model_copy(update={"options": once, "feedback_answered": brief.refine})
    again, points = standing_options(replace(brief, previous=answered), lambda: index_of(walk))
    assert again == once
    assert points == ()


def test_a_new_plan_begins_with_its_own_options(shop: Path) -> None:
    walk = Walk(shop)
    old = walk.validate().model_copy(update={"plan_digest": "f" * 64, "options": ()})
    brief = replace(brief_of(walk), previous=old)
    found, _ = standing_options(brief, lambda: index_of(walk))
    plan = brief.planned()
    assert isinstance(plan, ImplementationPlanArtifact)
    assert {o.id for o in found} == {o.id for o in plan.options}
