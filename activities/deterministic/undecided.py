"""What a CONTRACTS artifact leaves open, said so that a person or a model knows what to decide."""

import re
from collections.abc import Iterator, Sequence

from activities.deterministic.additions import Addition
from activities.deterministic.focus import Focus, Target
from activities.deterministic.wording import cut, joined, listed
from activities.index.records import Symbol
from states.amounts import counted
from states.artifacts.base import OpenPoint
from states.artifacts.contracts import MethodContract
from states.words import Operation

MOST_POINTS_PER_FILE = 5
_UNNAMED = re.compile(
    r"\b(?:add|create|introduce|provide|implement|write|define)s?\s+an?\s+(?:new\s+|helper\s+|separate\s+)?"
    r"(method|function|class|command|endpoint|route|model|table|exception|error)\s+(?:that|which|to|for|with)\b",
    re.I,
)
NOWHERE = OpenPoint(
    subject="where the change goes",
    why="no file of the repository matches the task; name one (with its path) in a revision",
)


def signatures(
    target: Target, contracts: Sequence[MethodContract], wanted: tuple[str, ...]
) -> Iterator[OpenPoint]:
    """Signatures that nobody said to change or to keep: one point each, or one for a file with many."""
    undecided = [m for m in contracts if m.signature == m.current]
    purpose = f" for: {joined(wanted, 160)}" if wanted else ""
    if len(undecided) > MOST_POINTS_PER_FILE:
        names = listed([f"`{m.qualified}`" for m in undecided], 12)
        yield OpenPoint(
            subject=target.path, why=f"decide which of {names} change their signature or body{purpose}"
        )
        return
    for method in undecided:
        used = f" ({counted(len(method.callers), 'place uses', 'places use')} it)" if method.callers else ""
        yield OpenPoint(
            subject=f"{method.path}: {method.qualified}",
            why=f"decide whether `{cut(method.current, 200)}` keeps its parameters and return value{used} "
            f"and what its body does differently{purpose}",
        )


def fields(target: Target, models: Sequence[Symbol]) -> Iterator[OpenPoint]:
    """Data structures whose fields may change."""
    if models:
        yield OpenPoint(
            subject=f"{target.path}: {listed([f'`{s.name}`' for s in models])}",
            why="decide whether fields are added, changed or left as they are",
        )


def place(target: Target, matched: bool) -> Iterator[OpenPoint]:
    """Where in a file the change goes when nothing of it matched, and whether a guessed file is right."""
    if target.operation is Operation.CREATE:
        yield OpenPoint(subject=target.path, why="the file is new; decide what it defines")
    elif target.operation is Operation.DELETE:
        yield OpenPoint(subject=target.path, why="the file goes; decide what replaces what others use of it")
    elif not matched and target.named:
        yield OpenPoint(
            subject=target.path,
            why=f"it changes ({listed(target.reasons, 3)}); decide where in it the change goes",
        )
    if not target.named:
        yield OpenPoint(
            subject=target.path,
            why=f"nobody named this file, but {listed(target.reasons, 2)}; confirm it or name another",
        )


def added(addition: Addition) -> Iterator[OpenPoint]:
    """What the text leaves open about a new name."""
    if not addition.signature:
        parts = ["its parameters and what it returns"]
    else:
        parts = [] if "->" in addition.signature else ["what it returns"]
    if not addition.certain:
        parts.append(f"whether {addition.path} is the place for it" if addition.path else "its file")
    if parts:
        yield OpenPoint(
            subject=f"new {addition.kind} `{addition.name}`",
            why=f'decide {" and ".join(parts)}; the text says: "{cut(addition.sentence, 200)}"',
        )


def unnamed(requirements: tuple[str, ...]) -> Iterator[OpenPoint]:
    """Things that a requirement wants added without giving them a name."""
    for text in requirements:
        for match in _UNNAMED.finditer(text):
            yield OpenPoint(
                subject=f"a new {match[1].lower()}, not named",
                why=f'decide its name, place, parameters and result; the text says: "{cut(text, 200)}"',
            )


def left_out(aim: Focus, path_to_rest: dict[str, list[str]], most: int) -> Iterator[OpenPoint]:
    """What the limits left out, and that nothing was found at all."""
    for path, rest in path_to_rest.items():
        if rest:
            yield OpenPoint(
                subject=path,
                why=f"{counted(len(rest), 'more symbol matches', 'more symbols match')} than the "
                f"{most} that contracts are written for "
                f"({listed(rest, 10)}); narrow the task, or plan them in a second job",
            )
    if aim.left:
        yield OpenPoint(
            subject="files",
            why=f"{counted(aim.left, 'more file matches', 'more files match')} than a plan can hold; "
            "narrow the task",
        )
    if not aim.targets:
        yield NOWHERE
