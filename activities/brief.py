"""The Planner port: what a planner is given for a phase, and what it must hand over."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from activities.orders import SHOWED
from states.artifacts.base import Artifact
from states.artifacts.clarification import ClarificationArtifact
from states.artifacts.contracts import ContractDesignArtifact
from states.artifacts.discovery import ContextDiscoveryArtifact
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.plan import PlanOption
from states.artifacts.validation import ValidationArtifact
from states.options import Criterion
from states.words import Phase
from states.workspace import WorkspaceSource

A = TypeVar("A", bound=Artifact)


@dataclass(frozen=True)
class Answered:
    """A question with what was said about it. `by` is a person, `policy:<name>` or `best guess`."""

    question_id: str
    question: str
    text: str
    by: str


@dataclass(frozen=True)
class Brief:
    """Everything a planner may look at for one phase; equal briefs must give equal artifacts.

    `root` is a checkout of `commit` (read only by convention); `source` is `git` or `folder`.
    `upstream` holds the current artifacts of earlier phases, `digests` their digests. `feedback` is what
    reviewers and people asked to change, oldest first; `previous` is the refused version of this phase.
    `changes`, `invalidated` and `partial` come from a restart: new information, decisions that no longer
    hold, and invalidated artifacts that may be used as raw material. `option_count` ways to implement are
    wanted, ranked by `ranking`, beside those that people `brought`; `refine` is what people asked of them.
    """

    job: str
    task: str
    root: Path
    commit: str
    source: WorkspaceSource = WorkspaceSource.GIT
    requirements: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    upstream: dict[Phase, Artifact] = field(default_factory=dict)
    digests: dict[Phase, str] = field(default_factory=dict)
    answers: tuple[Answered, ...] = ()
    says: tuple[str, ...] = ()
    feedback: tuple[str, ...] = ()
    previous: Artifact | None = None
    changes: tuple[str, ...] = ()
    invalidated: tuple[str, ...] = ()
    partial: dict[Phase, Artifact] = field(default_factory=dict)
    option_count: int = 3
    ranking: dict[Criterion, float] = field(default_factory=dict)
    brought: tuple[PlanOption, ...] = ()
    refine: tuple[str, ...] = ()
    progress: Callable[[str], None] = lambda _: None

    def wanted_changes(self) -> tuple[str, ...]:
        """Those of the `changes` that somebody asked for, and not what carrying out a plan has shown."""
        return tuple(change for change in self.changes if not change.startswith(SHOWED))

    def found(self) -> ContextDiscoveryArtifact:
        """The DISCOVERY artifact. Raises LookupError when there is none."""
        return self._upstream(Phase.DISCOVERY, ContextDiscoveryArtifact)

    def clarified(self) -> ClarificationArtifact:
        """The CLARIFICATION artifact. Raises LookupError when there is none."""
        return self._upstream(Phase.CLARIFICATION, ClarificationArtifact)

    def designed(self) -> ContractDesignArtifact | None:
        """The CONTRACTS artifact, None when a simple task skipped the phase."""
        if Phase.CONTRACTS not in self.upstream:
            return None
        return self._upstream(Phase.CONTRACTS, ContractDesignArtifact)

    def planned(self) -> ImplementationPlanArtifact:
        """The IMPLEMENTATION_PLAN artifact. Raises LookupError when there is none."""
        return self._upstream(Phase.IMPLEMENTATION_PLAN, ImplementationPlanArtifact)

    def _upstream(self, phase: Phase, kind: type[A]) -> A:
        artifact = self.upstream.get(phase)
        if not isinstance(artifact, kind):
            raise LookupError(f"the brief of job {self.job} has no {phase.name} artifact")
        return artifact


class Planner(Protocol):
    """One way to plan. Methods are synchronous, run in a thread, and raise only for what cannot be done."""

    def discover(self, brief: Brief) -> ContextDiscoveryArtifact:
        """Read the repository; collect ambiguities without asking."""
        ...

    def clarify(self, brief: Brief) -> ClarificationArtifact:
        """Fold answers and free messages into the requirements."""
        ...

    def design(self, brief: Brief) -> ContractDesignArtifact:
        """Every interface that changes, and who relies on it."""
        ...

    def plan(self, brief: Brief) -> ImplementationPlanArtifact:
        """File operations and self-contained subtasks."""
        ...

    def validate(self, brief: Brief) -> ValidationArtifact:
        """Whether the plan holds together."""
        ...
