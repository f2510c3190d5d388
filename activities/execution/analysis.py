"""Code analysis: what the execution has changed so far, in symbols, and who uses them."""

import asyncio
from collections.abc import Iterator

from activities.execution.checks import changed_files
from activities.execution.commands import Place, run_shell
from activities.execution.outcome import Outcome
from activities.index.model import Index
from activities.index.records import Symbol
from activities.index.shelf import IndexShelf
from activities.plain_text import strip_control
from states.amounts import counted
from states.execution import Metrics

_SYMBOLS = 200
_CALLERS = 12


async def analyse(place: Place, indexes: IndexShelf, outcome: Outcome) -> None:
    """Run the step's command, else report changed symbols; a removed one that is still used is a warning."""
    step, at = place.order.step, place.order.at
    if step.command:
        ended = await run_shell(place, step.command, outcome)
        outcome.error = ended.error if ended else ""
        return
    base = at.workspace.commit
    paths = await changed_files(place.worktree.repository, base, at.head)
    gone = await changed_files(place.worktree.repository, at.head, base)
    root = place.worktree.path
    before = await asyncio.to_thread(indexes.get, root, base)
    now = await asyncio.to_thread(indexes.get, root, at.head)
    lines = await asyncio.to_thread(lambda: list(_report(before, now, sorted({*paths, *gone}))))
    missed = [line for line in lines if line.startswith(_MISSED)]
    outcome.output = strip_control("\n".join(lines) + "\n").encode("utf-8", "replace")
    outcome.tail = strip_control("\n".join(lines[:60]))
    outcome.notes += [strip_control(line) for line in missed[:10]]
    outcome.metrics += Metrics(warnings=len(missed))


_MISSED = "removed but still used:"


def _report(before: Index, now: Index, paths: list[str]) -> Iterator[str]:
    yield f"{counted(len(paths), 'file')} changed"
    count = 0
    for path in paths:
        old = {symbol.qualified: symbol for symbol in before.symbols_in(path)}
        new = {symbol.qualified: symbol for symbol in now.symbols_in(path)}
        for name in sorted(old.keys() | new.keys()):
            told = list(_change(before, now, old.get(name), new.get(name)))
            count += bool(told)
            if count > _SYMBOLS:
                yield f"... (first {_SYMBOLS} changed symbols)"
                return
            yield from told


def _change(before: Index, now: Index, old: Symbol | None, new: Symbol | None) -> Iterator[str]:
    if old is None and new is not None:
        yield f"added: {new.place}: {new.signature}"
    elif new is None and old is not None:
        used = [] if now.find(old.name) else list(now.used_in(old.name))
        yield f"{_MISSED} {old.place} {old.qualified}, in {_some(used)}" if used else f"removed: {old.place}"
    elif old is not None and new is not None and _text(before, old) != _text(now, new):
        callers = [f"{use.path}:{use.line}" for use in now.callers(new)]
        yield f"changed: {new.place}: {new.signature}"
        if callers:
            yield f"  used at {_some(callers)}"


def _text(index: Index, symbol: Symbol) -> str:
    return index.lines(symbol.path, symbol.first, symbol.last)


def _some(places: list[str]) -> str:
    more = len(places) - _CALLERS
    return ", ".join(places[:_CALLERS]) + (f" and {more} more" if more > 0 else "")
