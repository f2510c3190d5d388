"""How a model points at code: `path:first-last`, `path::Class.name`, and lines that it means to change."""

import re
from dataclasses import dataclass
from typing import Any

_LINES = re.compile(r"(?P<path>.+?):(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?")
_EDIT = re.compile(r"(?P<path>.+?):(?P<first>\d{1,9})(?:-(?P<last>\d{1,9})|(?P<after>\+))?")


@dataclass(frozen=True)
class Place:
    """Lines of a file, 1-based and inclusive."""

    path: str
    first: int
    last: int


def read_place(written: str) -> Place:
    """`path:first-last` or `path:line`. Raises ValueError saying what is wrong."""
    found = _LINES.fullmatch(_path(written))
    if not found:
        raise ValueError("must be written `path:first-last`, as in `src/app.py:10-25`")
    first = int(found["first"])
    last = int(found["last"] or first)
    if not 1 <= first <= last:
        raise ValueError("its lines must count from 1, the first before the last")
    return Place(found["path"], first, last)


def read_edit(written: str) -> tuple[str, tuple[float, float] | None]:
    """`path:first-last`, `path:line` or `path:line+` (after it) as a path and an old-line range in the form
    of `states.overlap`; a path alone, as of a new file, has none. Raises ValueError saying what is wrong."""
    text = _path(written)
    if ":" not in text:
        return text, None
    found = _EDIT.fullmatch(text)
    if not found:
        raise ValueError("must be written `path:first-last`, or `path:12+` for text after line 12")
    first = int(found["first"])
    if found["after"]:
        return found["path"], (first + 0.5, first + 0.5)
    last = int(found["last"] or first)
    if not 1 <= first <= last:
        raise ValueError("its lines must count from 1, the first before the last")
    return found["path"], (float(first), float(last))


def read_name(written: str) -> tuple[str, str]:
    """`path::Class.name` or `Class.name` as a path, blank where none is given, and a qualified name."""
    path, two, name = _path(written).rpartition("::")
    bare = (name if two else _path(written)).split("(", 1)[0].strip()
    return path.strip(), bare


def code_places(snippets: Any) -> list[str]:
    """The places of filled snippets."""
    return list(snippets)


def symbol_places(filled: Any) -> list[str]:
    """The names of filled methods and models."""
    return [_named(each) for each in filled]


def helper_places(filled: Any) -> list[str]:
    """The places of filled helper functions, which are written `path:line signature`."""
    return [each.split(" ", 1)[0] for each in filled]


def edit_places(edits: Any) -> list[str]:
    """Filled edits as they are written."""
    return [_edit(path, first, last) for path, ranges in edits.items() for first, last in ranges]


def _named(piece: Any) -> str:
    name = getattr(piece, "qualified", piece.name)
    return f"{piece.path}::{name}" if piece.path else str(name)


def _edit(path: str, first: float, last: float) -> str:
    if first == last and first != int(first):
        return f"{path}:{int(first)}+"
    return f"{path}:{int(first)}-{int(last)}"


def _path(written: str) -> str:
    return written.strip().strip("`").removeprefix("./")
