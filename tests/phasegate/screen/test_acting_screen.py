"""Executions as text: on wide and narrow screens, nothing cut that a person decides on."""

import io
from pathlib import Path

import pytest
from rich.console import Console, RenderableType
from rich.text import Text

from phasegate.actions.ending import ways_home
from phasegate.executions import ExecutionView, LiveStep, still_live
from phasegate.screen.acting import (
    Exact,
    act_lines,
    bar_of,
    live_text,
    operator_lines,
    progress_words,
    state_words,
)
from phasegate.screen.consoles import show
from phasegate.screen.stepping import event_lines, output_event, step_events
from states.act import ActEnd, ActNote, ActOutcome, StepLine
from states.execution import ExecutionStatus, Metrics, Progress
from states.execution_document import execution_document
from states.record import Gate
from states.view import view_of
from states.words import Phase
from tests.states.job_maker import NOW, verified_job

STEPS = (
    StepLine(
        id="fix",
        title="Mend it",
        type="file_operation",
        status="completed",
        seconds=1.25,
        attempts=1,
        notes=("it may have run before",),
    ),
    StepLine(
        id="test",
        title="Run the tests",
        type="testing",
        status="failed",
        seconds=75,
        attempts=2,
        error="command failed: exit status 1",
    ),
    StepLine(id="ship", title="Ship it", type="shell_command", status="skipped", why="step test failed"),
)
PROGRESS = Progress(
    execution="j.act-1",
    total_steps=3,
    completed_steps=1,
    failed_steps=1,
    skipped_steps=1,
    elapsed=76,
    status=ExecutionStatus.FAILED,
)


def an_execution(*now: LiveStep, status: ExecutionStatus = ExecutionStatus.FAILED) -> ExecutionView:
    """An execution of three steps."""
    last = ActOutcome(
        end=ActEnd.FAILED,
        progress=PROGRESS,
        steps=STEPS,
        metrics=Metrics(files_modified=1, lines_changed=2, commands_executed=2, tests_failed=1),
        path="/srv/tree",
        sandbox="bwrap at /usr/bin/bwrap",
    )
    act = ActNote(
        id="j.act-1", option="a", plan="p", branch="phasegate/j", by="ann", status=status, last=last
    )
    return ExecutionView(act=act, now=now)


def drawn(*parts: RenderableType, width: int = 100, terminal: bool = False) -> str:
    """The parts as they look."""
    stream = io.StringIO()
    show(Console(file=stream, width=width, force_terminal=terminal, color_system=None), *parts)
    return stream.getvalue()


@pytest.mark.parametrize("width", [40, 70, 100, 1000])
def test_nothing_is_cut_on_any_screen(width: int) -> None:
    text = drawn(*act_lines(an_execution(), {"test": "line 1\nboom\n"}, ()), width=width, terminal=True)
    joined = " ".join(text.split())
    for words in (
        "Mend it",
        "exit status 1",
        "step test failed",
        "1m15s",
        "boom",
        "1 of 3 steps, 1 failed",
        "may have run",
    ):
        assert words in joined, text
    assert width == 1000 or max(map(len, text.splitlines())) <= width


def test_the_document_says_what_people_have_to_know_of_a_step() -> None:
    lines = execution_document(an_execution().act).splitlines()
    fix = next(n for n, line in enumerate(lines) if "Mend it" in line)
    assert lines[fix + 1] == "  - it may have run before"


def test_commands_are_called_unconfined_only_where_the_machine_was_seen() -> None:
    act = an_execution().act
    for path, said in (("", False), ("/srv/tree", True)):
        last = act.last.model_copy(update={"sandbox": "", "path": path})
        seen = act.model_copy(update={"last": last})
        assert ("not confined" in drawn(*act_lines(ExecutionView(act=seen), {}, ()))) is said
        assert ("not confined" in execution_document(seen)) is said


def test_the_document_counts_and_times_as_screens_do() -> None:
    text = execution_document(an_execution().act)
    assert "- Files: 1 modified, 2 lines changed; 2 commands; tests: 1 failed\n" in text
    assert "(testing): failed in 1m15s. command failed" in text


def test_an_execution_that_was_stopped_is_paused_and_nothing_else() -> None:
    act = an_execution(status=ExecutionStatus.PAUSED).act
    stopped = act.last.model_copy(update={"end": ActEnd.STOPPED, "reason": "stopped"})
    assert state_words(act.model_copy(update={"last": stopped})) == "paused"
    back = stopped.model_copy(update={"end": ActEnd.ROLLED_BACK, "reason": "rolled back to the start"})
    assert state_words(act.model_copy(update={"last": back})) == "paused: rolled back to the start"


def test_a_step_that_ended_while_it_was_asked_about_is_not_shown_as_running() -> None:
    lives = tuple(LiveStep(step=name, tail="line 6\n", printed=7) for name in ("fix", "test", "else"))
    assert [live.step for live in still_live(lives, STEPS)] == ["else"]


def test_a_bar_is_for_terminals_only() -> None:
    execution = an_execution()
    assert "▰" not in drawn(*act_lines(execution, {}, ()))
    assert "▰" in drawn(*act_lines(execution, {}, ()), terminal=True)
    assert "▰" not in drawn(*act_lines(execution, {}, (), bar=False), terminal=True)
    assert bar_of(PROGRESS) == "▰" * 20
    assert bar_of(Progress(execution="e")) == "▱" * 20


