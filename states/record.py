"""The job's memory: everything the workflow knows, and exactly what continue-as-new and the store carry.

References and facts only, never contents: a record stays small whatever the size of the repository.
"""

import re
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from states.act import ActNote, FormerAct
from states.agents import AgentCarry, AgentKind, AgentLimits, AgentNote, Usage
from states.artifacts.base import Piece, Text
from states.commands import CommandPolicy
from states.ledger import EntryKind, LedgerEntry, cut
from states.messages import RestartFrom
from states.models import Ladder, LadderByUse, ladder_for
from states.policy import MOST_OPTIONS, Policy
from states.review import Finding, PhaseFacts, QuestionRef
from states.words import ArtifactStatus, HoldKind, Mode, Phase, ReviewKind, State, Trigger
from states.workspace import WorkspaceRef

TASK_LIMIT = 100_000
"""characters of a task; larger material belongs in the repository"""
LEDGER_KEPT = 200
"""ledger entries kept in the record after continue-as-new; older ones move to the store"""


_HEADLINE = 80
"""characters of the line that stands for a job in lists"""


class JobSpec(BaseModel):
    """What a job is asked to do. People write it for `temporal workflow start`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    task: Text = Field(max_length=TASK_LIMIT)
    repository: Text = Field(max_length=4_000)
    ref: str = "HEAD"
    requirements: tuple[Text, ...] = Field(default=(), max_length=200)
    constraints: tuple[Text, ...] = Field(default=(), max_length=200)
    policy: Policy = Policy()
    model: Ladder = ()
    """the models that plan, the preferred one first; none: the planner without a model"""
    models: LadderByUse = Field(default_factory=dict)
    """other models for single phases and for `review`; `none` does without"""
    agents: AgentLimits = AgentLimits()
    act: bool = False
    """whether the plan is carried out as soon as it is verified and an option is selected"""
    commands: CommandPolicy = CommandPolicy()
    brought: tuple[str, ...] = Field(default=(), max_length=MOST_OPTIONS)
    """digests of stored options that are offered beside those that are drawn up"""
    submitted_by: str = Field(default="", max_length=200)
    title: str = Field(default="", max_length=200)

    def ladder(self, kind: AgentKind, phase: Phase) -> tuple[str, ...]:
        """The models that do this; empty where it is done without one."""
        return ladder_for(self.model, self.models, kind, phase)

    def shown_repository(self) -> str:
        """The repository for screens and indexes: printable, without what may be a password in a URL."""
        plain = "".join(c for c in self.repository if c.isprintable())
        return re.sub(r"(?<=://)[^/@]*@", "***@", plain)

    def headline(self) -> str:
        """The task in one short line."""
        line = cut(self.title or next(line for line in self.task.splitlines() if line.strip()))
        return line if len(line) <= _HEADLINE else f"{line[: _HEADLINE - 1].rstrip()}…"


class ArtifactRef(Piece):
    """A stored artifact as the job knows it. `accepted_by` is empty until its gate was passed."""

    phase: Phase
    version: int
    digest: str
    size: int = 0
    built_from: dict[Phase, str] = Field(default_factory=dict)
    made_by: str = ""
    summary: str = ""
    feedback: tuple[str, ...] = ()
    cost_usd: float | None = None
    at: datetime | None = None
    status: ArtifactStatus = ArtifactStatus.CURRENT
    accepted_by: tuple[str, ...] = ()


class Decision(Piece):
    """One person's approval of a gate, bound to the digest that was open when it was taken."""

    by: str
    at: datetime
    digest: str
    comment: str = ""


