"""Predicted merge conflicts in words: for the two agents, and for people."""

from collections.abc import Sequence

from states.overlap import Conflict, Range
from states.plan_edits import END

MOST = 20
"""overlaps that are told; the agents find the rest when they settle these"""

_TOLD = (
    "Your plan and the other agent's plan change the same lines, so that merging both would conflict:",
    "Settle with the other agent who changes what, then call agreement_reached again with your whole plan. "
    "Without a new plan the one that you handed over counts.",
)


def notice(overlaps: Sequence[Conflict], count: int, side: int) -> str:
    """What one agent is told, once; `side` is 0 for the first of the two. Its own lines come first."""
    rows = []
    for each in overlaps[:MOST]:
        mine, theirs = (each.range_a, each.range_b) if side == 0 else (each.range_b, each.range_a)
        rows.append(f"- {_plain(each.path)}: you {lines(mine)}, the other agent {lines(theirs)}")
    rows += [f"- and {count - len(rows)} more"] if count > len(rows) else []
    return "\n".join([_TOLD[0], *rows, "", _TOLD[1]])


def told(overlap: Conflict) -> str:
    """One line for people."""
    ours, theirs = lines(overlap.range_a), lines(overlap.range_b)
    return f"{_plain(overlap.path)}: agent 1 {ours}, agent 2 {theirs}"


def lines(where: Range) -> str:
    """A range of old lines: `lines 4-9`, `line 4`, `before line 15`."""
    first, last = where
    if first >= END:
        return "at the end"
    if first == last and first != int(first):
        return f"before line {int(first) + 1}"
    low, high = int(first + 0.5), int(last)
    return f"line {low}" if low >= high else f"lines {low}-{high}"


def _plain(path: str) -> str:
    """A path out of a plan, as one short line: the text of one model must not instruct the other."""
    return "".join(c if c.isprintable() else "?" for c in path[:200])
