"""Commands about options: compare, rank, select, draw; templates."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.phasegate.commands.driving import Commands, until
from tests.phasegate.commands.terminal import Terminal

TASK = "Update authentication so that sessions expire after 30 minutes."
GATE = ("--gates", "validation", "--question-handling", "best_guess")


@pytest.fixture(scope="module")
def planned() -> dict[str, str]:
    """Jobs that were started already, by their flags."""
    return {}


@pytest.fixture
def job(phasegate: Commands, repository: Path, planned: dict[str, str]) -> Callable[..., str]:
    """A job at its VALIDATION gate."""

    def start(name: str, *more: str) -> str:
        if name not in planned:
            ran = phasegate("plan", TASK, "--repo", str(repository), "--id", name, *GATE, *more)
            assert ran.code == 3, ran.err
            planned[name] = name
        return name

    return start


def test_options_side_by_side(phasegate: Commands, job: Callable[..., str]) -> None:
    name = job("side")
    shown = phasegate("show", name).out
    assert "  1  full: Full change with tests" in shown
    assert "No option is selected yet." in shown
    assert f"phasegate approve {name} --option full --gate validation-1" in shown
    told = phasegate("show", name, "--options").out
    assert "| 1 | full" in told
    assert "### staged: In " in told
    assert "- against: " in told
    data: Any = phasegate("show", name, "--options", "--json").json
    assert [each["id"] for each in data["options"]] == [each["id"] for each in data["facts"]]
    assert data["comparison"]["summary"].startswith("'Full change with tests' is recommended")
    assert data["selected"] is None
    artifact = phasegate("artifacts", name, "validation").out
    assert "## Options" in artifact


def test_a_narrow_screen_shows_all_of_it(job: Callable[..., str], town: dict[str, str]) -> None:
    name = job("side")
    with Terminal("show", name, "--options", env=town, columns=46) as screen:
        screen.shows("1  full: Full change with tests", "confidence", "smallest", "No option is selected yet")
        assert screen.code() == 0


def test_ranking_needs_no_server(
    phasegate: Commands, job: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = job("side")
    monkeypatch.setenv("TEMPORAL_ADDRESS", "127.0.0.1:1")
    plain = phasegate("rank", name, "--json").json
    by_speed = phasegate("rank", name, "--weight", "speed=1", "--weight", "simplicity=0", "--json").json
    assert {each["option"] for each in plain["ranking"]} == {each["option"] for each in by_speed["ranking"]}
    assert by_speed["ranking"][0]["scores"]["speed"] >= by_speed["ranking"][-1]["scores"]["speed"]
    assert phasegate("rank", name, "--weight", "safety=1").out.startswith("rank")
    for weight, why in (
        ("beauty=1", "unknown criterion 'beauty'"),
        ("speed=-1", "it is a number, 0 or more"),
        ("speed", "it is a number, 0 or more"),
        ("speed=0", "every weight is 0, so nothing is ranked"),
    ):
        ran = phasegate("rank", name, "--weight", weight)
        assert ran.code == 2
        assert why in ran.sentence
    assert "the store knows no job nowhere" in phasegate("rank", "nowhere").sentence


def test_a_weight_that_changes_nothing_is_told(
    phasegate: Commands, job: Callable[..., str], tmp_path: Path
) -> None:
    name = job("alike")
    told = phasegate("rank", name, "--weight", "speed=1", "--weight", "safety=1").out
    assert "score the same" not in told
    mine = tmp_path / "mine.yaml"
    step = {"title": "look", "type": "shell_command", "command": "ls"}
    mine.write_text(
        yaml.safe_dump({"title": "Mine", "steps": [step], "estimates": {"duration_minutes": 120}})
    )
    ran = phasegate("edit", name, "--plan", str(mine), "--option", "smallest")
    assert ran.code == 0, ran.err
    until(phasegate, name, lambda view: any(each["title"] == "Mine" for each in view["options"]))
    ranked = phasegate("rank", name, "--weight", "speed=2", "--weight", "simplicity=1")
    assert ranked.out.splitlines()[-1] == (
        "All options score the same by speed (80); weighing that does not change their order."
    )


def test_a_picture_of_an_option(phasegate: Commands, job: Callable[..., str]) -> None:
    name = job("side")
    assert phasegate("diagram", name, "--option", "smallest").out.startswith("flowchart TD")
    ran = phasegate("diagram", name, "--option", "z")
    assert ran.code == 2
    assert "there is no option 'z'; options are full" in ran.sentence


def test_select_then_approve_and_export(phasegate: Commands, job: Callable[..., str]) -> None:
    name = job("chosen")
    refused = phasegate("select", name, "z")
    assert refused.code == 4
    assert "there is no option 'z'" in refused.sentence
    assert "option staged selected" in phasegate("select", name, "staged", "--by", "mia").out
    assert "validation-1 approved" in phasegate("approve", name).out
    assert "Option staged is selected by mia." in phasegate("show", name).out
    exported = phasegate("export", name).out
    assert "Steps of option staged, selected by mia:" in exported
    assert "```mermaid\nflowchart TD" in exported


def test_a_template_is_offered_beside_the_others(phasegate: Commands, repository: Path) -> None:
    given = ("--param", "subject=sign_out raises KeyError", "--param", "test=tests/test_legacy.py")
    ran = phasegate(
        "plan", "--repo", str(repository), "--id", "templated", *GATE, "--template", "fix-a-bug", *given
    )
    assert ran.code == 3, ran.err
    view = phasegate("show", "templated", "--json").json
    assert view["task"] == "Fix this bug: sign_out raises KeyError"
    assert {option["source"] for option in view["options"]} == {
        "template:fix-a-bug",
        "planner:deterministic",
    }
    missing = phasegate("plan", "--repo", str(repository), "--template", "fix-a-bug", "--param", "test=t")
    assert missing.code == 2
    assert "needs --param subject=" in missing.sentence
    names = [each["name"] for each in phasegate("templates", "--json").json["templates"]]
    assert names == ["add-flag", "fix-a-bug", "upgrade-dependency"]
    assert "1. [code_generation]" in phasegate("templates", "fix-a-bug").out


def test_policies_of_options_are_flags(phasegate: Commands, repository: Path) -> None:
    words = ("plan", TASK, "--repo", str(repository), "--id", "auto", "--gates", "none", *GATE[2:])
    more = ("--options", "2", "--auto-select-best", "--weight", "cost=1", "--option-confidence", "0.1")
    ran = phasegate(*words, *more, "--max-plan-complexity", "HIGH")
    assert ran.code == 0, ran.err
    view = phasegate("show", "auto", "--json").json
    assert len(view["options"]) == 2
    assert view["selected"]["by"] == "policy:auto_select_best"
    wrong = phasegate(*words, "--options", "9")
    assert wrong.code == 2
    assert "--options" in wrong.sentence
