"""Which texts hold a name: sorted names, each with the numbers of its texts, in flat arrays."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

_SPAN = 1 << 32
Numbers = NDArray[np.uint32]
Values = NDArray[np.uint8]


@dataclass(frozen=True)
class Postings:
    """`letters` are all names in UTF-8, one after the other in the order of their bytes; `starts` says where
    each begins, `bounds` where its texts and values begin. A value is one byte, whose meaning is its owner's.
    The arrays lie as they were read: opening costs nothing, a look-up is a binary search."""

    letters: bytes | memoryview
    starts: Numbers
    bounds: Numbers
    texts: Numbers
    values: Values

    def find(self, name: str) -> tuple[Numbers, Values]:
        """Texts that hold a name, ascending, with their values; empty for an unknown one."""
        wanted = name.encode("utf-8", "replace")
        place = bisect_left(range(len(self)), wanted, key=self._name)
        if place == len(self) or self._name(place) != wanted:
            return self.texts[:0], self.values[:0]
        first, last = self.bounds[place], self.bounds[place + 1]
        return self.texts[first:last], self.values[first:last]

    def names(self) -> list[bytes]:
        """All names in the order of their bytes."""
        whole, starts = bytes(self.letters), self.starts.tolist()
        return [whole[first:last] for first, last in pairwise(starts)]

    def sums(self, number: int) -> NDArray[np.int64]:
        """For each of `number` texts the sum of its values."""
        return np.bincount(self.texts, weights=self.values, minlength=number).astype(np.int64)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def _name(self, place: int) -> bytes:
        return bytes(self.letters[self.starts[place] : self.starts[place + 1]])


def collect(texts: Iterable[Mapping[str, int]]) -> Postings:
    """Postings of texts that are numbered as they come."""
    number: dict[str, int] = {}
    owners: list[int] = []
    values: list[int] = []
    lengths: list[int] = []
    for each in texts:
        owners += [number.setdefault(name, len(number)) for name in each]
        values += each.values()
        lengths.append(len(each))
    names = [name.encode("utf-8", "replace") for name in number]
    holders = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    return _arranged(names, np.array(owners, dtype=np.int64), holders, np.array(values, dtype=np.uint8))


Piece = tuple[Postings, NDArray[np.int64]]


def merge(pieces: Sequence[Piece]) -> Postings:
    """One out of several. With each comes what the numbers of its texts become, -1 for texts that are
    dropped. The result depends on what the texts hold alone, not on the pieces that they came in."""
    number: dict[bytes, int] = {}
    owners, holders, values = [], [], []
    for piece, becomes in pieces:
        names = piece.names()
        own = np.fromiter((number.setdefault(n, len(number)) for n in names), np.int64, len(names))
        texts = becomes[piece.texts]
        kept = texts >= 0
        owners.append(np.repeat(own, np.subtract(piece.bounds[1:], piece.bounds[:-1], dtype=np.int64))[kept])
        holders.append(texts[kept])
        values.append(piece.values[kept])
    if not pieces:
        return collect(())
    return _arranged(list(number), np.concatenate(owners), np.concatenate(holders), np.concatenate(values))


def _arranged(
    names: list[bytes], owners: NDArray[np.int64], holders: NDArray[np.int64], values: Values
) -> Postings:
    """Names sorted and those without texts dropped; the texts of each ascending."""
    counts = np.bincount(owners, minlength=len(names)) if len(names) else np.zeros(0, dtype=np.int64)
    used = counts.tolist()
    order = sorted((n for n in range(len(names)) if used[n]), key=names.__getitem__)
    place = np.zeros(len(names), dtype=np.int64)
    place[order] = np.arange(len(order))
    sorting = np.argsort(place[owners] * _SPAN + holders, kind="stable")
    kept = [names[n] for n in order]
    bounds = np.concatenate(([0], np.cumsum(counts[order]))) if order else np.zeros(1)
    return Postings(
        b"".join(kept),
        np.array([0, *accumulate(map(len, kept))], dtype=np.uint32),
        bounds.astype(np.uint32),
        holders[sorting].astype(np.uint32),
        values[sorting],
    )