def test_ways_home_are_whole_lines() -> None:
    command = "git -C /a fetch /b phasegate/j:phasegate/j"
    assert command in drawn(*act_lines(an_execution(), {}, [("take the branch", command)]), width=1000)


def test_the_branch_can_be_taken_where_there_is_no_patch(tmp_path: Path) -> None:
    (tmp_path / "git").mkdir()
    act = an_execution().act
    last = act.last.model_copy(update={"diffstat": "1 file changed", "path": str(tmp_path / "tree")})
    view = view_of(verified_job())
    for patch, ways in (("", 2), ("d1ge57", 3)):
        found = ways_home(view, act.model_copy(update={"last": last.model_copy(update={"patch": patch})}))
        assert len(found) == ways
        assert found[0] == ("take the branch", f"git fetch {tmp_path}/git phasegate/j:phasegate/j")
        assert any("--patch" in command for _, command in found) is bool(patch)


COMMAND = "sh -c 'echo  a\t; \x1b[2Jrm -rf / #" + "x" * 300 + "   \n  second line'"


@pytest.mark.parametrize("width", [40, 100])
def test_an_exact_command_is_folded_and_never_cut(width: int) -> None:
    lines = drawn(Exact(COMMAND), width=width, terminal=True).splitlines()
    assert max(map(len, lines)) <= width
    assert [line[2] for line in lines if line[2] == "│"] == ["│", "│"], "two lines, each begun once"
    assert "\x1b" not in "".join(lines)
    whole = "".join(("\n" if line[2] == "│" else "") + line[4:] for line in lines)[1:]
    assert whole == COMMAND.replace("\t", "<U+0009>").replace("\x1b", "<U+001B>")


@pytest.mark.parametrize(
    "unseen", ["\r", "\x0b", "\u2028", "\u00a0", "\u3000", "\u200b", "\u202e", "\ufe0f", "\u034f"]
)
def test_an_exact_command_shows_what_only_a_shell_would_see(unseen: str) -> None:
    assert drawn(Exact(f"git{unseen}status")).strip() == f"│ git<U+{ord(unseen):04X}>status"


def test_letters_that_look_like_others_are_named() -> None:
    gate = Gate(
        id="operator-1",
        phase=Phase.VERIFIED,
        digest="d" * 64,
        opened=NOW,
        step="1",
        asks="./p\u0443test \u00fcber",
    )
    assert (
        "beyond ASCII: \u0443 CYRILLIC SMALL LETTER U, \u00fc LATIN SMALL LETTER U WITH DIAERESIS"
        in drawn(*operator_lines(gate), width=150)
    )
    assert "ASCII" not in drawn(*operator_lines(gate.model_copy(update={"asks": "make it"})))


def test_an_operator_is_told_what_and_why() -> None:
    gate = Gate(
        id="operator-1",
        phase=Phase.VERIFIED,
        digest="d" * 64,
        opened=NOW,
        step="ship",
        asks="make \u202eship",
        notes=("it is not on the list",),
    )
    text = drawn(*operator_lines(gate))
    assert "operator-1 for step ship" in text
    assert "it is not on the list" in text
    assert "│ make <U+202E>ship" in text


def test_what_runs_is_shown_in_lines_that_fit() -> None:
    live = LiveStep(step="test", tail="  one\n" + "y" * 90 + "\n", printed=97, seconds=3)
    lines = live_text(an_execution(live), 40).plain.splitlines()
    assert max(map(len, lines)) <= 36
    assert "    one" in lines
    assert any(line.endswith("…") for line in lines)


def test_events_are_the_difference_of_two_looks() -> None:
    before = an_execution()
    pending = tuple(line.model_copy(update={"status": "pending", "attempts": 0}) for line in STEPS)
    begun = (pending[0].model_copy(update={"status": "in_progress", "attempts": 1}), *pending[1:])

    def of(steps: tuple[StepLine, ...]) -> ExecutionView:
        last = before.act.last.model_copy(update={"steps": steps})
        return ExecutionView(act=before.act.model_copy(update={"last": last}))

    def told(old: ExecutionView | None, new: ExecutionView) -> list[tuple[str, str]]:
        return [(event, line.id) for event, line in step_events(old, new)]

    assert told(None, of(pending)) == []
    assert told(of(pending), of(begun)) == [("step_started", "fix")]
    assert told(of(begun), of(STEPS)) == [
        ("step_ended", "fix"),
        ("step_started", "test"),
        ("step_ended", "test"),
        ("step_ended", "ship"),
    ]
    assert told(of(STEPS), of(STEPS)) == []
    assert told(of(STEPS), of(pending)) == [], "rolled back"
    again = (begun[0].model_copy(update={"attempts": 2}), *pending[1:])
    assert told(of(begun), of(again)) == [("step_started", "fix")], "a retry between two looks"


def test_output_is_tamed() -> None:
    [line] = event_lines(output_event("x", "a\x1b[31mb\n", 7))
    assert line.plain == "  x | a<U+001B>[31mb"
    assert isinstance(line, Text)


def test_words_of_progress() -> None:
    running = Progress(execution="e", total_steps=4, completed_steps=1).after(10)
    assert progress_words(running) == "1 of 4 steps; 10s so far, about 30s left"
    assert progress_words(running.model_copy(update={"completed_steps": 0}).after(3)).endswith("unknown left")
