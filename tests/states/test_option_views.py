"""Options for people: side by side in artifacts, as a picture, and in the exported plan; ranks are stable."""

import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from states.artifacts.base import OpenPoint
from states.artifacts.plan import (
    Complexity,
    Estimates,
    ExactEdit,
    FileChange,
    FileChangeKind,
    Plan,
    PlanOption,
    PlanStep,
    StepCondition,
    StepType,
)
from states.artifacts.validation import ValidationArtifact
from states.option_checks import concerns, option_problems, same_steps, sound
from states.option_diagram import plan_diagram
from states.options import Criterion, rank, ranked
from states.render import markdown
from states.render_options import summary

STEPS = (
    PlanStep(id="a", title="write `x`", action="write", subtask="S1"),
    PlanStep(
        id="t", title="test", action="run", type=StepType.TESTING, command="pytest", dependencies=("1",)
    ),
    PlanStep(id="why", title="look", action="look", condition=StepCondition(step="t", status="failed")),
)


def option(
    name: str, confidence: float = 0.5, steps: tuple[PlanStep, ...] = STEPS, **more: Any
) -> PlanOption:
    estimates = Estimates(duration_minutes=90, complexity=Complexity.LOW, confidence=confidence)
    plan = Plan(title=name, steps=steps, estimates=estimates)
    return PlanOption(id=name, title=name.upper(), plan=plan, **more)


def test_an_artifact_shows_them_side_by_side_with_their_steps() -> None:
    options = (option("b", 0.9, pros=("fast",)), option("a", 0.2, cons=("slow",)))
    checked = ValidationArtifact(plan_digest="d", options=options)
    short, text = markdown(checked), markdown(checked, full=True)
    assert "- b, v1: for: fast" in short
    assert "[testing]" not in short
    assert re.search(r"\| 1 \| b +\| Low +\| 1h30m +\| 90% +\| Low +\| 62.0", text)
    assert "2. [testing] t: test, after 1\n" in text
    assert "3. [code_generation] why: look, if t is failed\n" in text
    assert "- for: fast" in text
    assert "- against: slow" in text
    assert "'B' is recommended" in text


def test_what_a_step_does_to_files_is_shown_to_whoever_approves_it() -> None:
    edit = ExactEdit(old="a -\n b", new="a + b")
    files = (
        FileChange(path="calc.py", kind=FileChangeKind.MODIFY, edits=(edit,)),
        FileChange(path="old.py", kind=FileChangeKind.MOVE, to="new.py"),
    )
    fix = PlanStep(id="fix", title="fix", action="fix", type=StepType.FILE_OPERATION, files=files)
    text = markdown(ValidationArtifact(plan_digest="d", options=(option("b", steps=(fix,)),)), full=True)
    assert "- `fix`: modify `calc.py`\n" in text
    assert '- `fix`: in `calc.py`, "a -\\n b" becomes "a + b"' in text
    assert "- `fix`: move `old.py` to `new.py`\n" in text


OWN = (
    PlanStep(id="look", title="look", action="look", type=StepType.SHELL_COMMAND, command="cat  a.py"),
    PlanStep(
        id="new",
        title="new",
        action="write",
        type=StepType.FILE_OPERATION,
        files=(FileChange(path="b.py", kind=FileChangeKind.CREATE, content='x = "1"\n'),),
    ),
)


def test_a_plan_that_people_brought_is_shown_before_what_the_planner_found() -> None:
    left = (OpenPoint(subject="a.py", why="decide"), OpenPoint(subject="option z", why="left out: bad"))
    checked = ValidationArtifact(
        plan_digest="d", options=(option("mine", steps=OWN, source="person:ann"),), open_points=left
    )
    text = markdown(checked)
    order = [
        "**option z**: left out: bad",
        "## Options",
        "1. [shell_command] look: look\n",
        "2. [file_operation] new: new\n",
        "- `look` runs `cat a.py`",
        '- `new`: create `b.py` with "x = \\"1\\"\\n"',
        "## Beside it: the planner's own plan",
        "**a.py**: decide",
        "Of plan d:",
    ]
    places = [text.find(part) for part in order]
    assert -1 not in places, (order[places.index(-1)], text)
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((option("own", steps=OWN, source="template:t"), option("full", source="planner:x")), {"own"}),
        ((option("full", source="planner:x"),), {"full"}),
        ((option("full", source="person:ann"), option("other", steps=OWN, source="model:m")), {"full"}),
    ],
)
def test_what_builds_on_the_planners_plan_does_not_stand_beside_it(
    options: tuple[PlanOption, ...], told: set[str]
) -> None:
    text = markdown(ValidationArtifact(plan_digest="d", options=options))
    assert "Beside it" not in text
    assert {each.id for each in options if f"### {each.id}: " in text} == told


