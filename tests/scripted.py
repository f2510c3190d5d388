"""A planner, a reviewer and a workspace that do what a test says, through the ports of the product.

Artifacts are small and valid, and differ with the answers, feedback and changes that they were made from.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from activities.brief import Brief
from activities.planning import PlanningActivities
from activities.store import Store, open_store
from activities.workspace import Workspace
from states.artifacts.base import Artifact
from states.artifacts.clarification import (
    ClarificationArtifact,
    ResolvedAmbiguity,
    TaskRequirements,
)
from states.artifacts.contracts import ContractDesignArtifact
from states.artifacts.discovery import ContextDiscoveryArtifact
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.validation import ValidationArtifact
from states.review import Finding, PhaseFacts, QuestionRef, Review
from states.words import Phase, ReviewKind
from states.workspace import WorkspaceRef

QUESTION = QuestionRef(
    id="q1",
    text="Which of the two services should change?",
    why="the wrong one would be changed",
    choices=("OAuth2Service", "LegacyAuthService", "both"),
    recommended="OAuth2Service",
)
SECOND = QuestionRef(id="q2", text="Should old sessions be kept?", choices=("yes", "no"), recommended="yes")

Hook = Callable[[Phase, Brief], None]


@dataclass
class ScriptedPlanner:
    """`before` is called in the middle of each phase's work; raise or wait there."""

    before: Hook = lambda _phase, _brief: None
    calls: list[Phase] = field(default_factory=list)

    def discover(self, brief: Brief) -> ContextDiscoveryArtifact:
        """DISCOVERY."""
        self._called(Phase.DISCOVERY, brief)
        return ContextDiscoveryArtifact(commit=brief.commit, conventions=_context(brief), **_common(brief))

    def clarify(self, brief: Brief) -> ClarificationArtifact:
        """CLARIFICATION."""
        self._called(Phase.CLARIFICATION, brief)
        return ClarificationArtifact(
            resolved_ambiguities=tuple(
                ResolvedAmbiguity(
                    question_id=a.question_id,
                    original_question=a.question,
                    human_response=a.text,
                    clarification=a.text or "nothing was said",
                    answered_by=a.by,
                )
                for a in brief.answers
            ),
            updated_requirements=TaskRequirements(task=brief.task, requirements=(brief.task,)),
            domain_knowledge_gained=(*brief.says, *_context(brief)),
            **_common(brief),
        )

    def design(self, brief: Brief) -> ContractDesignArtifact:
        """CONTRACTS."""
        self._called(Phase.CONTRACTS, brief)
        return ContractDesignArtifact(**_common(brief))

    def plan(self, brief: Brief) -> ImplementationPlanArtifact:
        """IMPLEMENTATION_PLAN."""
        self._called(Phase.IMPLEMENTATION_PLAN, brief)
        return ImplementationPlanArtifact(implementation_notes=_context(brief), **_common(brief))

    def validate(self, brief: Brief) -> ValidationArtifact:
        """VALIDATION."""
        self._called(Phase.VALIDATION, brief)
        return ValidationArtifact(
            plan_digest=brief.digests[Phase.IMPLEMENTATION_PLAN], warnings=_context(brief), **_common(brief)
        )

    def _called(self, phase: Phase, brief: Brief) -> None:
        self.calls.append(phase)
        self.before(phase, brief)


def _context(brief: Brief) -> tuple[str, ...]:
    return (
        *brief.changes,
        *(f"partial {p}" for p in brief.partial),
        *(f"not {d}" for d in brief.invalidated),
    )


def _common(brief: Brief) -> dict[str, tuple[str, ...]]:
    return {"feedback_answered": brief.feedback}


@dataclass
class ScriptedReviewer:
    """Approves, unless `verdicts` holds findings for the next reviews of a phase."""

    questions: tuple[QuestionRef, ...] = ()
    facts: dict[Phase, PhaseFacts] = field(default_factory=dict)
    verdicts: dict[Phase, list[ReviewKind]] = field(default_factory=dict)

    def review(
        self,
        phase: Phase,
        artifacts: dict[Phase, Artifact],
        digests: dict[Phase, str],
        root: Path,  # noqa: ARG002 the port's argument
        commit: str,  # noqa: ARG002 the port's argument
    ) -> Review:
        """The next scripted verdict, else approval."""
        assert artifacts
        waiting = self.verdicts.get(phase, [])
        findings = (Finding(kind=waiting.pop(0), what=f"the {phase} is not good enough"),) if waiting else ()
        facts = self.facts.get(phase, PhaseFacts(files_affected=5))
        if phase is Phase.DISCOVERY:
            facts = facts.model_copy(update={"questions": self.questions})
        return Review(digest=digests[phase], findings=findings, facts=facts, reviewer="scripted")


class NoWorkspaces:
    """A workspace without a repository."""

    async def open(self, job: str, repository: str, ref: str = "HEAD", refresh: bool = False) -> Workspace:
        """A fixed commit."""
        assert job
        assert refresh in (True, False)
        return Workspace(WorkspaceRef(repository=repository, ref=ref, commit="0" * 40, files=1), Path("."))

    async def checkout(self, job: str, workspace: WorkspaceRef) -> Path:
        """Nowhere."""
        assert job
        assert workspace
        return Path(".")


def scripted_activities(
    store: Store | str = "memory://",
    planner: ScriptedPlanner | None = None,
    reviewer: ScriptedReviewer | None = None,
) -> PlanningActivities:
    """The product's activities over scripted parts."""
    return PlanningActivities(
        store=open_store(store) if isinstance(store, str) else store,
        workspaces=NoWorkspaces(),
        planner=planner or ScriptedPlanner(),
        reviewer=reviewer or ScriptedReviewer(),
    )
