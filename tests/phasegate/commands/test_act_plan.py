"""A ready plan, brought along: approved once, carried out, asked about; on a terminal and without one."""

import asyncio
import time
from pathlib import Path

import pytest

from activities.execution.sandbox import sandbox_offered
from tests.e2e.executions import repository as a_repository
from tests.e2e.stage import job_id
from tests.phasegate.commands.driving import Commands, until
from tests.phasegate.commands.terminal import Terminal

PLAN = """
title: Note the licence
description: People ask for it.
steps:
  - id: write
    title: Write a note
    type: file_operation
    action: create the note
    files:
      - {path: LICENCE-NOTE.md, kind: create, content: "MIT, see LICENSE\\n"}
  - id: look
    title: Look at it
    type: shell_command
    action: show it
    command: python3 -c 'print(open("LICENCE-NOTE.md").read())'
    dependencies: [write]
estimates: {duration_minutes: 1, complexity: low, confidence: 0.9}
"""


@pytest.fixture
def plan(tmp_path: Path) -> str:
    """The file."""
    path = tmp_path / "note.yaml"
    path.write_text(PLAN, encoding="utf-8")
    return str(path)


def test_without_a_terminal(phasegate: Commands, repository: Path, plan: str) -> None:
    job = job_id("ready")
    waits = phasegate("act", "--plan", plan, str(repository), "--id", job, "--json")
    assert waits.code == 3, waits
    view = waits.json
    assert [option["source"] for option in view["options"]] == ["person:ann"]
    assert view["gate"]["id"] == "validation-1"
    told = [line.strip() for line in phasegate("show", job).out.splitlines()]
    steps = told.index("1. [file_operation] write: Write a note")
    assert told[steps + 1] == 'create `LICENCE-NOTE.md` with "MIT, see LICENSE\\n"'
    assert told[steps + 3].startswith("runs `python3 -c 'print(open(")
    gone_on = phasegate("approve", job, "--gate", "validation-1", "--digest", view["gate"]["digest"])
    assert gone_on.code == 0, gone_on
    deadline = time.monotonic() + 30
    while (shown := phasegate("show", job, "--json").json)["awaiting"] != "operator":
        assert time.monotonic() < deadline, shown
    assert shown["gate"]["asks"].startswith("python3 -c")
    assert shown["act"]["last"]["steps"][0]["status"] == "completed"
    again = phasegate("act", job)
    assert again.code == 4
    assert "being carried out already" in again.sentence
    assert phasegate("revise", job, "no").code == 0
    assert phasegate("watch", job).code == 1


def test_on_a_terminal(
    town: dict[str, str], phasegate: Commands, repository: Path, plan: str, tmp_path: Path
) -> None:
    job = job_id("ready")
    words = ("act", "--plan", plan, str(repository), "--id", job)
    with Terminal(*words, env={**town, "HOME": str(tmp_path)}, columns=60) as screen:
        seen = screen.shows("gate        validation-1", "> ")
        brought, _, beside = seen.partition("Beside it: the planner's own plan")
        assert "look runs python3 -c" in brought
        assert 'create LICENCE-NOTE.md with "MIT, see' in brought
        assert "Of plan " in beside
        screen.type("4")
        whole = screen.shows("show in full, with the planner's own plan", "> ")
        assert whole.index("look runs python3 -c") < whole.index("Implementation plan")
        screen.type("1")
        asked = screen.shows("the exact command:", "leave; the job waits", "> ")
        assert "│ python3 -c 'print(open(" in asked
        screen.type("")
        screen.shows("nothing was decided", "> ")
        screen.press("\x03")
        screen.shows("interrupted", f"phasegate watch {job} comes", "back")
        assert screen.code() == 130
    with Terminal("watch", job, env={**town, "HOME": str(tmp_path)}) as screen:
        screen.shows("the exact command:", "> ")
        screen.type("2")
        screen.shows("why not?")
        screen.type("I have read it")
        screen.type("")
        screen.shows("step look is refused", "The job is stopped by a failure")
        assert screen.code() == 1
    patch = phasegate("export", job, "--patch")
    assert patch.code == 0, patch
    assert "+MIT, see LICENSE" in patch.out


SHORT = """
title: Note the licence
steps:
  - id: write
    title: Write a note
    type: file_operation
    action: write the note
    files:
      - {path: LICENCE-NOTE.md, CHANGE}
"""
WRONG = SHORT.replace("CHANGE", 'kind: modify, edits: [{old: "BSD", new: "MIT"}]')
MENDED = SHORT.replace("CHANGE", 'kind: create, content: "MIT\\n"')


