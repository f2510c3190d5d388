"""The one way that benchmarks take arguments and print: a table for people, or one JSON object."""

import argparse
import json
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable

WIDTH = 140


@dataclass(frozen=True)
class Table:
    """Rows of figures. `caption` says what was measured, in enough words to judge it."""

    title: str
    heads: list[str]
    rows: list[list[Any]]
    caption: str = ""


def arguments(doc: str | None) -> argparse.ArgumentParser:
    """A parser that knows --json; `doc` is the module's docstring."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    return parser


def show(tables: list[Table], as_json: bool) -> None:
    """Print them; people get three significant digits, programs all."""
    if as_json:
        print(json.dumps({"tables": [asdict(table) for table in tables]}, indent=2))
        return
    console = Console(width=WIDTH)
    for table in tables:
        rich = RichTable(*table.heads, title=table.title, caption=table.caption)
        rich.title_justify = rich.caption_justify = "left"
        for row in table.rows:
            rich.add_row(*map(cell_text, row))
        console.print(rich)


def cell_text(cell: Any) -> str:
    """What stands in a cell: a dash for what cannot be had here, no exponents."""
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:.0f}" if abs(cell) >= 100 else f"{cell:.3g}"
    return str(cell)
