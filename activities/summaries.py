"""One line about an artifact, for the ledger and the progress line."""

from states.amounts import counted
from states.artifacts.base import Artifact
from states.artifacts.clarification import ClarificationArtifact
from states.artifacts.contracts import ContractDesignArtifact
from states.artifacts.discovery import ContextDiscoveryArtifact
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.validation import ValidationArtifact


def summary_of(artifact: Artifact) -> str:
    """What the artifact holds, in numbers."""
    match artifact:
        case ContextDiscoveryArtifact():
            understood = artifact.codebase_understanding
            text = _counts(
                (len(understood.relevant_files), "relevant file"),
                (len(artifact.extracted_context.existing_methods), "symbol"),
                (len(artifact.ambiguities_discovered), "question"),
            )
        case ClarificationArtifact():
            text = _counts(
                (len(artifact.updated_requirements.requirements), "requirement"),
                (len(artifact.resolved_ambiguities), "answer"),
            )
        case ContractDesignArtifact():
            text = _counts(
                (len(artifact.method_contracts), "method contract"),
                (len(artifact.data_models), "data model"),
            )
        case ImplementationPlanArtifact():
            text = _counts(
                (len(artifact.subtasks), "subtask"),
                (len(artifact.file_operations), "file operation"),
                (len(artifact.test_plan.unit_tests), "test"),
            )
        case ValidationArtifact():
            text = _counts(
                (len(artifact.requirement_coverage), "requirement"),
                (len(artifact.risk_assessment), "risk"),
            )
        case _:
            text = type(artifact).__name__
    points = len(artifact.open_points)
    return f"{text}, {points} open" if points else text


def _counts(*pairs: tuple[int, str]) -> str:
    return ", ".join(counted(n, word) for n, word in pairs)
