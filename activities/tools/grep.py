"""grep_search: ripgrep does the searching, this joins its findings into a page for a model."""

import base64
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from activities.plain_text import strip_line
from activities.ripgrep import RipgrepFailed, RipgrepTooSlow, ripgrep
from activities.tools.arguments import GrepSearch
from activities.tools.errors import ToolError, outside
from activities.tools.lines import CUT

MOST_MATCHES = 20
MOST_CONTEXT = 10
LONGEST_LINE = 500
MOST_BYTES = 1_000_000
"""size of a file that is searched"""

_ALWAYS = (
    "--no-ignore",  # a file may be ignored and tracked; what a job works on is what is checked out
    "--no-follow",
    "--no-messages",
    "--no-mmap",
    "--engine=default",  # finite automata: no pattern makes it backtrack
    "--regex-size-limit=10M",
    "--dfa-size-limit=64M",
    f"--max-filesize={MOST_BYTES}",
    "--sort=path",
)


@dataclass
class _File:
    """What was found in one file: lines by number, and which of them match."""

    path: str
    lines: dict[int, str] = field(default_factory=dict)
    matches: list[int] = field(default_factory=list)


def grep_search(root: Path, asked: GrepSearch, seconds: float) -> str:
    """Matches with context, files in the order of their paths. Raises ToolError."""
    globs = _globs(asked.file_pattern)
    if "\0" in asked.query:
        raise ToolError("Invalid regex pattern: it contains a NUL character; write \\x00")
    try:
        files, more = _search(root, asked, globs, seconds)
        if not files:
            return _nothing(root, asked, globs, seconds)
    except RipgrepTooSlow:
        raise ToolError(
            f"The search took longer than {seconds:g} seconds; use a simpler query or a narrower file_pattern"
        ) from None
    except RipgrepFailed as error:
        raise ToolError(_refused(str(error))) from error
    return _page(asked, files, more)


def _globs(pattern: str) -> tuple[str, ...]:
    """rg's options for a file pattern: at any depth, a directory meaning all below it, never hidden ones."""
    if pattern.startswith("/") or ".." in re.split(r"[/{},]", pattern):
        raise outside(pattern)
    if "\0" in pattern:
        raise ToolError(f"Invalid file_pattern: {strip_line(pattern)} contains a NUL character")
    if len(pattern) > LONGEST_LINE:
        raise ToolError(f"Invalid file_pattern: it has more than {LONGEST_LINE} characters")
    # Behind `**/` no character is special to rg that stands first: `!` means all but these, `#` nothing.
    anywhere = "**/" + (pattern.strip().removeprefix("./").rstrip("/") or "*")
    return (f"--glob={anywhere}", f"--glob={anywhere}/**", "--glob=!.*")


def _search(
    root: Path, asked: GrepSearch, globs: tuple[str, ...], seconds: float
) -> tuple[list[_File], bool]:
    """The files of the first matches, and whether there are more: one match too many is looked for."""
    options = (
        *("--json", "--crlf", f"--max-count={MOST_MATCHES + 1}"),
        f"--context={min(asked.context_lines, MOST_CONTEXT)}",
        "--case-sensitive" if asked.case_sensitive else "--ignore-case",
    )
    found: list[_File] = []
    left = MOST_MATCHES
    with ripgrep((*_ALWAYS, *options, *globs, f"--regexp={asked.query}", "--", "./"), root, seconds) as lines:
        for file in _files(lines):
            more = len(file.matches) > left
            file.matches = file.matches[:left]
            left -= len(file.matches)
            if file.matches:
                found.append(file)
            if more:
                return found, True
    return found, False


def _files(lines: Iterator[bytes]) -> Iterator[_File]:
    """Text files with their matches, from rg's JSON events."""
    current = _File("")
    for line in lines:
        event = _event(line)
        data = event["data"]
        match event["type"]:
            case "begin":
                current = _File(_decoded(data["path"]).removeprefix("./"))
            case "match" | "context":
                current.lines[data["line_number"]] = _cut(_decoded(data["lines"]))
                if event["type"] == "match":
                    current.matches.append(data["line_number"])
            case "end" if data["binary_offset"] is None:
                yield current


def _event(line: bytes) -> dict[str, Any]:
    """An event without the places in its line: a long line can have a million. A quote inside of JSON text
    is escaped, so the key cannot be part of what was found."""
    head, key, _ = line.partition(b',"submatches":[')
    event: dict[str, Any] = json.loads(head + b"}}" if key else line)
    return event


def _decoded(value: dict[str, str]) -> str:
    """rg gives what is no UTF-8 as base64."""
    return value["text"] if "text" in value else base64.b64decode(value["bytes"]).decode("utf-8", "replace")


def _cut(line: str) -> str:
    text = line.removesuffix("\n").removesuffix("\r")
    return text if len(text) <= LONGEST_LINE else text[:LONGEST_LINE] + CUT


def _nothing(root: Path, asked: GrepSearch, globs: tuple[str, ...], seconds: float) -> str:
    with ripgrep((*_ALWAYS, "--files", *globs, "--", "./"), root, seconds) as lines:
        if next(lines, None) is None:
            return f"No files found matching pattern: {strip_line(asked.file_pattern)}"
    return f"No matches found for pattern: {strip_line(asked.query)}"


def _refused(complaint: str) -> str:
    """rg's own words, without its advice on options that are not offered."""
    told = [line for line in complaint.splitlines() if line.startswith(("error:", "rg:"))][-1:]
    reason = strip_line(re.sub(r"^(rg|error): ", "", "".join(told)))
    if reason.startswith("error parsing glob"):
        return f"Invalid file_pattern: {reason.removeprefix('error parsing glob ').replace('**/', '', 1)}"
    return f"Invalid regex pattern: {reason}"


def _page(asked: GrepSearch, files: list[_File], more: bool) -> str:
    count = sum(len(file.matches) for file in files)
    context = min(asked.context_lines, MOST_CONTEXT)
    parts = [f"Found {count} matches for '{strip_line(asked.query)}':"]
    parts += [f"{strip_line(file.path)}:\n" + "\n\n".join(_blocks(file, context)) for file in files]
    if more:
        parts.append(f"... (results truncated at {MOST_MATCHES} matches)")
    return "\n\n".join(parts)


def _blocks(file: _File, context: int) -> Iterator[str]:
    """Neighbouring lines together; lines that belong to a match that is not shown are left out."""
    near = [n for n in sorted(file.lines) if any(abs(n - m) <= context for m in file.matches)]
    block: list[str] = []
    for place, number in enumerate(near):
        if place and number != near[place - 1] + 1:
            yield "\n".join(block)
            block = []
        mark = "  # <-- MATCH" if number in file.matches else ""
        block.append(f"{number:4d} {file.lines[number]}{mark}")
    yield "\n".join(block)
