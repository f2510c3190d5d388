"""What a task names outright: paths, definitions, and names that few files use."""

from __future__ import annotations

import math
import posixpath
from collections import defaultdict
from typing import TYPE_CHECKING

from activities.index.query import Query
from activities.index.records import Role, Symbol, SymbolKind
from activities.index.weights import Signal
from activities.index.words import IDENTIFIER, STOP_WORDS

if TYPE_CHECKING:
    from activities.index.model import Index

_SHORT = 25
"""words of a task that is all headline"""
_MOST_PLAIN, _MOST_USERS, _MOST_FENCED, _SHORTEST = 3, 6, 3, 4


class Mentions:
    """Per signal the files that a task names, each with its count and its reasons. What several files could
    be meant by counts less for each."""

    def __init__(self, index: Index, query: Query) -> None:
        self._index = index
        self.counts: dict[Signal, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        self.reasons: dict[str, list[str]] = defaultdict(list)
        named = query.named
        for name in named.paths:
            for path in paths_named(index, name):
                self._add(Signal.NAMED_PATH, path, 1, f"`{name}` is named in the task")
        for name in named.symbols:
            self._define(Signal.QUOTED if name in named.quoted else Signal.PROSE, name)
        for name in named.fenced:
            self._fence(name)
        for name in dict.fromkeys((*named.symbols, *named.fenced)):
            self._use(name.rsplit(".", 1)[-1])
        words = IDENTIFIER.findall(query.text)
        if len(words) > _SHORT:
            words = IDENTIFIER.findall(query.headline)
        for word in dict.fromkeys(words):
            if len(word) >= _SHORTEST and word.lower() not in STOP_WORDS and word not in named.symbols:
                self._call(word)

    def _add(self, signal: Signal, path: str, count: float, reason: str = "") -> None:
        if not self._index.files[path].skipped:
            self.counts[signal][path] += count
            if reason:
                self.reasons[path].append(reason)

    def _is_source(self, path: str) -> bool:
        return self._index.files[path].role is Role.SOURCE

    def _define(self, signal: Signal, name: str) -> None:
        found = symbols_named(self._index, name)
        sources = [s for s in found if self._is_source(s.path)] or found
        places = {s.path: s for s in reversed(sources)}
        for path, symbol in places.items():
            reason = f"defines `{symbol.qualified}`, named in the task"
            self._add(signal, path, 1 / math.sqrt(len(places)), reason)

    def _fence(self, name: str) -> None:
        places = {s.path: s for s in reversed(self._index.find(name)) if self._is_source(s.path)}
        for path, symbol in places.items() if len(places) <= _MOST_FENCED else ():
            if not symbol.private:
                reason = f"defines `{symbol.qualified}`, used in the task's code"
                self._add(Signal.FENCED, path, 1 / len(places), reason if len(places) == 1 else "")

    def _use(self, name: str) -> None:
        users = [path for path in self._index.used_in(name) if self._is_source(path)]
        for path in users if len(users) <= _MOST_USERS else ():
            self._add(Signal.USES, path, 1 / len(users))

    def _call(self, word: str) -> None:
        """An everyday-looking word that is exactly the name of a function, class or file."""
        symbols = (s for s in self._index.find(word) if not s.parent and s.kind is not SymbolKind.CONSTANT)
        defining = sorted({s.path for s in symbols if self._is_source(s.path)})
        called = [path for path in self._index.files_called(word.lower()) if self._is_source(path)]
        ways = (defining, f"defines `{word}`"), (called, f"is called `{word.lower()}`")
        for paths, reason in ways:
            for path in paths if len(paths) <= _MOST_PLAIN else ():
                self._add(Signal.PLAIN, path, 1 / math.sqrt(len(paths)), f"{reason}, a word of the task")


def symbols_named(index: Index, name: str) -> tuple[Symbol, ...]:
    """Definitions that a written name can mean: `a.b.C.d` is tried as `C.d`, then as `d` in a module `C`."""
    pieces = name.split(".")
    if len(pieces) == 1:
        return index.find(name)
    exact = index.find(".".join(pieces[-2:]))
    if exact:
        return exact
    inside = tuple(
        s
        for s in index.find(pieces[-1])
        if pieces[-2].lower() in posixpath.splitext(s.path)[0].lower().split("/")
    )
    return tuple(s for s in inside if not s.parent) or inside


def paths_named(index: Index, name: str) -> tuple[str, ...]:
    """Files that a written path can mean: itself, what ends with it, or the files directly in a folder."""
    if name in index.paths:
        return (name,)
    tail, folder = f"/{name}", f"{name}/"
    return tuple(
        path
        for path in index.files
        if path.endswith(tail) or (path.startswith(folder) and "/" not in path[len(folder) :])
    )
