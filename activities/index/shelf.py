"""A few indexes kept in memory, so that the phases and reviews of a job read a repository once."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from activities.index.build import open_index
from activities.index.cache import LIMIT
from activities.index.model import Index

KEPT = 4
"""indexes in memory; a worker's jobs rarely plan over more repositories at once"""


class IndexShelf:
    """The last few indexes by commit. Safe for the threads of a worker: each commit is read by one of them.
    `cache` is the folder that packs are kept in, in at most `limit` bytes."""

    def __init__(self, cache: Path | None, limit: int = LIMIT) -> None:
        self._cache, self._limit = cache, limit
        self._shelf: OrderedDict[str, Index] = OrderedDict()
        self._lock = threading.Lock()
        self._reading: dict[str, threading.Lock] = {}

    def get(self, root: Path, commit: str, progress: Callable[[str], None] = lambda _: None) -> Index:
        """The index of a commit, read from the checkout at `root` if it is not in memory."""
        with self._lock:
            turn = self._reading.setdefault(commit, threading.Lock())
        with turn:
            with self._lock:
                if commit in self._shelf:
                    self._shelf.move_to_end(commit)
                    return self._shelf[commit]
            index = open_index(root, commit, self._cache, progress, self._limit)
            with self._lock:
                self._shelf[commit] = index
                while len(self._shelf) > KEPT:
                    oldest, _ = self._shelf.popitem(last=False)
                    self._reading.pop(oldest, None)
            return index
