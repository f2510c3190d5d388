"""Who imports a file, and which tests cover it."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from activities.index.records import FileEntry, Role

if TYPE_CHECKING:
    from activities.index.model import Index

_FACADES = frozenset({"__init__.py", "index.ts", "index.tsx", "index.js", "mod.rs", "lib.rs"})
_AFFIX = re.compile(r"^(test_|tests_|Test(?=[A-Z]))|([._-](test|tests|spec)|Tests?|Spec)$")
_MIN_NAME = 4


def importers(index: Index) -> dict[str, tuple[str, ...]]:
    """For every file those that import it, directly or by name through a package's front file."""
    found: dict[str, set[str]] = defaultdict(set)
    for entry in index.files.values():
        for item in entry.imports:
            for target in item.paths:
                found[target].add(entry.path)
    direct = {path: sorted(users) for path, users in found.items()}
    for path, users in direct.items():
        if posixpath.basename(path) in _FACADES:
            exported = _exported(index.files[path])
            for user in users:
                for target in _through(index.files[user], path, exported):
                    found[target].add(user)
    return {path: tuple(sorted(users - {path})) for path, users in found.items()}


def _exported(front: FileEntry) -> dict[str, tuple[str, ...]]:
    names: dict[str, tuple[str, ...]] = {}
    for item in front.imports:
        for name in item.names:
            names[name] = item.paths
    return names


def _through(user: FileEntry, front: str, exported: dict[str, tuple[str, ...]]) -> set[str]:
    targets: set[str] = set()
    for item in user.imports:
        if front in item.paths:
            wanted = (
                item.names
                if item.names and "*" not in item.names
                else [n for n in exported if n in user.uses]
            )
            for name in wanted:
                targets.update(exported.get(name, ()))
    return targets


def tests_of(index: Index, path: str, limit: int) -> tuple[str, ...]:
    """Tests named after the file come first, then those that use most of its public symbols; without any, the
    tests of what imports it."""
    entry = index.files.get(path)
    if entry is None or entry.role is Role.TEST:
        return ()
    chosen = _direct(index, entry)
    if not chosen:  # fixtures and callers test it too
        users = [p for p in index.importers(path) if index.files[p].role is Role.SOURCE]
        around = Counter(test for user in users for test in _direct(index, index.files[user]))
        chosen = sorted(around, key=lambda t: (-around[t], t))
    return tuple(chosen[:limit])


def _direct(index: Index, entry: FileEntry) -> list[str]:
    shared = _shared_symbols(index, entry)
    named = {
        test
        for test in index.tests_named(subject(entry.path))
        if index.files[test].language == entry.language
    }
    chosen = {
        test for test in named | set(shared) if posixpath.basename(test) not in ("conftest.py", "__init__.py")
    }
    return sorted(chosen, key=lambda t: (t not in named, -shared.get(t, 0), t))


def _shared_symbols(index: Index, entry: FileEntry) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    importing = set(index.importers(entry.path))
    for symbol in entry.symbols:
        if symbol.private or len(symbol.name) < _MIN_NAME:
            continue
        alone = {(s.path, s.parent) for s in index.find(symbol.name)} == {(symbol.path, symbol.parent)}
        for user in index.used_in(symbol.name):
            if index.files[user].role is Role.TEST and (user in importing or (alone and not symbol.parent)):
                counts[user] += 1
    return counts


def subject(path: str) -> str:
    """What a file's name is about, without test affixes: `test_core.py`, `core_test.go`, `CoreTest.java`."""
    stem = posixpath.basename(path).rsplit(".", 1)[0]
    if stem in ("__init__", "index", "mod"):
        stem = posixpath.basename(posixpath.dirname(path))
    return _AFFIX.sub("", stem).lower().strip("_")
