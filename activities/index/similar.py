"""Definitions that are made like another: what a new one could follow."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from activities.index.records import Role, Symbol
from activities.index.words import parts

if TYPE_CHECKING:
    from activities.index.model import Index

_BASE, _DECORATOR, _FOLDER, _FILE = 3.0, 2.0, 0.5, 0.5
_MOST_FILES = 200


def similar(index: Index, symbol: Symbol, limit: int) -> tuple[Symbol, ...]:
    """Symbols of the same language and kind that share bases, decorators or telling parts of the name, most
    in common first, ties by place."""
    scores: dict[Symbol, float] = {}
    for path, shared in _candidates(index, symbol).items():
        entry = index.files[path]
        if entry.language != index.files[symbol.path].language or entry.role is Role.GENERATED:
            continue
        near = _FILE * (path == symbol.path) + _FOLDER * (_folder(path) == _folder(symbol.path))
        for other in entry.symbols:
            common = _common(symbol, other, shared)
            if common and other.kind is symbol.kind and other != symbol:
                scores[other] = common + near
    order = sorted(scores, key=lambda s: (-round(scores[s], 6), s.path, s.line))
    return tuple(order[:limit])


def _candidates(index: Index, symbol: Symbol) -> dict[str, dict[str, float]]:
    """Files that define something with parts of the name, and what each part is worth: rare ones most."""
    paths = list(index.files)
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for part in dict.fromkeys(parts(symbol.name)):
        files = index.words.in_symbols(part)[0].tolist()
        for number in files[:_MOST_FILES]:
            found[paths[number]][part] = 1 / (1 + len(files)) ** 0.5
    for base in symbol.bases:
        for path in index.used_in(base.rsplit(".", 1)[-1])[:_MOST_FILES]:
            found[path].setdefault("", 0.0)
    found[symbol.path].setdefault("", 0.0)
    return found


def _common(symbol: Symbol, other: Symbol, shared: dict[str, float]) -> float:
    bases = _BASE * len(set(symbol.bases) & set(other.bases))
    decorators = _DECORATOR * len(_heads(symbol) & _heads(other))
    return bases + decorators + sum(shared.get(part, 0.0) for part in set(parts(other.name)))


def _heads(symbol: Symbol) -> set[str]:
    """Decorators without their arguments."""
    return {decorator.split("(", 1)[0] for decorator in symbol.decorators}


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
