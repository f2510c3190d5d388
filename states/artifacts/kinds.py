"""Which artifact each phase hands over, and the envelope in which it is stored."""

from typing import Any

from states.artifacts.base import Artifact, Piece, canonical_json, digest_of
from states.artifacts.clarification import ClarificationArtifact
from states.artifacts.contracts import ContractDesignArtifact
from states.artifacts.discovery import ContextDiscoveryArtifact
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.validation import ValidationArtifact
from states.words import Phase

KIND: dict[Phase, type[Artifact]] = {
    Phase.DISCOVERY: ContextDiscoveryArtifact,
    Phase.CLARIFICATION: ClarificationArtifact,
    Phase.CONTRACTS: ContractDesignArtifact,
    Phase.IMPLEMENTATION_PLAN: ImplementationPlanArtifact,
    Phase.VALIDATION: ValidationArtifact,
}


class StoredArtifact(Piece):
    """An artifact with the digests it was built from, so that its own digest pins everything below it."""

    phase: Phase
    built_from: dict[Phase, str]
    body: dict[str, Any]

    @classmethod
    def wrap(cls, phase: Phase, artifact: Artifact, built_from: dict[Phase, str]) -> "StoredArtifact":
        """Put an artifact in its envelope."""
        return cls(phase=phase, built_from=dict(built_from), body=artifact.model_dump(mode="json"))

    def artifact(self) -> Artifact:
        """The typed artifact. Raises pydantic.ValidationError naming the field that does not fit."""
        return KIND[self.phase].model_validate(self.body)

    def canonical(self) -> bytes:
        """The bytes that are stored."""
        return canonical_json(self.model_dump(mode="json"))

    @property
    def digest(self) -> str:
        """sha256 of `canonical()`."""
        return digest_of(self.model_dump(mode="json"))
