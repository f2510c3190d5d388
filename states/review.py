"""What a review says: findings, a verdict, and the facts that guards and policies need."""

from pydantic import Field

from states.artifacts.base import Piece, Text
from states.artifacts.plan import Complexity, Impact
from states.words import Level, ReviewKind


class Finding(Piece):
    """One thing a review found. `blocking` findings refuse the artifact; others are warnings."""

    kind: ReviewKind
    what: Text
    where: str = ""
    blocking: bool = True


class QuestionRef(Piece):
    """A question as the job remembers it; the full code context stays in the DISCOVERY artifact."""

    id: Text
    text: Text
    why: str = ""
    choices: tuple[str, ...] = ()
    recommended: str = ""
    critical: bool = True


class OptionFact(Piece):
    """An option as the job remembers it; the option itself is in the VALIDATION artifact.

    `rank` counts from 1, the best; `score` is what it is ranked by, 0 to 100; `risk` the level of its risks;
    `plan` the digest under which its plan alone is stored.
    """

    id: Text
    title: str = ""
    rank: int
    score: float
    complexity: Complexity
    confidence: float
    duration_minutes: float
    risk: Impact
    steps: int
    plan: str
    version: int = 1
    source: str = ""


class PhaseFacts(Piece):
    """What the guards and the named policies look at. Counted from the artifact, never from its claims."""

    files_affected: int = 0
    new_api: bool = False
    new_model: bool = False
    existing_pattern: bool = False
    follows_patterns: bool = False
    complexity: Level = Level.LOW
    high_risk: bool = False
    coverage: float = 1.0
    independence: float = 1.0
    confidence: float = 1.0
    sensitive: tuple[str, ...] = ()
    questions: tuple[QuestionRef, ...] = ()
    options: tuple[OptionFact, ...] = ()
    """of VALIDATION, best first"""


class Review(Piece):
    """The outcome of one AI review. `reviewer` says what reviewed: `mechanical checks` or a model's name."""

    digest: str
    findings: tuple[Finding, ...] = ()
    facts: PhaseFacts = Field(default_factory=PhaseFacts)
    reviewer: str = "mechanical checks"

    @property
    def approved(self) -> bool:
        """Whether nothing blocks."""
        return not any(f.blocking for f in self.findings)

    @property
    def kind(self) -> ReviewKind:
        """What the revision is about: the most upstream of the blocking findings."""
        kinds = [f.kind for f in self.findings if f.blocking]
        for kind in (ReviewKind.REQUIREMENT, ReviewKind.CONTRACT):
            if kind in kinds:
                return kind
        return ReviewKind.TECHNICAL


def judged(mechanical: Review, findings: tuple[Finding, ...], models: tuple[str, ...]) -> Review:
    """A mechanical review that a model has added to. It can only find more: counted facts stay."""
    names = ", ".join(f"model:{name}" for name in models)
    return mechanical.model_copy(
        update={
            "findings": (*mechanical.findings, *findings),
            "reviewer": f"{names} after {mechanical.reviewer}",
        }
    )
