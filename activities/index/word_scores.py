"""BM25 over the tables of an index: how much of a query's words each file holds."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from activities.index.search import WordIndex

_K1, _B = 1.2, 0.6
_IN_NAME, _IN_FOLDER, _IN_SYMBOL = 6, 2, 2
"""how many mentions in the text a word in a file's name, its folders and its symbols is worth"""
_PATH_K1, _NAME_IN_PATH = 1.2, 2

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class WordScores:
    """`words` and `paths` have one score for each file, in the order of `Index.files`; `worth` is what a use
    of each word of the query counts, by its weight and how rare it is. Files that were not read have 0."""

    words: Scores
    paths: Scores
    worth: Mapping[str, float]


def word_scores(tables: WordIndex, terms: Mapping[str, float]) -> WordScores:
    """Score all files for weighted words, given as `words.parts` writes them."""
    readable = tables.lengths > 0
    words, paths = np.zeros(len(readable)), np.zeros(len(readable))
    worth: dict[str, float] = {}
    number = int(np.count_nonzero(readable))
    if not number:
        return WordScores(words, paths, worth)
    drag = _K1 * (1 - _B + _B * tables.lengths / tables.lengths[readable].mean())
    for term, weight in terms.items():
        in_path = _count(len(words), tables.in_names(term), _NAME_IN_PATH)
        in_path += _count(len(words), tables.in_folders(term), 1)
        count = _count(len(words), tables.in_text(term), 1)
        count += _count(len(words), tables.in_names(term), _IN_NAME)
        count += _count(len(words), tables.in_folders(term), _IN_FOLDER)
        count += _count(len(words), tables.in_symbols(term), _IN_SYMBOL)
        count[~readable] = 0
        worth[term] = weight * _rarity(count, number)
        words += worth[term] * (_K1 + 1) * count / (count + drag)
        in_path[~readable] = 0
        if in_path.any():
            paths += weight * _rarity(in_path, number) * in_path / (in_path + _PATH_K1)
    return WordScores(words, paths, worth)


def _count(size: int, found: tuple[NDArray[np.int64], NDArray[np.int64]], weight: float) -> Scores:
    total = np.zeros(size)
    files, times = found
    total[files] = weight * times
    return total


def _rarity(count: Scores, number: int) -> float:
    holding = int(np.count_nonzero(count))
    return math.log(1 + (number - holding + 0.5) / (holding + 0.5))
