"""ClarificationArtifact: what people said about the ambiguities (Alfred seed, section 2)."""

from states.artifacts.base import Artifact, Piece, Text
from states.people import BEST_GUESS, is_policy


class ResolvedAmbiguity(Piece):
    """`answered_by`: a person, `policy:<name>` or `best guess`; never a person who did not answer."""

    question_id: Text
    original_question: Text
    human_response: str
    clarification: Text
    answered_by: Text

    @property
    def guessed(self) -> bool:
        """Whether nobody answered and the recommended reading was taken."""
        return self.answered_by == BEST_GUESS or is_policy(self.answered_by)


class TaskRequirements(Piece):
    """The task after clarification. `requirements` is what the plan must cover, each in one sentence."""

    task: Text
    requirements: tuple[Text, ...] = ()
    constraints: tuple[str, ...] = ()


class ClarificationArtifact(Artifact):
    """The task, refined by dialogue."""

    resolved_ambiguities: tuple[ResolvedAmbiguity, ...] = ()
    updated_requirements: TaskRequirements
    domain_knowledge_gained: tuple[str, ...] = ()
