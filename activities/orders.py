"""What the workflow hands to activities and gets back: references, never contents."""

from pydantic import Field

from states.artifacts.base import Piece
from states.ledger import LedgerEntry
from states.options import Criterion
from states.words import Phase
from states.workspace import WorkspaceRef


class PrepareOrder(Piece):
    """Open the repository at one commit and keep the task where later prompts find it."""

    job: str
    repository: str
    ref: str = "HEAD"
    refresh: bool = False
    task: str
    requirements: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()


class Prepared(Piece):
    """The workspace, and the digest of the stored task."""

    workspace: WorkspaceRef
    task_digest: str


class AnswerGiven(Piece):
    """A question with what was said about it. `by`: a person, `policy:<name>` or `best guess`."""

    question_id: str
    question: str
    text: str
    by: str


SHOWED = "Carrying out the plan before showed: "
"""begins those of the `changes` that nobody asked for: what was learnt in Act"""


class WorkOrder(Piece):
    """Everything that one phase's work depends on. Equal orders give equal artifacts."""

    job: str
    phase: Phase
    workspace: WorkspaceRef
    task_digest: str
    built_from: dict[Phase, str]
    answers: tuple[AnswerGiven, ...] = ()
    says: tuple[str, ...] = ()
    feedback: tuple[str, ...] = ()
    previous: str = ""
    changes: tuple[str, ...] = ()
    invalidated: tuple[str, ...] = ()
    partial: dict[Phase, str] = Field(default_factory=dict)
    option_count: int = 3
    """how many ways to implement are wanted"""
    ranking: dict[Criterion, float] = Field(default_factory=dict)
    brought: tuple[str, ...] = ()
    """digests of options that people brought along; in VALIDATION only of those that they mended since"""
    refine: tuple[str, ...] = ()
    """what people asked of the options at the VALIDATION gate, oldest first"""


class Handover(Piece):
    """A stored artifact. `summary` is one line for people."""

    digest: str
    size: int
    made_by: str
    summary: str
    brought: tuple[str, ...] = ()
    """after an edit that changed what people brought along: digests of that, as it is now"""


class LeftOut(Piece):
    """An option that is not there, and why."""

    name: str
    why: str


class JoinOrder(Piece):
    """Put drafted options into the artifact `base`. `options` are digests of stored options."""

    work: WorkOrder
    base: str
    options: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


class ReviewOrder(Piece):
    """Review the artifact `digest` of a phase against what it was built from.

    `work` is what the phase was asked for: the task, and what people and restarts said.
    """

    job: str
    phase: Phase
    workspace: WorkspaceRef
    digest: str
    built_from: dict[Phase, str]
    work: WorkOrder | None = None


class EditOrder(Piece):
    """A person's own version: `body` as sent, or `stored` when it lies in the store already."""

    job: str
    phase: Phase
    by: str
    built_from: dict[Phase, str]
    body: dict[str, object] | None = None
    stored: str = ""
    previous: str = ""
    """digest of the version that it replaces"""
    ranking: dict[Criterion, float] = Field(default_factory=dict)
    brought: tuple[str, ...] = ()
    """digests of options that people brought along, as they are now"""


class LedgerPage(Piece):
    """Ledger entries that move from the record to the store."""

    job: str
    entries: tuple[LedgerEntry, ...]


class LoadOrder(Piece):
    """Read a job's manifest."""

    job: str
