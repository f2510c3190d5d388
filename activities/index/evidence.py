"""Everything that speaks for the files of a repository, signal by signal, for one query."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from activities.index import weights
from activities.index.mentions import Mentions
from activities.index.neighbours import Credit, changed_with, tested_by
from activities.index.passages import best_passage
from activities.index.query import Query
from activities.index.records import Role
from activities.index.weights import Signal
from activities.index.word_scores import Scores, WordScores, word_scores

if TYPE_CHECKING:
    from activities.index.model import Index

_KEPT = 300
"""files that are weighed, by words and by path; no one asks for more"""
_LOOKED_INTO = 40
"""files whose passages are compared: reading the symbols of a file takes about a millisecond"""
_HITS, _TESTS, _SHARPNESS = 10, 15, 3


@dataclass(frozen=True)
class Evidence:
    """`signals` give the files that they speak for, each between 0 and 1. `named` and `pointed` say why in
    words: what the task names, and what other files tell."""

    signals: Mapping[Signal, Mapping[str, float]]
    named: Mapping[str, list[str]]
    pointed: Mapping[str, list[str]]


def gather(index: Index, query: Query) -> Evidence:
    """Words first, then what is named, then what the files found so far point at."""
    paths = list(index.files)
    found = word_scores(index.words, query.terms)
    mentions = Mentions(index, query)
    signals: dict[Signal, Mapping[str, float]] = {signal: {} for signal in Signal}
    for signal, counts in mentions.counts.items():
        top = max(counts.values()) if signal is Signal.NAMED_PATH else 1 + max(counts.values())
        signals[signal] = {path: count / top for path, count in counts.items()}
    role = np.array([weights.ROLE[entry.role] for entry in index.files.values()])
    words = _shares(found.words * role)
    best = np.argsort(-words, kind="stable")
    in_path = _shares(found.paths * role)
    near = sorted({*best[:_KEPT].tolist(), *np.argsort(-in_path, kind="stable")[:_KEPT].tolist()})
    signals[Signal.WORDS] = {paths[n]: float(words[n]) for n in near if words[n]}
    signals[Signal.PATH] = {paths[n]: float(in_path[n]) for n in near if in_path[n]}
    signals[Signal.PASSAGE] = _passages(index, found, [paths[n] for n in best[:_LOOKED_INTO].tolist()])
    pointed: dict[str, list[str]] = defaultdict(list)
    for signal, credits in _around(index, signals, found).items():
        signals[signal] = {path: min(credit.value, 1.0) for path, credit in credits.items()}
        for path, credit in credits.items():
            pointed[path].append(credit.reason)
    signals[Signal.CHANGED] = {
        path: share * math.log1p(index.history.changes.get(path, 0)) / math.log1p(index.history.most)
        for path, share in signals[Signal.WORDS].items()
        if index.history.most
    }
    return Evidence(signals, mentions.reasons, pointed)


def _passages(index: Index, found: WordScores, paths: list[str]) -> dict[str, float]:
    scores = {
        path: best_passage(index.files[path], found.worth) * weights.ROLE[index.files[path].role]
        for path in paths
        if index.files[path].code
    }
    best = max(scores.values(), default=0.0) or 1.0
    return {path: score / best for path, score in scores.items()}


def _around(
    index: Index, signals: Mapping[Signal, Mapping[str, float]], found: WordScores
) -> dict[Signal, dict[str, Credit]]:
    """What the best files and the best tests point at."""
    strength: dict[str, float] = defaultdict(float)
    for signal, weight in ((Signal.WORDS, 1.0), (Signal.QUOTED, 0.5), (Signal.NAMED_PATH, 0.5)):
        for path, value in signals[signal].items():
            if index.files[path].role is Role.SOURCE:
                strength[path] += weight * value
    hits = sorted(strength, key=lambda p: (-round(strength[p], 6), p))[:_HITS]
    whole = sum(strength[p] ** _SHARPNESS for p in hits) or 1.0
    tests = np.array([e.role is Role.TEST and e.code for e in index.files.values()])
    matching = _shares(found.words * tests)
    paths = list(index.files)
    best = np.argsort(-matching, kind="stable")[:_TESTS].tolist()
    return {
        Signal.TOGETHER: changed_with(index, {p: strength[p] ** _SHARPNESS / whole for p in hits}),
        Signal.TESTED: tested_by(index, [(paths[n], float(matching[n]) ** 2) for n in best if matching[n]]),
    }


def _shares(scores: Scores) -> Scores:
    best = float(scores.max(initial=0.0))
    return scores / best if best else scores
