"""Artifacts for people: readable, capped, and tame, as all of their text comes from somewhere else."""

import difflib
from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.panel import Panel
from rich.segment import Segment
from rich.text import Text

from phasegate.screen.markdown import as_markdown
from phasegate.screen.tame import tame
from states.amounts import counted
from states.artifacts.kinds import StoredArtifact
from states.record import Gate
from states.render import markdown

MOST_LINES = 200
"""lines of a screen that an artifact may take before the rest is only counted"""


def readable(stored: StoredArtifact, full: bool = False) -> str:
    """The artifact as markdown."""
    return tame(markdown(stored.artifact(), full))


class Capped:
    """The first MOST_LINES lines that something takes on the screen, and how many more there are."""

    def __init__(self, content: RenderableType) -> None:
        self._content = content

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render the content and keep its beginning."""
        lines = console.render_lines(self._content, options, pad=False)
        for line in lines[:MOST_LINES]:
            yield from line
            yield Segment.line()
        if len(lines) > MOST_LINES:
            yield Text(f"… {counted(len(lines) - MOST_LINES, 'more line')}", "dim")


def artifact_panel(stored: StoredArtifact, gate: Gate) -> Panel:
    """An artifact in a box, for a decision. What it is bound to is folded, as titles are cut."""
    bound = Text(f"gate {gate.id}, digest {gate.digest[:12]}", "bold", overflow="fold")
    content = Group(bound, Text(), Capped(as_markdown(readable(stored))))
    return Panel(content, title=Text(gate.phase.name), title_align="left")


def changes(old: str, new: str, old_name: str, new_name: str) -> Iterator[str]:
    """A unified diff, line by line."""
    yield from difflib.unified_diff(
        tame(old).splitlines(), tame(new).splitlines(), old_name, new_name, lineterm="", n=2
    )


def diff_text(lines: Iterator[str]) -> Group:
    """A diff in colours."""
    return Group(*(Text(line, _colour(line)) for line in lines))


def _colour(line: str) -> str:
    if line.startswith(("+++", "---")):
        return "bold"
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
