"""Artifacts for people: readable, capped, and tame, as all of their text comes from somewhere else."""

import difflib
import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.markdown import Markdown
from rich.panel import Panel
from rich.segment import Segment
from rich.text import Text

from phasegate.screen.tame import tame
from states.artifacts.kinds import StoredArtifact
from states.render import markdown

_NOT_OURS = (
    "html_inline",
    "html_block",
    "link",
    "image",
    "autolink",
    "entity",
    "lheading",
    "reference",
    "code",
)
_FENCE = re.compile(r"^\s*(`{3,})")
_SPANS = re.compile(r"(`+[^`]*`+)")
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
            yield Text(f"… {len(lines) - MOST_LINES} more lines", "dim")


def as_markdown(text: str) -> Markdown:
    """Markdown as it looks. Only what our own renderings use is markup: nothing of a repository's text may
    vanish as a tag, hide its address behind a link, or turn `__init__` into bold."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable(list(_NOT_OURS))
    shown = Markdown("", hyperlinks=False, code_theme="ansi_dark")
    shown.markup, shown.parsed = text, parser.parse(_without_underscores(text))
    return shown


def _without_underscores(text: str) -> str:
    """Underscores outside of code, escaped: they are parts of names, never emphasis."""
    lines, fence = [], ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence:
            line = "".join(
                part if part.startswith("`") else part.replace("_", "\\_") for part in _SPANS.split(line)
            )
        lines.append(line)
    return "\n".join(lines)


def artifact_panel(stored: StoredArtifact, title: str) -> Panel:
    """An artifact in a box, for a decision."""
    return Panel(Capped(as_markdown(readable(stored))), title=Text(title), title_align="left")


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
