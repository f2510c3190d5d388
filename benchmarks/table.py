"""The one way that benchmarks print."""

from typing import Any

from rich.console import Console
from rich.table import Table


def print_table(title: str, heads: list[str], rows: list[list[Any]]) -> None:
    """A table for people; numbers with three significant digits."""
    table = Table(*heads, title=title, title_justify="left")
    for row in rows:
        table.add_row(*(f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in row))
    Console(width=140).print(table)
