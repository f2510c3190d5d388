"""AI review without a model: the mechanical checks of `states.coherence`, named as such."""

from pathlib import Path

from activities.deterministic.edit_checks import unmet
from activities.index.model import Index
from activities.index.shelf import IndexShelf
from states.artifacts.base import Artifact
from states.coherence import Ground, review
from states.option_checks import options_of
from states.review import Finding, Review
from states.words import Phase, ReviewKind

MOST_WARNINGS = 20
"""changes that cannot be made as things are, told at once"""


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
        ground = ground_of(self._shelf.get(root, commit))
        found = review(phase, artifacts, ground, digests[phase], digests)
        if phase is not Phase.VALIDATION:
            return found
        # Warnings: commands and people may change a file before the step that needs it.
        told = [
            Finding(kind=ReviewKind.TECHNICAL, what=why, where=option.id, blocking=False)
            for option in options_of(artifacts[phase])
            for why in unmet(option, root)
        ]
        return found.model_copy(update={"findings": (*found.findings, *told[:MOST_WARNINGS])})


def ground_of(index: Index) -> Ground:
    """What exists at the commit of an index."""
    symbols = [symbol for path in index.files for symbol in index.symbols_in(path)]
    return Ground(
        paths=index.paths,
        symbols=frozenset(symbol.qualified for symbol in symbols),
        places=frozenset((symbol.path, symbol.qualified) for symbol in symbols),
        unread=frozenset(path for path, entry in index.files.items() if not entry.code or entry.skipped),
    )
