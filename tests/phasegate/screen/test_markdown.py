"""Artifacts on a screen: nothing is cut off, hidden or beautified away."""

import io

import pytest
from rich.console import Console

from phasegate.screen.artifact import MOST_LINES, Capped, changes
from phasegate.screen.markdown import as_markdown

RISK = "the authentication of everybody who is signed in at the moment"
TABLE = f"| probability | what could go wrong |\n| --- | --- |\n| MEDIUM | {RISK} |\n"


def shown(renderable: object, width: int) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(renderable)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize(
    "text",
    [
        "deskly/auth/__init__.py",
        "a_b and __all__ and _private_",
        "List<String> and <b>bold</b>",
        "[click](http://evil.example)",
        "![image](http://evil.example)",
        "<http://evil.example>",
        "&lt;script&gt;",
        "~~gone~~",
    ],
)
def test_text_of_a_repository_is_shown_as_it_is(text: str) -> None:
    assert text in shown(as_markdown(f"- {text}"), 100)


def test_code_keeps_its_underscores() -> None:
    out = shown(as_markdown("a `__name__` and\n\n```\ndef __init__(self) -> None\n```\n"), 100)
    assert "a __name__ and" in out
    assert "def __init__(self) -> None" in out


@pytest.mark.parametrize("width", [30, 40, 79, 80, 100, 200])
def test_a_table_is_complete_at_every_width(width: int) -> None:
    out = shown(as_markdown(TABLE), width)
    assert "…" not in out
    assert RISK.replace(" ", "") in "".join(out.split())


def test_a_long_artifact_is_capped_and_says_so() -> None:
    out = shown(Capped(as_markdown("\n\n".join(f"line {n}" for n in range(MOST_LINES)))), 80)
    assert len(out.splitlines()) == MOST_LINES + 1
    assert "more lines" in out


def test_a_diff_is_tame() -> None:
    lines = list(changes("a\n", "a\n\x1b[8mhidden\n", "old", "new"))
    assert "+<U+001B>[8mhidden" in lines
