"""Which files hold a word and how often, in flat arrays: what a ranking asks an index."""

import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from activities.index.pack import Pack
from activities.index.postings import Postings, collect
from activities.index.words import parts

Found = tuple[NDArray[np.int64], NDArray[np.int64]]
"""numbers of files, and how often each holds the word"""


class WordIndex:
    """Words, as `words.parts` gives them, by file. Files are numbered in the order of their paths, which is
    that of `Index.files`."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """For each file how many words its text has; 0 for files that were not read."""
        owner = np.array([file.text for file in self._pack.files], dtype=np.int64)
        sums = np.append(self._pack.tables["terms"].sums(len(self._pack.texts)), 0)  # -1 finds the 0
        return np.asarray(sums[owner])

    def in_text(self, word: str) -> Found:
        """Files whose text holds a word; what one file counts is at most 30."""
        return self._by_file(self._pack.tables["terms"], word)

    def in_symbols(self, word: str) -> Found:
        """Files that define something with the word in its name."""
        return self._by_file(self._pack.tables["titles"], word)

    def in_names(self, word: str) -> Found:
        """Files with the word in their name, endings left out."""
        return self._plain(self._names, word)

    def in_folders(self, word: str) -> Found:
        """Files with the word in the name of a folder around them."""
        return self._plain(self._folders, word)

    def paths(self, texts: Iterable[int]) -> list[str]:
        """The files that hold these texts, by path."""
        files = self._pack.files
        return [files[n].path for n in sorted(n for text in texts for n in self._holders[text])]

    def _by_file(self, table: Postings, word: str) -> Found:
        texts, counts = table.find(word)
        held = [self._holders[text] for text in texts.tolist()]
        files = np.array([file for each in held for file in each], dtype=np.int64)
        return files, np.repeat(counts.astype(np.int64), [len(each) for each in held])

    @staticmethod
    def _plain(table: Postings, word: str) -> Found:
        files, counts = table.find(word)
        return files.astype(np.int64), counts.astype(np.int64)

    @cached_property
    def _names(self) -> Postings:
        names = (posixpath.basename(file.path).rsplit(".", 1)[0] for file in self._pack.files)
        return collect(Counter(parts(name)) for name in names)

    @cached_property
    def _folders(self) -> Postings:
        return collect(Counter(parts(posixpath.dirname(file.path))) for file in self._pack.files)

    @cached_property
    def _holders(self) -> list[list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for number, file in enumerate(self._pack.files):
            found[file.text].append(number)
        return [found[text] for text in range(len(self._pack.texts))]
