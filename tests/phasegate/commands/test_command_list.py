"""Which commands there are, and what all of them have in common."""

from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from phasegate.cli import app, code_of

PROMISED = (
    *("dev", "worker", "demo", "plan", "list", "show", "watch", "answer", "say", "finish", "approve"),
    *("revise", "reject", "edit", "restart", "rewind", "pause", "resume", "cancel", "artifacts", "diff"),
    *("export", "ledger", "metrics", "diagram", "doctor", "cooperbench plan", "agents", "budget"),
    *("select", "rank", "templates", "models", "act", "rollback"),
)


def _all(command: Any, name: str = "") -> dict[str, Any]:
    """Every command by its words, those of groups too."""
    if not hasattr(command, "commands"):
        return {name: command}
    assert command.help
    return {
        words: each
        for word, below in command.commands.items()
        for words, each in _all(below, f"{name} {word}".strip()).items()
    }


COMMANDS = _all(get_command(app))


def test_no_command_is_missing_or_undocumented() -> None:
    assert sorted(COMMANDS) == sorted(PROMISED)
    assert [name for name, command in COMMANDS.items() if not command.help] == []


@pytest.mark.parametrize("words", [(), ("cooperbench",)])
def test_no_description_is_cut_on_a_common_screen(words: tuple[str, ...]) -> None:
    told = CliRunner().invoke(app, [*words, "--help"], terminal_width=80).stdout
    assert [line for line in told.splitlines() if line.endswith("...") and "Usage:" not in line] == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("plan", "x", "--options", "some"), "'--options': must be a whole number, not 'some'"),
        (("plan", "x", "--max-budget-usd", "2,50"), "'--max-budget-usd': must be a number, not '2,50'"),
        (("dev", "--port", "99999"), "'--port': must be 65,535 or less, not '99999'"),
        (("say", "job", "x", "--wait", "-1"), "'--wait': must be 0 or more, not '-1'"),
        (("export", "job", "--format", "xml"), "'--format': 'xml' is not one of 'md', 'json'"),
    ],
)
def test_a_wrong_value_is_said_in_plain_words(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], why: str
) -> None:
    assert code_of(list(words)) == 2
    said = f"phasegate: invalid value for {why}; see `phasegate {words[0]} --help`\n"
    assert capsys.readouterr().err == said


@pytest.mark.parametrize("name", PROMISED)
def test_every_command_takes_json_and_explains_its_options(name: str) -> None:
    options = {flag: option for option in COMMANDS[name].params for flag in option.opts}
    assert "--json" in options
    silent = {"--help", "--version"}
    assert [flag for flag, option in options.items() if flag not in silent and not option.help] == []
