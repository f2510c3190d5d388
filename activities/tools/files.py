"""list_files and read_file."""

import os
import stat
from pathlib import Path

from activities.plain_text import strip_line
from activities.tools.arguments import ListFiles, ReadFile
from activities.tools.confined import opened
from activities.tools.errors import ToolError
from activities.tools.lines import Span, read_span

FIRST_LINES = 100
"""lines shown when no range is asked for"""
MOST_LINES = 1_000
"""lines shown at once, whatever is asked for"""
MOST_ITEMS = 1_000
"""names listed of one directory"""
MOST_CHARACTERS = 60_000
"""characters of a file shown at once"""


def list_files(root: Path, asked: ListFiles) -> str:
    """What a directory holds, sorted, dot-files included, without git's own. Raises ToolError."""
    with opened(root, asked.path, "Directory") as folder:
        if not stat.S_ISDIR(os.fstat(folder).st_mode):
            raise ToolError(f"{strip_line(asked.path)} is a file, not a directory; use read_file")
        with os.scandir(folder) as entries:
            found = sorted((e for e in entries if e.name.lower() != ".git"), key=lambda e: e.name)
        shown = [_item(root, asked.path, entry) for entry in found[:MOST_ITEMS]]
    if not found:
        return "Directory is empty"
    rest = [f"... (first {MOST_ITEMS} of {len(found)} items)"] if len(found) > MOST_ITEMS else []
    return "\n".join([f"Found {len(found)} items:", "", *shown, *rest])


def _item(root: Path, path: str, entry: os.DirEntry[str]) -> str:
    name = strip_line(entry.name)
    folder = entry.is_dir(follow_symlinks=False) or (
        entry.is_symlink() and _leads_to_folder(root, f"{path}/{entry.name}")
    )
    return f"{name}/" if folder else name


def _leads_to_folder(root: Path, link: str) -> bool:
    """Nothing is said about what lies outside of the workspace."""
    try:
        with opened(root, link, "Directory") as target:
            return stat.S_ISDIR(os.fstat(target).st_mode)
    except ToolError:
        return False


def read_file(root: Path, asked: ReadFile) -> str:
    """Numbered lines of a file under a header that says which. Raises ToolError."""
    name = strip_line(asked.filename)
    first, last = _range(asked)
    with opened(root, asked.filename, "File") as descriptor:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise ToolError(f"{name} is a directory; use list_files")
        span = read_span(descriptor, name, first, min(last, first + MOST_LINES - 1), MOST_CHARACTERS)
    if first > span.total:
        raise ToolError(f"start_line {first} is after the last line of {name}, which is {span.total}")
    rows = [f"{number:4d} {line}" for number, line in enumerate(span.lines, first)]
    return "\n".join([f"File: {name} ({_shown(asked, last, span)})", "", *rows])


def _range(asked: ReadFile) -> tuple[int, int]:
    first = asked.start_line or 1
    if asked.end_line is not None and asked.end_line < first:
        raise ToolError(f"start_line {first} is after end_line {asked.end_line}")
    no_range = asked.start_line is None and asked.end_line is None
    return first, FIRST_LINES if no_range else asked.end_line or first + MOST_LINES


def _shown(asked: ReadFile, last: int, span: Span) -> str:
    """What the header says; the limits only where they cut something off."""
    end = span.first + len(span.lines) - 1
    total = f"of {span.total} total"
    if end < min(last, span.total):
        total += (
            f"; at most {MOST_LINES} lines or {MOST_CHARACTERS} characters at once, go on from line {end + 1}"
        )
    if asked.start_line is None:
        return f"first {end} lines {total}"
    return (
        f"from line {span.first} {total}" if asked.end_line is None else f"lines {span.first}-{end} {total}"
    )
