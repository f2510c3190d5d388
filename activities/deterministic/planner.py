"""DeterministicPlanner: the Planner that needs no model, no key and no network."""

from activities.brief import Brief
from activities.deterministic.clarification import clarify
from activities.deterministic.contracts import design
from activities.deterministic.discovery import discover
from activities.deterministic.implementation import plan
from activities.deterministic.validation import validate
from activities.index.model import Index
from activities.index.shelf import IndexShelf
from states.artifacts.clarification import ClarificationArtifact
from states.artifacts.contracts import ContractDesignArtifact
from states.artifacts.discovery import ContextDiscoveryArtifact
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.validation import ValidationArtifact


class DeterministicPlanner:
    """Reads what is there and marks what only a model or a person can decide. Safe for several threads."""

    def __init__(self, shelf: IndexShelf) -> None:
        self._shelf = shelf

    def discover(self, brief: Brief) -> ContextDiscoveryArtifact:
        """DISCOVERY: read the repository."""
        return discover(brief, self._index(brief))

    def clarify(self, brief: Brief) -> ClarificationArtifact:
        """CLARIFICATION: fold answers and messages into the requirements."""
        return clarify(brief)

    def design(self, brief: Brief) -> ContractDesignArtifact:
        """CONTRACTS: every interface that changes, as it is today."""
        return design(brief, self._index(brief))

    def plan(self, brief: Brief) -> ImplementationPlanArtifact:
        """IMPLEMENTATION_PLAN: file operations and self-contained subtasks."""
        return plan(brief, self._index(brief))

    def validate(self, brief: Brief) -> ValidationArtifact:
        """VALIDATION: what can be counted and compared."""
        return validate(brief, lambda: self._index(brief))

    def _index(self, brief: Brief) -> Index:
        return self._shelf.get(brief.root, brief.commit, brief.progress)
