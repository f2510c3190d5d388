"""The pieces that every rendering for people is made of: lines, lists, tables, code."""

import re
from collections.abc import Iterable, Sequence

from states.amounts import counted
from states.artifacts.base import Artifact, ModelDefinition, OpenPoint
from states.words import ModelStatus

CODE_LINES = 8
"""lines of code that are shown before the rest is folded away"""
MOST_ITEMS = 40
"""entries of a list that are shown before the rest is counted"""
_FENCES = re.compile(r"`{3,}")
_EXCERPT = re.compile(r"^--- lines (\d+)-(\d+) of \d+ ---$", re.M)


def line(text: str, limit: int = 0) -> str:
    """A text in one line, cut at `limit` characters when there is one."""
    joined = " ".join(text.split())
    return joined if not limit or len(joined) <= limit else joined[: limit - 1].rstrip() + "…"


def bullets(items: Iterable[str], full: bool = False, none: str = "") -> list[str]:
    """A list; past MOST_ITEMS it says how many more there are. `none` stands for an empty list."""
    found = [f"- {line(item)}" for item in items if item.strip()]
    if not found:
        return [none] if none else []
    if full or len(found) <= MOST_ITEMS:
        return found
    return [*found[:MOST_ITEMS], f"- and {len(found) - MOST_ITEMS} more"]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A markdown table whose columns line up in a terminal. Empty without rows."""
    cells = [[line(c).replace("|", "\\|") for c in row] for row in rows]
    if not cells:
        return []
    widths = [max(len(r[n]) for r in [list(head), *cells]) for n in range(len(head))]
    rule = ["-" * w for w in widths]
    return [
        "| " + " | ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)) + " |"
        for r in [head, rule, *cells]
    ]


def code(text: str, full: bool = False, most: int = CODE_LINES) -> list[str]:
    """A fenced block; its fence is longer than any inside. Long code is folded unless `full`."""
    lines = text.rstrip("\n").splitlines()
    fence = "`" * max(3, *(len(f) + 1 for f in _FENCES.findall(text)), 3)
    if full or len(lines) <= most + 2:
        return [fence, *lines, fence]
    return [fence, *lines[:most], f"... {counted(len(lines) - most, 'more line')}", fence]


def section(title: str, body: Sequence[str]) -> list[str]:
    """A heading with what stands under it; nothing when that is empty."""
    return [f"## {title}", "", *body, ""] if body else []


def points(open_points: Sequence[OpenPoint], full: bool) -> list[str]:
    """Open points, one per line."""
    return bullets((f"**{line(p.subject, 160)}**: {p.why}" for p in open_points), full)


def opening(title: str, artifact: Artifact, full: bool) -> list[str]:
    """How every artifact begins: what it is, who made it, which feedback it answers, what it leaves open."""
    quoted = [f"> {line(text)}" for text in artifact.feedback_answered]
    return [
        f"# {title}",
        "",
        f"Made by {artifact.made_by}.",
        "",
        *section("Feedback that this version answers", quoted),
        *undecided(artifact.open_points, full),
    ]


def undecided(open_points: Sequence[OpenPoint], full: bool) -> list[str]:
    """What is left to decide, under a heading; nothing where there is nothing."""
    return section(f"Open: {len(open_points)} to decide", points(open_points, full))


def models(found: Sequence[ModelDefinition]) -> list[str]:
    """Data models with their fields, one per line."""
    lines = []
    for model in found:
        fields = [
            f.name + (f": {f.type}" if f.type else "") + (f" = {f.default}" if f.default else "")
            for f in model.fields
        ]
        place = f" ({model.path}{f':{model.line}' if model.line else ''})" if model.path else ""
        status = "" if model.status is ModelStatus.EXISTING else f" [{model.status}]"
        lines.append(f"- `{model.name}`{place}{status}: {', '.join(fields) or 'no fields'}")
        lines += [f"  - {line(text)}" for text in (*model.relationships, *model.validation_rules)]
    return lines


def old_lines(context: str, first: float, last: float) -> str:
    """Lines of a file from its quoted code: the whole file, or excerpts with `--- lines a-b of n ---` heads.
    Blank when the quote does not hold them."""
    heads = list(_EXCERPT.finditer(context))
    if not heads or heads[0].start() > 0:
        return "\n".join(context.splitlines()[int(first) - 1 : int(last)]) if first >= 1 else ""
    for number, head in enumerate(heads):
        begin, end = int(head[1]), int(head[2])
        if begin <= first <= end:
            stop = heads[number + 1].start() if number + 1 < len(heads) else len(context)
            text = context[head.end() : stop].strip("\n").splitlines()
            return "\n".join(text[int(first) - begin : int(min(last, end)) - begin + 1])
    return ""