class Gate(Piece):
    """A place where a person decides. `against` is the digest that was refused before, for the diff."""

    id: str
    phase: Phase
    digest: str
    opened: datetime
    needed: int = 1
    decisions: tuple[Decision, ...] = ()
    findings: tuple[Finding, ...] = ()
    escalated: str = ""
    against: str = ""
    feedback: tuple[str, ...] = ()
    safeguards: tuple[str, ...] = ()
    step: str = ""
    """the step that waits, at an operator gate; `digest` is then that of `asks`"""
    asks: str = ""
    """the exact command to allow, or the code that a person writes"""
    by_hand: bool = False
    notes: tuple[str, ...] = ()


class QuestionState(Piece):
    """A question and the last thing said about it. `by` is empty while it is open."""

    ref: QuestionRef
    text: str = ""
    by: str = ""

    @property
    def open(self) -> bool:
        """Whether nobody answered yet."""
        return not self.by


class FeedbackNote(Piece):
    """What a reviewer or a person asked to change. `target` is the phase that works on it."""

    target: Phase
    kind: ReviewKind
    text: str
    by: str
    digest: str = ""


class RestartNote(Piece):
    """A restart as later prompts see it. `partial` maps a phase to an invalidated digest used as material."""

    phase: Phase
    trigger: str = ""
    changes: str = ""
    invalidated_decisions: tuple[str, ...] = ()
    partial: dict[Phase, str] = Field(default_factory=dict)
    by: str = ""
    learnt: tuple[str, ...] = ()
    """what carrying the old plan out showed"""


class Demand(Piece):
    """What a message asked of the loop and the loop has not fired yet. At most one waits at a time."""

    trigger: Trigger
    by: str
    text: str = ""
    restart: RestartFrom | None = None
    artifact: dict[str, Any] | str | None = None


class Hold(Piece):
    """Why a job stands still."""

    reason: str
    by: str
    kind: HoldKind = HoldKind.PERSON
    since: datetime | None = None
    agent: str = ""
    """the agent that could not go on, where that is why; other models may let it"""

    @model_validator(mode="before")
    @classmethod
    def _as_it_was_written(cls, value: Any) -> Any:
        """Records of the first release say `failed` where now the kind is named."""
        if isinstance(value, dict) and value.get("failed") and "kind" not in value:
            return {**value, "kind": HoldKind.FAILURE}
        return value


class Reply(Piece):
    """What a model replied to the message that `to` counts, from 1. Never a decision."""

    to: int
    text: str
    by: str


class Rest(Piece):
    """A conversation that can be gone on with: the next agent of the same work takes it over."""

    agent: str
    work: str
    """digest of the order that the agent works on"""
    carry: AgentCarry


class Selection(Piece):
    """The option that is to be carried out. `by` is a person or a named policy."""

    option: str
    by: str
    at: datetime
    digest: str
    """of the VALIDATION artifact that it was chosen from"""
    plan: str
    """digest under which its plan is stored"""


class Draft(Piece):
    """One option that an agent drafts. `name` is of the option that it refines, blank for a new one."""

    number: int
    name: str = ""
    option: str = ""
    """digest of the stored option, once it is handed over"""
    why: str = ""
    """why there is none, once that is settled"""
    rest: Rest | None = None

    @property
    def done(self) -> bool:
        """Whether nothing more comes."""
        return bool(self.option or self.why)


class Drafting(Piece):
    """Options that are being drafted for `base`, the artifact of the order with the digest `work`."""

    work: str
    base: ArtifactRef
    drafts: tuple[Draft, ...]


class Span(Piece):
    """Time spent in a phase's work and reviews, and waiting for people, in seconds."""

    working: float = 0.0
    waiting: float = 0.0


