"""What ExecutionWorkflow hands to activities: references and one step at a time."""

from datetime import datetime

from pydantic import Field

from states.artifacts.base import Piece
from states.artifacts.plan import PlanStep
from states.execution import StepResult
from states.workspace import WorkspaceRef


class CommandRules(Piece):
    """Which commands run without asking, and within which limits."""

    allow: tuple[str, ...] = ()
    """beyond the default list of build and test tools; a trailing `*` stands for any further words"""
    approved: tuple[str, ...] = ()
    """exact commands that a person has allowed at an operator gate"""
    sandbox: bool = True
    """refuse to run commands where the machine offers no sandbox"""
    seconds: float = Field(default=600, gt=0)
    output_bytes: int = Field(default=20_000_000, gt=0)
    processes: int = Field(default=256, gt=0)
    memory_bytes: int = Field(default=4 * 1024**3, gt=0)
    visible: tuple[str, ...] = ()
    """absolute paths that commands may read in the sandbox besides the system's: tools below a home folder"""


class ExecutionOrder(Piece):
    """Prepare, look at, or leave the worktree of an execution."""

    job: str
    execution: str
    workspace: WorkspaceRef
    branch: str
    head: str
    snapshot: str = ""
    bundles: tuple[str, ...] = ()
    now: datetime | None = None
    """the workflow's time: the date of commits, so that a retry makes the same ones"""


class StepOrder(Piece):
    """Run one step from exactly this state of the tree."""

    at: ExecutionOrder
    step: PlanStep
    attempt: int
    rules: CommandRules = CommandRules()
    alone: bool = True
    """whether no other step runs at the same time; else the step has a tree of its own, and its result is
    not on the branch before `land_step` has merged it"""
    done_by: str = ""
    """the person who says that the code of a waiting step is written in the worktree"""


class LandOrder(Piece):
    """Merge what a step did in a tree of its own into branch and tree as they are `at` now.

    One at a time, in the order that the workflow chooses: its record of the branch is the only one.
    """

    at: ExecutionOrder
    step: PlanStep
    result: StepResult


class RollbackOrder(Piece):
    """Bring branch and tree back to an earlier state. `expected` is the branch as the job knows it."""

    at: ExecutionOrder
    commit: str
    snapshot: str
    expected: str


class Live(Piece):
    """How the step that runs is doing: the details of its heartbeats. `printed` is in bytes."""

    step: str
    tail: str = ""
    printed: int = 0
    seconds: float = 0.0


class Prepared(Piece):
    """The worktree of an execution."""

    path: str
    branch: str
    head: str
    snapshot: str
    bundle: str = ""
    sandbox: str = ""
    """what confines commands here; blank when nothing does"""
    parallel: bool = True
    """whether git is new enough (2.38) to merge steps that ran at the same time"""
    notes: tuple[str, ...] = ()


class Summary(Piece):
    """What an execution changed in all: `patch` is the digest of a patch that `git apply` takes."""

    patch: str
    files: tuple[str, ...]
    diffstat: str
