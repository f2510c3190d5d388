"""AI review without a model: the mechanical checks of `states.coherence`, named as such."""

from pathlib import Path

from activities.index.model import Index
from activities.index.shelf import IndexShelf
from states.artifacts.base import Artifact
from states.coherence import Ground, review
from states.review import Review
from states.words import Phase


class MechanicalReviewer:
    """Checks an artifact against the repository and what it was built from."""

    def __init__(self, shelf: IndexShelf) -> None:
        self._shelf = shelf

    def review(
        self,
        phase: Phase,
        artifacts: dict[Phase, Artifact],
        digests: dict[Phase, str],
        root: Path,
        commit: str,
    ) -> Review:
        """Findings and facts about the artifact of `phase`."""
        return review(phase, artifacts, ground_of(self._shelf.get(root, commit)), digests[phase], digests)


def ground_of(index: Index) -> Ground:
    """What exists at the commit of an index."""
    symbols = [symbol for path in index.files for symbol in index.symbols_in(path)]
    return Ground(
        paths=index.paths,
        symbols=frozenset(symbol.qualified for symbol in symbols),
        places=frozenset((symbol.path, symbol.qualified) for symbol in symbols),
        unread=frozenset(path for path, entry in index.files.items() if not entry.code or entry.skipped),
    )
