"""Prompts of a terminal whose gate or question is settled elsewhere: they end by themselves."""

import time
from pathlib import Path
from typing import Any

import pytest

from phasegate.screen.asking import overtake
from tests.phasegate.commands.driving import Commands
from tests.phasegate.commands.terminal import Terminal

TASK = "Update authentication so that sessions expire after 30 minutes."
MENU = ("1  approve", "5  leave; the job waits", "\n> ")


def plan(job: str, repository: Path, *more: str) -> tuple[str, ...]:
    return ("plan", TASK, "--repo", str(repository), "--id", job, *more)


def pass_gate(phasegate: Commands, job: str) -> None:
    gate = phasegate("show", job, "--json").json["gate"]
    passed = phasegate("approve", job, "--gate", gate["id"], "--digest", gate["digest"], "--by", "bob")
    assert passed.code == 0, passed


def said_by(phasegate: Commands, job: str, person: str) -> list[Any]:
    entries = phasegate("ledger", job, "--json").json["entries"]
    return [entry["what"] for entry in entries if entry["who"] == person and entry["kind"] == "message"]


def test_what_is_settled_elsewhere_is_told_and_the_next_thing_is_asked(
    phasegate: Commands, town: dict[str, str], repository: Path
) -> None:
    with Terminal(*plan("beside", repository), env=town) as screen:
        screen.shows("Question 1 of 1", "\n> ")
        screen.press("1")
        phasegate("answer", "beside", "both", "--by", "bob")
        screen.shows("question q1 is answered by bob: both", "gate clarification-1", *MENU)
        screen.press("1")
        pass_gate(phasegate, "beside")
        screen.shows("gate clarification-1 is closed: approved by bob", "gate contracts-1", *MENU)
        screen.type("")
        screen.shows("nothing was decided", *MENU)
        screen.type("2")
        screen.shows("what is it about?")
        screen.type("1")
        screen.shows("End with an empty line")
        screen.type("No;")
        screen.press("half a line")
        pass_gate(phasegate, "beside")
        screen.shows("gate contracts-1 is closed: approved by bob", "gate validation-1", *MENU)
        screen.type("")
        screen.shows("nothing was decided", *MENU)
        screen.type("5")
        screen.shows("phasegate show beside")
        assert screen.code() == 3
    assert said_by(phasegate, "beside", "ann") == [], "what was begun at one gate decides nothing at another"


def test_keys_that_come_a_moment_too_late_answer_nothing(
    phasegate: Commands, town: dict[str, str], repository: Path
) -> None:
    with Terminal(*plan("late", repository, "--question-handling", "best_guess"), env=town) as screen:
        screen.shows("gate clarification-1", *MENU)
        pass_gate(phasegate, "late")
        screen.shows("gate clarification-1 is closed: approved by bob")
        screen.type("1")
        screen.shows("gate contracts-1", *MENU)
        time.sleep(1.0)
        assert phasegate("show", "late", "--json").json["gate"]["id"] == "contracts-1"
        screen.type("5")
        assert screen.code() == 3
    assert said_by(phasegate, "late", "ann") == []


@pytest.mark.parametrize(
    ("words", "told", "then"),
    [
        (("cancel", "--yes"), "the job was cancelled by bob", 4),
        (("restart", "discovery"), "overtaken by a restart from DISCOVERY (bob)", 3),
        (("pause",), "gate clarification-1: pause: ", 3),
    ],
)
def test_a_job_that_goes_elsewhere_ends_the_prompt(
    phasegate: Commands, town: dict[str, str], repository: Path, words: tuple[str, ...], told: str, then: int
) -> None:
    command, *more = words
    job = f"gone-{command}"
    with Terminal(*plan(job, repository, "--question-handling", "best_guess"), env=town) as screen:
        screen.shows("gate clarification-1", *MENU)
        assert phasegate(command, job, *more, "--by", "bob").code == 0
        screen.shows(told, *(MENU if command == "restart" else ()))
        if command == "restart":
            screen.type("5")
        assert screen.code() == then
        assert "Traceback" not in screen.text


def test_every_question_at_once(phasegate: Commands, town: dict[str, str], repository: Path) -> None:
    with Terminal(*plan("finished", repository), env=town) as screen:
        screen.shows("Question 1 of 1", "\n> ")
        assert phasegate("finish", "finished", "--by", "bob").code == 0
        screen.shows("question q1: finish: the dialogue ends", "(bob)", "gate clarification-1", *MENU)
        screen.type("5")
        assert screen.code() == 3


def test_where_nothing_is_asked_nothing_is_overtaken() -> None:
    overtake()
    time.sleep(0.05)
