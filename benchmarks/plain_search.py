"""The search that finding must beat: BM25 over the code files of a commit, and nothing else."""

import heapq
import logging
import re
from collections.abc import Iterator
from pathlib import Path

from activities.index.languages import CODE, language_of, role_of, vendored
from activities.index.records import Role
from activities.index.tree import open_tree

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_PATH_WEIGHT = 10
_LARGEST = 1_000_000


class PlainSearch:
    """BM25 with bm25s as it comes. Tests, examples and what is no code are left out, as a person would."""

    def __init__(self, root: Path, commit: str) -> None:
        import bm25s  # numpy behind it takes a tenth of a second to import

        logging.getLogger("bm25s").setLevel(logging.WARNING)  # it asks for DEBUG by itself
        texts = dict(_sources(root, commit))
        self._paths = list(texts)
        self._engine = bm25s.BM25()
        corpus = [tokens(text) + tokens(path) * _PATH_WEIGHT for path, text in texts.items()]
        self._engine.index(corpus, show_progress=False)

    def rank(self, query: str, limit: int) -> tuple[str, ...]:
        """Paths, best first, ties by path."""
        known = [token for token in tokens(query) if token in self._engine.vocab_dict]
        scores = zip(self._engine.get_scores(known).tolist(), self._paths, strict=True)
        return tuple(path for _, path in heapq.nsmallest(limit, ((-score, path) for score, path in scores)))


def tokens(text: str) -> list[str]:
    """Words, identifiers split at case and underscores; a split one also whole."""
    found = []
    for word in _WORD.findall(text):
        parts = [part.lower() for part in _PART.findall(word)]
        found += parts
        if len(parts) > 1:
            found.append(word.lower())
    return found


def _sources(root: Path, commit: str) -> Iterator[tuple[str, str]]:
    tree = open_tree(root, commit)
    wanted = []
    for item in tree.list():
        language = language_of(item.path)
        plain = not item.skip and item.size <= _LARGEST and not vendored(item.path)
        if plain and language in CODE and role_of(item.path, language) is Role.SOURCE:
            wanted.append(item)
    for item, data in zip(wanted, tree.read(wanted), strict=True):
        yield item.path, data.decode("utf-8", "replace")