class JobRecord(BaseModel):
    """Everything a job remembers. Mutable; only `states.advance` and `states.receive` change it."""

    model_config = ConfigDict(extra="ignore")

    job: str
    spec: JobSpec
    state: State = State.DISCOVERY
    mode: Mode = Mode.NORMAL
    paused_from: Mode | None = None
    hold: Hold | None = None
    workspace: WorkspaceRef | None = None
    task_digest: str = ""
    artifacts: list[ArtifactRef] = Field(default_factory=list)
    facts: dict[Phase, PhaseFacts] = Field(default_factory=dict)
    findings: list[Finding] = Field(default_factory=list)
    gate: Gate | None = None
    gates_opened: dict[Phase, int] = Field(default_factory=dict)
    gates_closed: dict[str, str] = Field(default_factory=dict)
    """gate id -> how it ended, so that a late message can be told so"""
    refused: dict[Phase, str] = Field(default_factory=dict)
    questions: list[QuestionState] = Field(default_factory=list)
    says: list[str] = Field(default_factory=list)
    replies: list[Reply] = Field(default_factory=list)
    """what a model said to `says`"""
    follow_ups: int = 0
    """rounds of questions that a model asked after those of DISCOVERY"""
    finished: str = ""
    """who ended the dialogue, empty while it is open"""
    feedback: list[FeedbackNote] = Field(default_factory=list)
    restarts: list[RestartNote] = Field(default_factory=list)
    restarts_in_a_row: int = 0
    restarts_total: int = 0
    ai_revisions: dict[Phase, int] = Field(default_factory=dict)
    human_revisions: dict[Phase, int] = Field(default_factory=dict)
    mended: tuple[str, ...] = ()
    """digests of the options that people brought along, as they edited them since; none: as `spec.brought`"""
    selected: Selection | None = None
    stuck: str = ""
    """the digest that came back unchanged after a revision; a person decides instead of a loop"""
    demand: Demand | None = None
    act: ActNote | None = None
    """the execution of the selected plan, once there is one"""
    former: list[FormerAct] = Field(default_factory=list)
    """the last executions of plans that were given up, oldest first"""
    acts: int = 0
    """executions begun over the job's life"""
    operator_gates: int = 0
    skipped: list[Phase] = Field(default_factory=list)
    budget_usd: float | None = None
    budget_tokens: int | None = None
    agents: list[AgentNote] = Field(default_factory=list)
    rest: Rest | None = None
    drafting: Drafting | None = None
    started: datetime | None = None
    entered: datetime | None = None
    spans: dict[Phase, Span] = Field(default_factory=dict)
    open_until: datetime | None = None
    ledger: list[LedgerEntry] = Field(default_factory=list)
    ledger_count: int = 0
    ledger_pages: list[str] = Field(default_factory=list)

    def note(
        self,
        at: datetime,
        kind: EntryKind,
        what: object,
        *,
        who: str = "phasegate",
        why: object = "",
        digest: str = "",
    ) -> LedgerEntry:
        """Append to the ledger."""
        self.ledger_count += 1
        entry = LedgerEntry(
            n=self.ledger_count,
            at=at,
            kind=kind,
            what=cut(what),
            who=cut(who),
            why=cut(why),
            state=self.state.value,
            digest=digest,
        )
        self.ledger.append(entry)
        return entry

    def brought(self) -> tuple[str, ...]:
        """Digests of the options that people brought along, as they are now."""
        return self.mended or self.spec.brought

    def spent(self) -> Usage:
        """What all agents used so far."""
        return sum((agent.usage for agent in self.agents), Usage())

    def current(self, phase: Phase) -> ArtifactRef | None:
        """The artifact of a phase that the job stands on now."""
        for ref in reversed(self.artifacts):
            if ref.phase is phase and ref.status is ArtifactStatus.CURRENT:
                return ref
        return None

    def versions(self, phase: Phase) -> tuple[ArtifactRef, ...]:
        """All versions of a phase's artifact, oldest first."""
        return tuple(ref for ref in self.artifacts if ref.phase is phase)

    def replace(self, old: ArtifactRef, **changes: Any) -> None:
        """Change fields of one artifact reference."""
        self.artifacts[self.artifacts.index(old)] = old.model_copy(update=changes)

    def open_questions(self) -> list[QuestionState]:
        """Questions that nobody answered yet, in their order."""
        return [q for q in self.questions if q.open]
