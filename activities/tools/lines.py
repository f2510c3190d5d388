"""Reads a few lines of a file of any size in little memory."""

import os
from dataclasses import dataclass

from activities.tools.errors import ToolError

LONGEST_LINE = 2_000
"""characters of a line that are shown"""
MOST_BYTES = 256 * 1024 * 1024
"""size of a file whose lines are still counted: a second's work"""
CUT = "... [truncated]"
_CHUNK = 1 << 20
_HEAD = 8_000


@dataclass(frozen=True)
class Span:
    """Lines `first` and following without their ends, and how many the whole file has. Text after the last
    newline is a line even when it is empty: 150 lines with a final newline are 151."""

    first: int
    lines: list[str]
    total: int


def read_span(descriptor: int, name: str, first: int, last: int, most: int) -> Span:
    """Lines `first` to `last`, 1-based and inclusive, as many of them as fit into `most` characters, but one.

    Invalid UTF-8 is replaced, long lines are cut. Raises ToolError for binary and for huge files.
    """
    size = os.fstat(descriptor).st_size
    if size > MOST_BYTES:
        raise ToolError(f"File {name} is too large to read ({size} bytes, at most {MOST_BYTES})")
    kept = {1: bytearray()} if first == 1 else {}
    number, seen = 1, 0
    while seen <= MOST_BYTES and (chunk := os.read(descriptor, _CHUNK)):
        if b"\0" in chunk[:_HEAD] and not seen:
            raise ToolError(f"File {name} is binary ({size} bytes)")
        seen += len(chunk)
        ends = chunk.count(b"\n")
        if number + ends >= first and number <= last:
            _keep(chunk, number, first, last, kept)
        number += ends
    return Span(first, _fitting([_text(kept[n]) for n in sorted(kept)], most), number)


def _keep(chunk: bytes, number: int, first: int, last: int, kept: dict[int, bytearray]) -> None:
    room = 4 * (LONGEST_LINE + 2)
    for place, piece in enumerate(chunk.split(b"\n"), number):
        if first <= place <= last:
            line = kept.setdefault(place, bytearray())
            line += piece[: room - len(line)]


def _text(line: bytearray) -> str:
    text = line.decode("utf-8", "replace").removesuffix("\r")
    return text if len(text) <= LONGEST_LINE else text[:LONGEST_LINE] + CUT


def _fitting(lines: list[str], most: int) -> list[str]:
    taken = 0
    for place, line in enumerate(lines):
        taken += len(line) + 6
        if taken > most and place:
            return lines[:place]
    return lines
