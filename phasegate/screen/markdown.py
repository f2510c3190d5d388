"""Our own markdown in a terminal, complete on a narrow one, and inert where it quotes strangers."""

import re
from collections.abc import Iterator
from typing import ClassVar

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, MarkdownElement, TableElement
from rich.table import Table
from rich.text import Text

NARROW = 80
"""columns below which each row of a table is a paragraph"""
# Only what our own renderings use is markup: nothing of a repository's text may vanish as a tag, hide its
# address behind a link, or turn `__init__` into bold.
_NOT_OURS = [
    "html_inline",
    "html_block",
    "link",
    "image",
    "autolink",
    "entity",
    "lheading",
    "reference",
    "code",
]
_FENCE = re.compile(r"^\s*(`{3,})")
_SPANS = re.compile(r"(`+[^`]*`+)")


def as_markdown(text: str) -> Markdown:
    """The text as it looks."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable(_NOT_OURS)
    shown = _Inert("", hyperlinks=False, code_theme="ansi_dark")
    shown.markup, shown.parsed = text, parser.parse(_without_underscores(text))
    return shown


class _Rows(TableElement):
    """A table that cuts nothing off."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Columns where there is room, else one paragraph a row."""
        heads = [cell.content for cell in self.header.row.cells] if self.header and self.header.row else []
        rows = [[cell.content for cell in row.cells] for row in self.body.rows] if self.body else []
        yield from _stacked(heads, rows) if options.max_width < NARROW else _columns(heads, rows)


class _Inert(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {**Markdown.elements, "table_open": _Rows}


def _columns(heads: list[Text], rows: list[list[Text]]) -> Iterator[Table]:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in rows:
        table.add_row(*row)
    yield table


def _stacked(heads: list[Text], rows: list[list[Text]]) -> Iterator[Text]:
    for row in rows:
        for head, cell in zip(heads, row, strict=False):
            if cell.plain.strip():
                yield Text.assemble((f"{head.plain}: ", "dim"), cell)
        yield Text()


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