def test_a_plan_that_failed_is_mended_within_its_job(
    phasegate: Commands, repository: Path, tmp_path: Path
) -> None:
    path, job = tmp_path / "note.yaml", job_id("mended")
    path.write_text(WRONG, encoding="utf-8")
    assert phasegate("act", "--plan", str(path), str(repository), "--id", job).code == 3
    assert phasegate("approve", job, "--gate", "validation-1").code == 0
    assert phasegate("watch", job).code == 1
    shown = phasegate("show", job)
    assert f"phasegate edit {job} --plan" in shown.out
    assert f"phasegate edit {job} --plan FILE" in phasegate("edit", job, "--file", str(path)).sentence
    same = phasegate("edit", job, "--plan", str(path))
    assert (same.code, "has already" in same.sentence) == (4, True), same
    path.write_text(MENDED, encoding="utf-8")
    other = phasegate("edit", job, "--plan", str(path), "--option", "x")
    assert (other.code, "there is no option 'x'" in other.sentence) == (2, True), other
    assert phasegate("act", "--plan", str(path), job).sentence.endswith(
        f"`phasegate edit {job} --plan {path}`"
    )
    assert phasegate("show", job, "--json").json["restarts"] == [], "nothing was changed so far"
    put = phasegate("edit", job, "--plan", str(path))
    assert put.code == 0, put
    view = until(phasegate, job, lambda v: v["gate"] and v["options"][0]["version"] == 2)
    assert [option["id"] for option in view["options"]] == ["note"]
    assert view["former"][0]["status"] == "failed"
    assert phasegate("approve", job, "--gate", view["gate"]["id"]).code == 0
    assert phasegate("watch", job).code == 0
    assert "+MIT" in phasegate("export", job, "--patch").out


def test_a_plan_is_put_in_place_at_the_gate_too(
    phasegate: Commands, repository: Path, tmp_path: Path
) -> None:
    path, job = tmp_path / "note.yaml", job_id("mended")
    path.write_text(WRONG, encoding="utf-8")
    assert phasegate("act", "--plan", str(path), str(repository), "--id", job).code == 3
    mended = tmp_path / "other-name.yaml"
    mended.write_text(MENDED, encoding="utf-8")
    assert phasegate("edit", job, "--plan", str(mended)).code == 0
    view = until(phasegate, job, lambda v: v["gate"] and v["options"][0]["version"] == 2)
    assert [option["id"] for option in view["options"]] == ["note"]
    assert view["restarts"] == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("- 1\n", "holds no plan"),
        ("title: x\nsteps: []\n", "plan must have at least one step"),
        ("title: x\nsteps: [{title: a, type: shell_command}]\n", "action is required"),
        (
            "title: x\nsteps: [{title: a, type: shell_command, action: tidy up}]\n",
            "step 1: command is required for shell_command",
        ),
        ("title: [\n", "is no YAML that is taken"),
        ("title: x\nsteps: [\n", "in line 3"),
        ("title: x\nsteps: [{title: a, typ: testing, action: ls}]\n", "wrong.yaml: steps.1.typ is no field"),
        ("title: x\nsteps: 5\n", "wrong.yaml: steps: must be a list, not a number"),
        ("title: 5\nsteps: [{title: a, action: ls}]\n", "title: must be text, not a number"),
    ],
)
def test_what_is_no_plan_is_told_before_anything_starts(
    lonely: Commands, repository: Path, tmp_path: Path, text: str, why: str
) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(text, encoding="utf-8")
    ran = lonely("act", "--plan", str(path), str(repository))
    assert ran.code == 2
    assert why in ran.sentence


def test_act_needs_something_to_act_on(lonely: Commands) -> None:
    assert lonely("act").code == 2


ONLY_COMMANDS = """
title: Slow tests
steps:
  - {id: look, title: Look, type: shell_command, action: look, command: ls}
"""


AS_TEMPLATE = """
name: slow
about: Look.
task: Slow tests
option:
  title: Slow tests
  steps:
    - {id: look, title: Look, type: shell_command, action: look, command: ls}
"""


@pytest.mark.parametrize("written", [ONLY_COMMANDS, AS_TEMPLATE], ids=["plan", "template"])
def test_a_plan_in_which_the_planner_finds_nothing_to_change_has_its_one_gate(
    phasegate: Commands, tmp_path: Path, written: str
) -> None:
    path, job = tmp_path / "slow.yaml", job_id("slow")
    path.write_text(written, encoding="utf-8")
    tests = {"slowtests/test_slow.py": "import time\n\n\ndef test_slow():\n    time.sleep(1)\n"}
    project = a_repository(tmp_path / "project", tests)
    waits = phasegate("act", "--plan", str(path), str(project), "--id", job, "--json")
    assert waits.code == 3, waits
    assert waits.json["gate"]["id"] == "validation-1"
    assert phasegate("approve", job, "--gate", "validation-1").code == 0
    assert phasegate("watch", job).code == 0


def test_doctor_says_what_confines_commands(phasegate: Commands) -> None:
    checks = {check["name"]: check for check in phasegate("doctor", "--json").json["checks"]}
    sandbox, (offered, why) = checks["sandbox"], asyncio.run(sandbox_offered())
    assert (sandbox["verdict"], sandbox["todo"]) == ("ok" if offered else "less", why)
    assert offered in sandbox["found"]


def test_a_job_that_is_to_act_does_so_as_soon_as_it_is_verified(
    phasegate: Commands, repository: Path
) -> None:
    job = job_id("acts")
    words = ("--auto-select-best", "--option-confidence", "0", "--question-handling", "best_guess")
    begun = phasegate(
        *("plan", "Add a `--json` flag to `greet`", "--repo", str(repository), "--id", job),
        *("--gates", "none", *words, "--act"),
    )
    assert begun.code == 3, begun
    view = until(phasegate, job, lambda v: v["gate"] and v["gate"]["id"] == "operator-1")
    assert view["mode"] == "Act"
    assert view["act"]["branch"] == f"phasegate/{job}"
    assert view["selected"]["option"] == view["act"]["option"]
