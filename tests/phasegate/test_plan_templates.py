"""Plan templates: the shipped ones are sound, parameters are data, mistakes are one sentence."""

import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from phasegate.plan_templates import Template, fill, read_parameters, read_template, shipped
from phasegate.problems import WrongUse
from states.artifacts.plan import StepType
from states.option_checks import option_problems
from states.steps import check_plan

GIVEN = {
    "fix-a-bug": {"subject": "blank urls are taken", "test": "tests/test_links.py"},
    "upgrade-dependency": {"file": "requirements.txt", "from": "a==1", "to": "a==2"},
    "add-flag": {"flag": "--dry-run", "what": "Nothing is written.", "file": "cli.py", "test": "test_cli.py"},
}
MINIMAL: dict[str, Any] = {
    "name": "mine",
    "about": "For a test.",
    "parameters": {"word": {}},
    "option": {
        "title": "Mine",
        "plan": {"steps": [{"id": "a", "title": "run", "type": "shell_command", "command": "echo ${word}"}]},
    },
}


def minimal(command: str = "echo ${word}", **parameter: Any) -> Template:
    step = {"id": "a", "title": "run", "type": "shell_command", "command": command}
    option = {"title": "Mine", "plan": {"steps": [step]}}
    return Template.model_validate({**MINIMAL, "parameters": {"word": parameter}, "option": option})


@pytest.mark.parametrize("template", shipped(), ids=lambda template: template.name)
def test_every_shipped_template_gives_an_option_that_can_be_carried_out(template: Template) -> None:
    filled = fill(template, GIVEN[template.name])
    option = filled.option
    assert option_problems(option, ()) == ()
    assert check_plan(option.plan) == ()
    assert (option.id, option.source) == (template.name, f"template:{template.name}")
    assert filled.task
    assert "${" not in option.model_dump_json()
    assert option.pros
    assert option.cons
    minutes = sum(step.estimated_minutes for step in option.plan.steps)
    assert option.plan.estimates.duration_minutes == minutes


def test_the_upgrade_needs_nobody() -> None:
    option = fill(read_template("upgrade-dependency"), GIVEN["upgrade-dependency"]).option
    assert StepType.CODE_GENERATION not in {step.type for step in option.plan.steps}
    edit = option.plan.steps[0].files[0]
    assert (edit.path, edit.edits[0].old, edit.edits[0].new) == ("requirements.txt", "a==1", "a==2")


@given(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=50))
def test_a_value_is_one_word_of_a_command(value: str) -> None:
    step = fill(minimal(), {"word": value}).option.plan.steps[0]
    assert shlex.split(step.command) == ["echo", value]


@pytest.mark.parametrize("value", ["x; rm -rf .", "$(id)", "`id`", "a'b", 'a"b', "| sh", "&& id", "${HOME}"])
def test_no_value_reaches_the_shell(value: str) -> None:
    command = fill(minimal(), {"word": value}).option.plan.steps[0].command
    ran = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert ran.stdout == f"{value}\n"


@pytest.mark.parametrize("value", ["x; id", "$(id) y", "a | cat"])
def test_no_words_reach_the_shell(value: str) -> None:
    command = fill(minimal(words=True), {"word": value}).option.plan.steps[0].command
    ran = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert ran.stdout == f"{value}\n"


def test_quotes_that_do_not_match_are_refused() -> None:
    with pytest.raises(WrongUse, match="quotes of parameter word do not match"):
        fill(minimal(words=True), {"word": "a'b"})


def test_words_are_several_words() -> None:
    step = fill(minimal(words=True), {"word": "-m 'a b' c"}).option.plan.steps[0]
    assert step.command == "echo -m 'a b' c"


@pytest.mark.parametrize("command", ["echo '${word}'", 'sh -c "${word}"', "echo \\${word}"])
def test_a_parameter_within_quotes_is_refused(command: str) -> None:
    with pytest.raises(WrongUse, match="within quotes"):
        fill(minimal(command), {"word": "x"})


@pytest.mark.parametrize(
    ("given_", "why"),
    [
        ({}, "needs --param subject=...: What goes wrong"),
        ({"subject": "x", "test": " "}, "needs --param test="),
        ({"subject": "x", "test": "t", "colour": "red"}, "no parameter 'colour'; it takes subject, test"),
        ({"subject": "two\nlines", "test": "t"}, "one line"),
    ],
)
def test_a_wrong_parameter_is_one_sentence(given_: dict[str, str], why: str) -> None:
    with pytest.raises(WrongUse, match=why.replace("(", r"\(")):
        fill(read_template("fix-a-bug"), given_)


def test_a_path_stays_in_the_repository() -> None:
    with pytest.raises(WrongUse, match="inside the repository"):
        fill(read_template("upgrade-dependency"), {**GIVEN["upgrade-dependency"], "file": "../x"})


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    place = tmp_path / "mine.yaml"
    place.write_text(yaml.safe_dump(MINIMAL))
    assert fill(read_template(str(place)), {"word": "hello"}).option.plan.steps[0].command == "echo hello"


def test_a_file_in_another_encoding(tmp_path: Path) -> None:
    place = tmp_path / "latin.yaml"
    place.write_bytes("about: Ü".encode("latin-1"))
    with pytest.raises(WrongUse, match="it is not UTF-8 text"):
        read_template(str(place))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: &x [1]\nb: *x\n", "aliases"),
        ("name: [", "no YAML"),
        ("!!python/object/apply:os.system [id]", "no YAML"),
        ("name: x", "about"),
        ("- 1", "holds no template: it must be an object"),
        ("", "holds no template: it must be an object"),
        ("name: x\nabout: y\n\toption: {}\n", "there is a tab in line 3; indent with spaces"),
        ("name: x\nabout: y\nabout: z\n", "'about' stands twice in line 3"),
        ("option: {plan: {steps: [{command: ls, command: id}]}}", "'command' stands twice in line 1"),
        ("name: a\x1b[31m", r"the character U\+001B, which YAML does not allow"),
        ("name: my template\nabout: x\noption: {}\n", "name: must be 1 to 40 letters, digits"),
    ],
)
def test_a_file_that_is_no_template(tmp_path: Path, text: str, why: str) -> None:
    place = tmp_path / "bad.yaml"
    place.write_text(text)
    with pytest.raises(WrongUse, match=why):
        read_template(str(place))


def test_an_unknown_template_names_the_way_to_the_list() -> None:
    with pytest.raises(WrongUse, match="`phasegate templates` lists them"):
        read_template("paint-it-black")


@pytest.mark.parametrize("words", [("x",), ("=1",), ("a=1", "a=2")])
def test_parameters_that_cannot_be_read(words: tuple[str, ...]) -> None:
    with pytest.raises(WrongUse):
        read_parameters(words)


def test_a_step_that_runs_words_is_refused() -> None:
    option = {"title": "x", "steps": [{"title": "x", "type": "testing", "description": "run ${word}"}]}
    template = Template.model_validate({**MINIMAL, "option": option})
    with pytest.raises(WrongUse, match="step 1: command is required for testing"):
        fill(template, {"word": "x"})