def test_the_summary_says_when_weights_and_score_disagree() -> None:
    options = (option("a", 0.1), option("b", 0.9))
    assert summary(options) == "Option a comes first by the job's own weights; by score alone it would be b."


def test_a_picture_of_the_steps() -> None:
    lines = plan_diagram(option("a").plan).splitlines()
    assert lines[0] == "flowchart TD"
    assert '    s1["1. write #96;x#96;<br/>code generation"]' in lines
    assert "    s1 --> s2" in lines
    assert '    s2 -. "failed" .-> s3' in lines


@given(st.text(max_size=200))
def test_no_title_escapes_its_label(title: str) -> None:
    step = PlanStep(id='"]; click s1 "x', title=title, action="a")
    lines = plan_diagram(Plan(title="t", steps=(step,))).splitlines()
    assert len(lines) == 2
    inside = lines[1].removeprefix('    s1["').removesuffix('"]')
    assert not set(inside.replace("<br/>", "")) & set('"<>`\\|')


confidences = st.lists(st.floats(0, 1), min_size=1, max_size=5)
weights = st.dictionaries(st.sampled_from(list(Criterion)), st.floats(0, 1000))


@given(confidences, weights)
def test_ranks_are_stable(values: list[float], by: dict[Criterion, float]) -> None:
    options = [option(f"o{n}", value) for n, value in enumerate(values)]
    first = ranked(options, by)
    again = ranked([each.option for each in first], by)
    assert [each.option.id for each in first] == [each.option.id for each in again]
    assert [each.rank for each in first] == list(range(1, len(values) + 1))
    assert sorted((each.score for each in first), reverse=True) == [each.score for each in first]
    for one, other in pairwise(first):
        if one.score == other.score:
            assert options.index(one.option) < options.index(other.option)


@given(confidences, st.integers(0, 4))
def test_one_more_option_moves_no_other(values: list[float], gone: int) -> None:
    options = [option(f"o{n}", value) for n, value in enumerate(values)]
    left = [each for n, each in enumerate(options) if n != gone]
    order = [each.option.id for each in rank(options) if each.option in left]
    assert order == [each.option.id for each in rank(left)]


def test_bad_ones_are_left_out_one_by_one() -> None:
    good, twin = option("good"), option("twin")
    bad = option("bad", steps=(PlanStep(id="x", title="x", action="x", subtask="S9"),))
    other = option("Good", steps=STEPS[:1])
    kept, left_out = sound((good, bad, twin, other), ("S1",))
    assert kept == (good,)
    assert dict(left_out) == {
        "bad": "step 1: subtask S9 not found",
        "twin": "its steps are those of option good",
        "Good": "there is an option good already",
    }


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"id": "a b"}, "option id 'a b' has other than"),
        (
            {"steps": (PlanStep(id="x", title="x", action="x", type=StepType.FILE_OPERATION),)},
            "names the files",
        ),
        (
            {"steps": (PlanStep(id="x", title="x", action="ls", type=StepType.SHELL_COMMAND),)},
            "step 1: command is required for shell_command",
        ),
        (
            {"steps": (PlanStep(id="x", title="x", action="ls", type=StepType.TESTING, command=" "),)},
            "step 1: command is required for testing",
        ),
        (
            {"steps": (PlanStep(id="x", title="x", action="x", condition=StepCondition(step="y")),)},
            "condition names step y",
        ),
    ],
)
def test_what_is_wrong_is_said(change: dict[str, Any], why: str) -> None:
    steps = change.pop("steps", STEPS)
    problems = option_problems(option("a", steps=steps).model_copy(update=change), ("S1",))
    assert any(why in problem for problem in problems)


def test_steps_that_are_only_called_otherwise_are_the_same() -> None:
    renamed = tuple(step.model_copy(update={"title": "other"}) for step in STEPS)
    assert same_steps(option("a").plan, option("b", steps=renamed).plan)


def test_feedback_names_an_option_or_all() -> None:
    names = ("full", "smallest")
    assert concerns("smaller steps", "full", names)
    assert concerns("full: smaller steps", "full", names)
    assert not concerns("option full has too many steps", "smallest", names)
    assert concerns("carefully: smaller steps", "smallest", names)
