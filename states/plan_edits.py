"""Which lines of which files a CooperBench plan edits, read from its text (CooperBench seed, Plan Format).

The text is a model's, so the reading is tolerant: markdown around labels, several spellings of lines. What
names a file and no lines is counted, not guessed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic import Field

from states.artifacts.base import Piece
from states.overlap import Range

MOST_EDITS = 500
"""of one plan; the rest is counted as not placed"""
END = 10_000_000.5
"""where text goes that is added at the end of a file, whose length a plan does not say"""

_LABEL = re.compile(
    r"^[\s>#*+-]*(?:\d+[.)]\s*)?[*_`]*(?P<name>[A-Za-z][A-Za-z ]{2,24}?)[*_`]*\s*:[*_`]*\s*(?P<text>.*)$"
)
_STEP = re.compile(r"^\s*#{1,6}\s|^\s*[*_]*step\s+\d+", re.I)
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_TICKED = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(r"[^\s`'\",;()\[\]{}<>|*]+")
_NUMBER = r"(?:L(?:ines?)?\s*)?(\d{1,7})"
_BETWEEN = re.compile(rf"\bbetween\s+(?:lines?\s+)?{_NUMBER}\s*(?:and|&|-|–|—)\s*{_NUMBER}", re.I)
_LINES = re.compile(
    r"(?P<where>\b(?:after|below|following|before|above|preceding)\s+(?:the\s+)?(?:existing\s+)?)?"
    r"\b(?:lines?|L)\s*:?\s*~?#?(?P<first>\d{1,7})(?:\s*(?:-|–|—|to|through|until|\.\.+)\s*(?:L|lines?\s*)?(?P<last>\d{1,7}))?"
    r"(?P<more>(?:\s*(?:,|and|&)\s*\d{1,7}(?:\s*(?:-|–|—|to)\s*\d{1,7})?)*)",
    re.I,
)
_BARE = re.compile(r"^\s*L?(\d{1,7})(?:\s*(?:-|–|—|to)\s*L?(\d{1,7}))?\s*(?:$|[(,;])")
_MORE = re.compile(r"(\d{1,7})(?:\s*(?:-|–|—|to)\s*(\d{1,7}))?")
_AFTER = ("after", "below", "following")
_ADDS = re.compile(r"\b(?:add|insert|append|prepend)", re.I)
_CREATES = re.compile(r"\b(?:create|new)\b", re.I)
_CHANGES = re.compile(r"\b(?:modif|replac|chang|updat|edit|remov|delet|rewrit|refactor|renam)", re.I)
_ATEND = re.compile(r"\b(?:end|bottom)\s+of\s+(?:the\s+)?(?:file|module)\b|\bappend\b", re.I)
_ATTOP = re.compile(r"\b(?:top|start|beginning)\s+of\s+(?:the\s+)?(?:file|module)\b", re.I)
_NOTHING = re.compile(r"^\W*(?:none|n/?a|nothing|new\b|empty)", re.I)


class PlanEdits(Piece):
    """Old-line ranges by file, as `states.overlap.conflicts` takes them."""

    edits: dict[str, tuple[Range, ...]] = Field(default_factory=dict)
    unplaced: int = 0
    """edits that name a file and no lines"""


@dataclass
class _Step:
    """What one step of a plan says, label by label."""

    files: list[str]
    said: dict[str, list[str]] = field(default_factory=dict)

    def text(self, *names: str) -> str:
        return " ; ".join(part for name in names for part in self.said.get(name, ()))


def plan_edits(plan: str) -> PlanEdits:
    """The edits of a plan. Never raises: a plan in another form has no edits."""
    edits: dict[str, list[Range]] = {}
    unplaced = count = 0
    for step in _steps(plan):
        ranges = _ranges(step)
        for path in step.files:
            count += len(ranges)
            if not ranges or count > MOST_EDITS:
                unplaced += 1
            else:
                edits.setdefault(path, []).extend(ranges)
    return PlanEdits(edits={path: tuple(found) for path, found in edits.items()}, unplaced=unplaced)


def _steps(plan: str) -> Iterator[_Step]:
    """Each `File:` with the labels that follow it, up to the next one or the next heading."""
    step: _Step | None = None
    last = ""
    fence = ""
    for line in plan.splitlines():
        if opened := _FENCE.match(line):
            if not fence:
                fence = opened[1]
            elif line.strip().startswith(fence[0] * len(fence)):
                fence = ""
            if step and last:
                step.said.setdefault(last, []).append("code")
            continue
        if fence:
            continue
        label = _LABEL.match(line)
        name = label["name"].strip().lower() if label else ""
        if label and name in ("file", "files", "file path", "path"):
            if step:
                yield step
            step, last = _Step(_paths(label["text"])), ""
        elif _STEP.match(line) and not (label and name == "location"):
            if step:
                yield step
            step, last = None, ""
        elif step and label:
            last = name
            step.said.setdefault(name, []).append(label["text"].strip())
        elif step and last and line.strip():
            step.said[last].append(line.strip())
    if step:
        yield step


def _paths(text: str) -> list[str]:
    """The paths that a `File:` line names: what stands in backticks, else its first word."""
    named = _TICKED.findall(text) or _PATH.findall(text)[:1]
    found = (re.sub(r":\d+(?:-\d+)?$", "", path.strip()).removeprefix("./").strip("/") for path in named)
    return list(dict.fromkeys(path for path in found if path and not path.isspace()))


def _ranges(step: _Step) -> list[Range]:
    where = step.text("location", "line", "lines", "position")
    action = step.text("action", "operation", "change")
    before = step.text("before code", "before", "old code", "existing code")
    adds = _adds(action, before)
    found = [*_between(where), *_placed(_BETWEEN.sub(" ", where), adds=adds)]
    if found:
        return found
    if _ATEND.search(where) and (adds or not action):
        return [(END, END)]
    if (_ATTOP.search(where) and adds) or _CREATES.search(action) or _CREATES.match(where):
        # As git has it: a new file is an insertion before its first line.
        return [(0.5, 0.5)]
    return []


def _adds(action: str, before: str) -> bool:
    """Whether a step only puts text in, so that lines name a place and not what is replaced."""
    if _CHANGES.search(action):
        return False
    return bool(_ADDS.search(action)) or bool(_CREATES.search(action)) or bool(_NOTHING.match(before))


def _between(text: str) -> Iterator[Range]:
    for found in _BETWEEN.finditer(text):
        low, high = sorted((int(found[1]), int(found[2])))
        yield (low + 0.5, high - 0.5) if high > low else (float(low), float(low))


def _placed(text: str, *, adds: bool) -> Iterator[Range]:
    """`Line 15`, `Lines 20-35`, `after line 9`, `lines 3, 7-8`; a bare `15-20` where that is all."""
    found = list(_LINES.finditer(text))
    for each in found:
        where = (each["where"] or "").split()[:1]
        yield _range(int(each["first"]), int(each["last"] or each["first"]), where, adds=adds)
        for first, last in _MORE.findall(each["more"]):
            yield _range(int(first), int(last or first), where, adds=adds)
    if not found and (bare := _BARE.match(text)):
        yield _range(int(bare[1]), int(bare[2] or bare[1]), [], adds=adds)


def _range(first: int, last: int, where: list[str], *, adds: bool) -> Range:
    low, high = sorted((first, last))
    if where:
        place = high + 0.5 if where[0].lower() in _AFTER else max(low - 0.5, 0.5)
        return place, place
    if adds:
        # Text for line n goes in between n-1 and n; a range is where it will stand, not what it replaces.
        place = max(low - 0.5, 0.5)
        return place, place
    return float(low), float(high)
