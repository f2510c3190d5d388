"""How close the best part of a file is to a query: a large file is not about everything that it holds."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import lru_cache

from activities.index.records import FileEntry, Symbol
from activities.index.words import parts, query_terms

_IN_NAME, _IN_PARENT, _IN_DOC, _IN_MEMBER = 3, 1, 1, 1
"""how many uses in the body a word in a symbol's name, its parent's, its doc line and its fields is worth"""
_K1, _B = 1.2, 0.4
_USUAL_LINES = 30
_MOST_USES = 50
_NESTED = 5


def best_passage(entry: FileEntry, worth: Mapping[str, float]) -> float:
    """The BM25 score of the best symbol of a file with its body; `worth` is what each word counts."""
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for number, symbol in enumerate(entry.symbols):
        if found := _in_head(symbol, worth):
            counts[number] = found
    spans = sorted((s.first, s.last, number) for number, s in enumerate(entry.symbols))
    starts = [first for first, _, _ in spans]
    for name, lines in entry.uses.items():
        known = [part for part in parts(name) if part in worth]
        for line in lines[:_MOST_USES] if known else ():
            around = _around(spans, bisect_right(starts, line) - 1, line)
            for part in known:
                counts[around][part] += 1
    return max((_score(entry, number, found, worth) for number, found in counts.items()), default=0.0)


def _in_head(symbol: Symbol, worth: Mapping[str, float]) -> Counter[str]:
    found: Counter[str] = Counter()
    texts = (
        (_IN_NAME, parts(symbol.name)),
        (_IN_PARENT, parts(symbol.parent)),
        (_IN_DOC, _doc_words(symbol.doc)),
    )
    for weight, words in (*texts, *((_IN_MEMBER, parts(m.name)) for m in symbol.members)):
        for word in words:
            if word in worth:
                found[word] += weight
    return found


@lru_cache(maxsize=50_000)
def _doc_words(doc: str) -> tuple[str, ...]:
    return tuple(query_terms(doc))


def _around(spans: list[tuple[int, int, int]], start: int, line: int) -> int:
    """The innermost of the symbols that begin before a line and hold it; -1 for the top level."""
    for place in range(start, max(start - _NESTED, -1), -1):
        if line <= spans[place][1]:
            return spans[place][2]
    return -1


def _score(entry: FileEntry, number: int, found: Mapping[str, int], worth: Mapping[str, float]) -> float:
    lines = entry.symbols[number].last - entry.symbols[number].first + 1 if number >= 0 else 1
    norm = _K1 * (1 - _B + _B * lines / _USUAL_LINES)
    return sum(worth[word] * times * (_K1 + 1) / (times + norm) for word, times in found.items())
