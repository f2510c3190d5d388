"""Why a file is in a ranking, in words for people."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from activities.index.words import parts, query_terms, spoken

if TYPE_CHECKING:
    from activities.index.model import Index

_WORDS, TOGETHER, TESTED = (
    "uses the task's words",
    "changes together with",
    "speaks of the task and covers it",
)
_SHOWN = 4
_SHOWN_SYMBOLS = 3


def is_weak(reason: str) -> bool:
    """Whether a reason holds for many files: everyday words, or what is said of other files."""
    return reason.startswith((_WORDS, TOGETHER)) or reason.endswith(TESTED)


class Reasons:
    """Explains files for one query. Words that stand in most paths explain nothing."""

    def __init__(self, index: Index, query: str) -> None:
        self._index = index
        self._terms = query_terms(query)
        self._words = spoken(query)
        self._everywhere = {t for t in self._terms if self._spread(t) > max(3, len(index.files) / 2)}

    def of(self, path: str) -> tuple[str, ...]:
        """What path, symbols and text have in common with the query."""
        entry = self._index.files[path]
        reasons = []
        in_path = [
            p for p in parts(posixpath.splitext(path)[0]) if p in self._terms and p not in self._everywhere
        ]
        if in_path:
            reasons.append(f"its path speaks of {self._listing(in_path)}")
        overlaps = [(len(self._terms.keys() & set(parts(s.name))), s) for s in entry.symbols if not s.private]
        close = sorted((pair for pair in overlaps if pair[0]), key=lambda pair: (-pair[0], pair[1].line))
        if close:
            names = dict.fromkeys(f"`{symbol.qualified}`" for _, symbol in close[:_SHOWN_SYMBOLS])
            reasons.append(f"defines {', '.join(names)}")
        counts = entry.terms
        common = [t for t in self._terms if t in counts]
        if common:
            common.sort(key=lambda t: (-min(counts[t], 9) * self._terms[t], t))
            reasons.append(f"{_WORDS} {self._listing(common)}")
        return tuple(reasons)

    def _spread(self, term: str) -> int:
        """How many paths speak of a term."""
        words = self._index.words
        return len({*words.in_names(term)[0].tolist(), *words.in_folders(term)[0].tolist()})

    def _listing(self, terms: list[str]) -> str:
        return ", ".join(list(dict.fromkeys(self._words.get(t, t) for t in terms))[:_SHOWN])
