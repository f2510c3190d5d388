"""`plan` on a terminal: questions and gates as a person meets them."""

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from tests.phasegate.commands.driving import Commands
from tests.phasegate.commands.terminal import Terminal

TASK = "Update authentication so that sessions expire after 30 minutes."
MENU = ("1  approve", "5  leave; the job waits", "\n> ")


def plan(job: str, repository: Path, *more: str) -> tuple[str, ...]:
    return ("plan", TASK, "--repo", str(repository), "--id", job, *more)


def test_a_job_is_talked_through(phasegate: Commands, town: dict[str, str], repository: Path) -> None:
    with Terminal(*plan("talk", repository), env=town) as screen:
        asked = screen.shows("Question 1 of 1", "Why it matters", "(recommended)", "\n> ")
        assert asked.index("  1  ") < asked.index("(recommended)") < asked.index("  2  ")
        screen.type("")
        screen.shows("nothing was sent", "\n> ")
        screen.type("/nonsense")
        screen.shows("/nonsense is unknown", "\n> ")
        screen.type("/say the web pages come first")
        screen.shows("kept", "\n> ")
        screen.type("1")
        screen.shows("q1 answered", "CLARIFICATION", "gate clarification-1", *MENU)
        screen.type("")
        screen.shows("nothing was decided", *MENU)
        screen.type("yes")
        screen.shows("nothing was decided", *MENU)
        screen.type("1")
        screen.shows("clarification-1 approved", "gate contracts-1", *MENU)
        screen.type("2")
        screen.shows("technical", "contract: the interfaces", "what is it about?")
        screen.type("1")
        screen.shows("End with an empty line")
        screen.type("Say what happens to open sessions.")
        screen.type("")
        again = screen.shows("gate contracts-2", "changed since it was refused", *MENU)
        assert "+> Say what happens to open sessions." in again
        assert "answers the feedback" in again
        screen.type("1")
        assert "Implementation plan" not in screen.shows("gate validation-1", *MENU)
        screen.type("4")
        screen.shows("Implementation plan", "Subtasks", "Validation", *MENU)
        screen.type("1")
        screen.shows("full: Full change", "none yet", "which option?")
        screen.type("")
        screen.shows("nothing was decided; type the number of an option", *MENU)
        screen.type("1")
        screen.shows("which option?")
        screen.type("2")
        screen.shows("validation-1 approved, option", "The plan is verified", "phasegate export talk")
        assert screen.code() == 0
    ledger = phasegate("ledger", "talk", "--json").json["entries"]
    approvals = [entry for entry in ledger if entry["what"].startswith("approve:")]
    assert [entry["who"] for entry in approvals] == ["ann"] * 3


def test_skipping_every_question_leaves_the_job_waiting(
    phasegate: Commands, town: dict[str, str], repository: Path
) -> None:
    with Terminal(*plan("skipped", repository), env=town) as screen:
        screen.shows("Question 1 of 1", "\n> ")
        screen.type("/skip")
        screen.shows("every question was skipped", "phasegate answer skipped q1")
        assert screen.code() == 3
    assert phasegate("show", "skipped", "--json").json["awaiting"] == "answers"


@pytest.mark.parametrize(("keys", "code"), [("\x04", 3), ("5\n", 3), ("\x03", 130)])
def test_leaving_leaves_the_job_waiting(
    phasegate: Commands, town: dict[str, str], repository: Path, keys: str, code: int
) -> None:
    job = f"left-{ord(keys[0])}"
    with Terminal(*plan(job, repository, "--question-handling", "best_guess"), env=town) as screen:
        screen.shows("gate clarification-1", *MENU)
        screen.press(keys)
        screen.shows(f"phasegate show {job}")
        assert screen.code() == code
        assert "Traceback" not in screen.text
    assert phasegate("show", job, "--json").json["gate"]["decisions"] == []


def test_what_was_typed_before_the_gate_could_be_read_does_not_count(
    phasegate: Commands, town: dict[str, str], repository: Path
) -> None:
    with Terminal(*plan("early", repository, "--question-handling", "best_guess"), env=town) as screen:
        os.write(screen._fd, b"1\n1\n1\n1\n")
        screen.shows("gate clarification-1", *MENU)
        screen.type("5")
        assert screen.code() == 3
    assert phasegate("show", "early", "--json").json["gate"]["id"] == "clarification-1"


def test_forty_columns_hold_everything(town: dict[str, str], repository: Path) -> None:
    words = plan("narrow", repository, "--question-handling", "best_guess", "--gates", "validation")
    with Terminal(*words, env={**town, "NO_COLOR": "1"}, columns=40) as screen:
        shown = screen.shows("gate validation-1", *MENU)
        screen.type("5")
        assert screen.code() == 3
    assert [line for line in shown.splitlines() if len(line) > 40] == []
    assert "probability: MEDIUM" in shown


def test_the_editor_is_opened_and_its_slips_are_named(
    phasegate: Commands, town: dict[str, str], repository: Path, tmp_path: Path
) -> None:
    editor = tmp_path / "editor"
    editor.write_text(
        f"#!{sys.executable}\n"
        "import json, pathlib, sys\n"
        "place, tried = pathlib.Path(sys.argv[1]), pathlib.Path(__file__ + '.tried')\n"
        "body = json.loads(place.read_text())\n"
        "body.pop('slip', None) if tried.exists() else body.update(slip=1)\n"
        "body['updated_requirements']['constraints'] = ['by hand']\n"
        "place.write_text(json.dumps(body)); tried.touch()\n"
    )
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    words = plan("by-hand", repository, "--question-handling", "best_guess")
    with Terminal(*words, env={**town, "VISUAL": str(editor)}) as screen:
        screen.shows("gate clarification-1", *MENU)
        screen.type("3")
        screen.shows("no field slip", "again? [Y/n]")
        screen.type("")
        assert "by hand" in screen.shows("gate clarification-2", *MENU)
        screen.type("5")
        assert screen.code() == 3
    made_by = [ref["made_by"] for ref in phasegate("artifacts", "by-hand", "--json").json["artifacts"]]
    assert made_by[-1] == "person:ann"
    assert list((Path(town["PHASEGATE_STATE_DIR"]) / "edits").glob("by-hand*")) == []


def test_cancel_asks_and_enter_is_no(phasegate: Commands, town: dict[str, str], repository: Path) -> None:
    phasegate(*plan("doomed", repository, "--detach"))
    with Terminal("cancel", "doomed", env=town) as screen:
        screen.shows("cancel doomed? [y/N]")
        screen.type("")
        screen.shows("nothing was changed")
        assert screen.code() == 4
    with Terminal("cancel", "doomed", env=town) as screen:
        screen.shows("cancel doomed? [y/N]")
        screen.type("y")
        screen.shows("being cancelled")
        assert screen.code() == 0


def test_json_never_asks_even_on_a_terminal(town: dict[str, str], repository: Path) -> None:
    with Terminal(*plan("machine", repository, "--json"), env=town) as screen:
        assert screen.code() == 3
        text = screen.text
    found = json.loads(text[text.index("{\n") :])
    assert (found["job"], found["awaiting"]) == ("machine", "answers")
