"""Which files a text is about: BM25 over words, plus what the text names outright.

This file is the only place that decides the order; `rank` is all that the rest knows of it.
"""

from __future__ import annotations

import math
import posixpath
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from activities.index.naming import Named, named_in
from activities.index.reasons import Reasons
from activities.index.records import FileEntry, Ranked, Role, Symbol, SymbolKind
from activities.index.search import WordIndex
from activities.index.words import IDENTIFIER, STOP_WORDS, query_terms

if TYPE_CHECKING:
    from activities.index.model import Index

_ROLE_WEIGHT = {
    Role.SOURCE: 1.0,
    Role.TEST: 0.4,
    Role.DOCS: 0.35,
    Role.EXAMPLE: 0.35,
    Role.CONFIG: 0.4,
    Role.GENERATED: 0.05,
}
_WORDS, _NAMED_PATH, _QUOTED, _PROSE, _FENCED = 10.0, 12.0, 6.0, 4.0, 0.6
_NAME_WEIGHT, _FOLDER_WEIGHT, _SYMBOL_WEIGHT = 6, 2, 2
_MAX_FENCED, _MAX_TERMS = 4, 400
_PLAIN, _PLAIN_WORDS, _PLAIN_PLACES = 4.0, 25, 3
_FRONT = 0.5
_K1, _B = 1.2, 0.6
_FRONTS = frozenset({"__init__.py", "index.ts", "index.js", "index.tsx"})


def rank(index: Index, query: str, limit: int) -> tuple[Ranked, ...]:
    """Files with a score above zero, best first. Scores compare within one query only."""
    named = named_in(query)
    terms = query_terms(query)
    scores = _word_scores(index, terms)
    direct, reasons = _named_scores(index, query, named)
    total: dict[str, float] = defaultdict(float)
    for path, score in scores.items():
        weight = _FRONT if _only_front(index.files[path]) else _ROLE_WEIGHT[index.files[path].role]
        total[path] += _WORDS * score * weight
    for path, score in direct.items():
        total[path] += score
    order = sorted((p for p in total if total[p] > 0.005), key=lambda p: (-round(total[p], 3), p))[:limit]
    why = Reasons(index, query)
    return tuple(Ranked(p, round(total[p], 3), (*reasons.get(p, ()), *why.of(p))) for p in order)


def _only_front(entry: FileEntry) -> bool:
    """Whether a file only passes on what others define."""
    return posixpath.basename(entry.path) in _FRONTS and all(
        s.kind is SymbolKind.CONSTANT for s in entry.symbols
    )


def _word_scores(index: Index, terms: dict[str, int]) -> dict[str, float]:
    """BM25 over the tables of the index, the best file has 1. Words of paths and symbols count more."""
    words, paths = index.words, list(index.files)
    wanted = sorted(terms, key=lambda t: (-terms[t], t))[:_MAX_TERMS]
    readable = words.lengths > 0
    if not readable.any() or not wanted:
        return {}
    counts = [_counts(words, term, len(paths)) for term in wanted]
    lengths = np.maximum(words.lengths, sum(counts) + 1.0)
    drag = _K1 * (1 - _B + _B * lengths / lengths[readable].mean())
    found = np.zeros(len(paths))
    for term, count in zip(wanted, counts, strict=True):
        count = np.where(readable, count, 0)
        holding = np.count_nonzero(count)
        rarity = math.log(1 + (np.count_nonzero(readable) - holding + 0.5) / (holding + 0.5))
        found += min(terms[term], 3) * rarity * count / (count + drag)
    best = found.max() or 1.0
    return {paths[n]: float(found[n] / best) for n in np.flatnonzero(found).tolist()}


def _counts(words: WordIndex, term: str, number: int) -> NDArray[np.float32]:
    """How much each file holds of a term."""
    total = np.zeros(number, dtype=np.float32)
    ways = (words.in_text, 1), (words.in_names, _NAME_WEIGHT), (words.in_folders, _FOLDER_WEIGHT)
    for find, weight in (*ways, (words.in_symbols, _SYMBOL_WEIGHT)):
        files, times = find(term)
        total[files] += weight * times
    return total


def _named_scores(index: Index, query: str, named: Named) -> tuple[dict[str, float], dict[str, list[str]]]:
    scores: dict[str, float] = defaultdict(float)
    reasons: dict[str, list[str]] = defaultdict(list)
    for name in named.paths:
        for path in paths_named(index, name):
            scores[path] += _NAMED_PATH
            reasons[path].append(f"`{name}` is named in the task")
    quoted = set(named.quoted)
    for name in named.symbols:
        _credit(index, name, _QUOTED if name in quoted else _PROSE, scores, reasons)
    words = IDENTIFIER.findall(query)
    for word in dict.fromkeys(words if len(words) <= _PLAIN_WORDS else ()):
        _credit_plain(index, word, named, scores, reasons)
    fenced: dict[str, int] = defaultdict(int)
    for name in named.fenced:
        found = [s for s in index.find(name) if index.files[s.path].role is Role.SOURCE]
        if len({s.path for s in found}) == 1 and not found[0].private and fenced[found[0].path] < _MAX_FENCED:
            fenced[found[0].path] += 1
            scores[found[0].path] += _FENCED
            reasons[found[0].path].append(f"defines `{found[0].qualified}`, used in the task's code")
    return dict(scores), dict(reasons)


def _credit(
    index: Index, name: str, worth: float, scores: dict[str, float], reasons: dict[str, list[str]]
) -> None:
    """A name that many files define points at none of them much."""
    found = symbols_named(index, name)
    sources = [s for s in found if index.files[s.path].role is Role.SOURCE] or found
    places = {s.path: s for s in reversed(sources)}
    for path, symbol in places.items():
        scores[path] += worth / math.sqrt(len(places))
        reasons[path].append(f"defines `{symbol.qualified}`, named in the task")


def _credit_plain(
    index: Index, word: str, named: Named, scores: dict[str, float], reasons: dict[str, list[str]]
) -> None:
    """An everyday-looking word of a short text that is exactly the name of a function, class or file."""
    if len(word) < 4 or word.lower() in STOP_WORDS or word in named.symbols:
        return
    found = {s.path for s in index.find(word) if not s.parent and s.kind is not SymbolKind.CONSTANT}
    files = {p for p in index.files_called(word.lower()) if index.files[p].role is Role.SOURCE}
    for paths, reason in ((found, f"defines `{word}`"), (files, f"is called `{word.lower()}`")):
        sources = sorted(p for p in paths if index.files[p].role is Role.SOURCE)
        if len(sources) <= _PLAIN_PLACES:
            for path in sources:
                scores[path] += _PLAIN / math.sqrt(len(sources))
                reasons[path].append(f"{reason}, a word of the task")


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
    return tuple(p for p in index.files if p.endswith(f"/{name}") or posixpath.dirname(p) == name)
