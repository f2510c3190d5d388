"""Which files a text is about: a weighted sum of what speaks for each.

The weights and their reasons are in `weights.py`, the signals in `evidence.py`; `rank` is all that the rest
knows of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from activities.index.evidence import gather
from activities.index.query import read_query
from activities.index.reasons import Reasons
from activities.index.records import Ranked
from activities.index.weights import WEIGHT, Signal

if TYPE_CHECKING:
    from activities.index.model import Index

_LEAST = 0.005
_EXPLAINED = 30
"""files whose words are told: it takes a look into each, and nobody is shown more"""


def rank(index: Index, query: str, limit: int) -> tuple[Ranked, ...]:
    """Files with a score above zero, best first. Scores compare within one query only."""
    evidence = gather(index, read_query(query))
    total = weighed(evidence.signals)
    order = sorted((p for p in total if total[p] > _LEAST), key=lambda p: (-total[p], p))[:limit]
    why = Reasons(index, query)
    ranked = []
    for place, path in enumerate(order):
        words = why.of(path) if place < _EXPLAINED else ()
        reasons = (*evidence.named.get(path, ()), *words, *evidence.pointed.get(path, ()))
        ranked.append(Ranked(path, total[path], reasons))
    return tuple(ranked)


def weighed(
    signals: Mapping[Signal, Mapping[str, float]], weight: Mapping[Signal, float] = WEIGHT
) -> dict[str, float]:
    """The score of every file that anything speaks for, to three digits: last bits of floats are noise."""
    total: dict[str, float] = defaultdict(float)
    for signal in Signal:
        for path, value in signals[signal].items():
            total[path] += weight[signal] * value
    return {path: round(score, 3) for path, score in total.items()}
