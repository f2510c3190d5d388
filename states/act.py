"""Act mode as a job knows it: which plan is carried out, how far it is, what waits for a person."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from states.amounts import counted
from states.artifacts.base import Piece
from states.execution import ExecutionStatus, Metrics, Progress

CANCELLED = "cancelled"
"""why an execution stopped that was cancelled by itself, and not by its job"""


class ActEnd(StrEnum):
    """Why an execution's workflow came to rest."""

    COMPLETED = "completed"
    FAILED = "failed"
    WAITING = "waiting"
    """nothing can go on before a person has allowed or written something"""
    STOPPED = "stopped"
    ROLLED_BACK = "rolled_back"
    BROKEN = "broken"
    """the machine's or the repository's trouble, in one sentence; the plan is not to blame"""


class StepAsk(Piece):
    """What one step waits for: the exact command to allow, or the code that a person writes."""

    step: str
    title: str = ""
    asks: str
    by_hand: bool = False
    notes: tuple[str, ...] = ()
    attempt: int = 0
    """which attempt of the step came to wait: the next one asks anew; 0 where nobody counted"""


class StepAnswer(Piece):
    """What was decided about one ask, and about no other. The step may go on unless it is refused."""

    ask: StepAsk
    done_by: str = ""
    """the person who says that its code is written"""
    refused: str = ""
    """who does not want it done, and why"""


class Report(Progress):
    """What an execution says of itself on its way."""

    asks: tuple[StepAsk, ...] | None = None
    """what waits for a person now, in the plan's order; None where that is not said"""


class StepLine(Piece):
    """One step as a list shows it.

    `seconds` are those of attempts that ended; what runs at this moment is in the heartbeats of its activity.
    """

    id: str
    title: str = ""
    type: str = ""
    status: str
    seconds: float | None = None
    attempts: int = 0
    error: str = ""
    why: str = ""
    commit: str = ""
    output: str = ""
    """digest of what it printed"""
    notes: tuple[str, ...] = ()
    """what people have to know of how it went, such as that its command may have run twice"""


class ActOutcome(Piece):
    """What an execution's workflow hands back: references, counts, and what people have to know."""

    end: ActEnd
    reason: str = ""
    kept: str = ""
    """digest of the stored execution"""
    head: str = ""
    progress: Progress | None = None
    metrics: Metrics = Metrics()
    steps: tuple[StepLine, ...] = ()
    asks: tuple[StepAsk, ...] = ()
    errors: tuple[str, ...] = ()
    path: str = ""
    """the worktree on the worker's machine"""
    sandbox: str = ""
    notes: tuple[str, ...] = ()
    patch: str = ""
    """digest of the whole patch, once there is nothing left to do"""
    diffstat: str = ""

    @property
    def why(self) -> str:
        """The reason, where it says more than how it ended."""
        return "" if self.reason == self.end else self.reason


class Undo(Piece):
    """A rollback that was asked for and has not happened yet. `to` is a step, blank for the start."""

    to: str
    by: str


class ActNote(Piece):
    """One execution of a job's plan. `id` is the id of its workflow too."""

    id: str
    option: str
    plan: str
    branch: str
    by: str
    started: datetime | None = None
    status: ExecutionStatus = ExecutionStatus.RUNNING
    running: bool = False
    """whether its workflow is at work now"""
    again: bool = False
    """whether steps that failed are to be tried again"""
    allowed: tuple[str, ...] = ()
    """exact commands that people have allowed"""
    done: dict[str, str] = Field(default_factory=dict)
    """step -> the person who says that its code is written"""
    learnt: tuple[str, ...] = ()
    """what went wrong when it last failed; models that write its code are told"""
    written: dict[str, str] = Field(default_factory=dict)
    """step -> digest of the changes that a model wrote for it"""
    ready: tuple[str, ...] = ()
    """steps that waited and may go on since"""
    refused: dict[str, str] = Field(default_factory=dict)
    """step -> who does not want it done, and why"""
    undo: Undo | None = None
    last: ActOutcome = ActOutcome(end=ActEnd.STOPPED)


class FormerAct(Piece):
    """An execution that a restart has left behind, whatever had come of it. Nothing of it is undone."""

    id: str
    option: str
    branch: str
    by: str = ""
    started: datetime | None = None
    left: datetime | None = None
    status: ExecutionStatus
    why: str = ""
    head: str = ""
    """the last commit of its branch; blank where nothing came onto it"""
    completed: int = 0
    steps: int = 0
    path: str = ""
    """the worktree on the worker's machine, in which later executions work"""
    kept: str = ""
    """digest of the stored execution"""
    patch: str = ""
    """digest of what it changed in all, where it had come to an end"""

    @property
    def ended(self) -> str:
        """`completed`, `failed: steps failed: test (...)`, `not finished, 2 of 5 steps`"""
        if self.status is ExecutionStatus.COMPLETED:
            return self.status
        how = self.status if self.status is ExecutionStatus.FAILED else "not finished"
        return (
            f"{how}, {self.completed} of {counted(self.steps, 'step')}{f': {self.why}' if self.why else ''}"
        )

    @property
    def where(self) -> str:
        """Where its commits are."""
        if not self.head:
            return "nothing of it came onto a branch"
        return f"its commits stay on branch {self.branch}, at {self.head[:12]}"
