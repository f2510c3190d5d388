"""Where two plans would edit the same place: a predicted merge conflict (CooperBench seed, coop)."""

import posixpath
from collections.abc import Mapping, Sequence

from states.artifacts.base import Piece

TOUCHING = 0.5

Range = tuple[float, float]
Edits = Mapping[str, Sequence[Sequence[float]]]


class Conflict(Piece):
    """Two edits of one file that git would not merge; ranges are old-file lines, `a` of the first mapping."""

    path: str
    range_a: Range
    range_b: Range


def conflicts(edits_a: Edits, edits_b: Edits) -> tuple[Conflict, ...]:
    """The places where both sides edit the same or touching old lines; empty when there are none.

    Both arguments map a path to `[first, last]` pairs of old-file lines; an insertion between lines n-1
    and n is `[n-0.5, n-0.5]`. Touching is at most 0.5 apart. Ordered by path, then by line.
    Raises ValueError for a range that is not two numbers in order.
    """
    ours, theirs = _by_file(edits_a), _by_file(edits_b)
    return tuple(
        Conflict(path=path, range_a=a, range_b=b)
        for path in sorted(ours)
        for a in ours[path]
        for b in theirs.get(path, ())
        if touch(a, b)
    )


def touch(a: Range, b: Range) -> bool:
    """Whether two ranges overlap or are at most 0.5 lines apart."""
    return a[0] <= b[1] + TOUCHING and b[0] <= a[1] + TOUCHING


def checked_range(path: str, lines: Sequence[float]) -> Range:
    """A `[first, last]` pair as a tuple. Raises ValueError when it is not two numbers in order."""
    if len(lines) != 2 or not 0 <= lines[0] <= lines[1] < float("inf"):
        raise ValueError(
            f"line range {list(lines)} of {path[:120]!r} is not [first, last] with 0 <= first <= last"
        )
    return float(lines[0]), float(lines[1])


def _by_file(edits: Edits) -> dict[str, list[Range]]:
    """One entry per file, however the path was spelled, its ranges in order and without repeats."""
    ranges: dict[str, list[Range]] = {}
    for path, lines in edits.items():
        ranges.setdefault(posixpath.normpath(path), []).extend(checked_range(path, pair) for pair in lines)
    return {path: sorted(set(found)) for path, found in ranges.items()}
