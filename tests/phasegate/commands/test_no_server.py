"""Without a server, without words, with wrong words: one sentence and the right exit code."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.phasegate.commands.driving import Commands

NEEDS_SERVER = [
    ("list",),
    ("show", "j"),
    ("watch", "j"),
    ("ledger", "j"),
    ("approve", "j"),
    ("cancel", "j", "--yes"),
    ("artifacts", "j"),
    ("restart", "j", "CONTRACTS"),
]


@pytest.mark.parametrize("words", NEEDS_SERVER)
def test_no_server_is_one_sentence(lonely: Commands, words: tuple[str, ...]) -> None:
    ran = lonely(*words)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("phasegate: no Temporal server answers at 127.0.0.1:1; ")
    assert len(ran.err.splitlines()) == 1


def test_with_json_the_error_is_an_object_too(lonely: Commands) -> None:
    ran = lonely("show", "j", "--json")
    assert ran.json["error"]["kind"] == "NoServer"
    assert ran.json["error"]["message"] in ran.err


def test_doctor_says_what_is_missing(lonely: Commands) -> None:
    ran = lonely("doctor", "--json")
    wrong = {check["name"]: check for check in ran.json["checks"] if check["verdict"] == "wrong"}
    assert (ran.code, list(wrong)) == (1, ["server"])
    assert "phasegate dev" in wrong["server"]["todo"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("bogus",), "no such command 'bogus'"),
        (("lst",), "Did you mean 'list'? See `phasegate --help`"),
        (("show",), "missing argument 'JOB'"),
        (("list", "--limit", "many"), "--limit"),
        (("list", "--bogus"), "no such option"),
        (("answer", "j", "a", "b", "c"), "quotes around"),
        (("answer", "j", " "), "answer is empty"),
        (("restart", "j", "SOMEWHERE"), "unknown phase"),
    ],
)
def test_wrong_words(lonely: Commands, words: tuple[str, ...], told: str) -> None:
    ran = lonely(*words)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert lonely(*words, "--json").json["error"]["code"] == 2


def test_a_wrong_setting_is_one_sentence(lonely: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHASEGATE_LOG_LEVEL", "loud")
    ran = lonely("list")
    assert (ran.code, "PHASEGATE_LOG_LEVEL" in ran.err) == (1, True)


def test_what_nobody_expected_is_kept_for_a_report(
    lonely: Commands, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PHASEGATE_STATE_DIR", str(tmp_path))

    def defect(*_: object) -> str:
        raise KeyError("a defect")

    monkeypatch.setattr("phasegate.actions.looking.phase_diagram", defect)
    ran = lonely("diagram")
    [kept] = (tmp_path / "logs").glob("error-*.log")
    assert (ran.code, len(ran.err.splitlines())) == (1, 1)
    assert str(kept) in ran.err
    assert "Traceback" in kept.read_text()


def test_the_diagram_needs_no_server(lonely: Commands) -> None:
    assert lonely("diagram").out.startswith("stateDiagram-v2")


def test_help_imports_nothing_heavy() -> None:
    heavy = ["temporalio", "pydantic", "rich", "asyncio", "structlog", "obstore"]
    code = (
        "import sys; from phasegate.cli import code_of; code_of(['--help']); "
        f"sys.exit(','.join(name for name in {heavy} if name in sys.modules) or None)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "Commands:" in ran.stdout


@pytest.mark.parametrize(("words", "first"), [("diagram", "stateDiagram-v2\n"), ("", "Usage: phasegate")])
def test_a_reader_who_goes_away_is_no_error_to_tell(words: str, first: str) -> None:
    # `true` has gone before anything is written, `head` after a line
    for reader, seen in (("head -1", first), ("true", "")):
        ran = subprocess.run(
            f"{sys.executable} -m phasegate.cli {words} | {reader}",
            shell=True,
            capture_output=True,
            text=True,
        )
        assert (ran.stdout.startswith(seen), ran.stderr) == (True, "")
