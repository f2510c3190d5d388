"""Artifacts on a screen: nothing is cut off, hidden or beautified away."""

import io

import pytest
from rich.console import Console

from phasegate.screen.artifact import MOST_LINES, Capped, artifact_panel, changes
from phasegate.screen.markdown import as_markdown
from states.artifacts.discovery import ContextDiscoveryArtifact
from states.artifacts.kinds import StoredArtifact
from states.record import Gate
from states.words import WORK_PHASES, Phase
from tests.states.job_maker import NOW

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


@pytest.mark.parametrize("width", [20, 24, 40, 100])
@pytest.mark.parametrize("phase", list(WORK_PHASES))
def test_a_gate_shows_the_digest_that_an_approval_is_bound_to_at_every_width(
    phase: Phase, width: int
) -> None:
    gate = Gate(id=f"{phase}-12", phase=phase, digest="8d3369bd4455" + "0" * 52, opened=NOW)
    found = ContextDiscoveryArtifact(commit="0" * 40, conventions=("tabs",))
    screen = shown(artifact_panel(StoredArtifact.wrap(Phase.DISCOVERY, found, {}), gate), width)
    assert "8d3369bd4455" in screen
    assert gate.id in "".join(each.strip("│ ") for each in screen.splitlines())
    assert width < 24 or phase.name in screen.splitlines()[0]


def test_a_digest_is_folded_where_it_has_no_room() -> None:
    gate = Gate(id="contracts-1", phase=Phase.CONTRACTS, digest="8d3369bd4455" + "0" * 52, opened=NOW)
    found = ContextDiscoveryArtifact(commit="0" * 40)
    screen = shown(artifact_panel(StoredArtifact.wrap(Phase.DISCOVERY, found, {}), gate), 12)
    assert "8d3369bd4455" in "".join(each.strip("│ ") for each in screen.splitlines())
