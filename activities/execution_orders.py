"""What ExecutionWorkflow hands to activities: references and one step at a time."""

from pydantic import Field

from states.artifacts.base import Piece
from states.artifacts.plan import PlanStep
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


class ExecutionOrder(Piece):
    """Prepare, look at, or leave the worktree of an execution."""

    job: str
    execution: str
    workspace: WorkspaceRef
    branch: str
    head: str
    snapshot: str = ""
    bundles: tuple[str, ...] = ()


class StepOrder(Piece):
    """Run one step from exactly this state of the tree."""

    at: ExecutionOrder
    step: PlanStep
    attempt: int
    rules: CommandRules = CommandRules()
    alone: bool = True
    """whether no other step runs at the same time; else the step has a tree of its own, merged afterwards"""
    done_by: str = ""
    """the person who says that the code of a waiting step is written in the worktree"""


class RollbackOrder(Piece):
    """Bring branch and tree back to an earlier state. `expected` is the branch as the job knows it."""

    at: ExecutionOrder
    commit: str
    snapshot: str
    expected: str


class Prepared(Piece):
    """The worktree of an execution."""

    path: str
    branch: str
    head: str
    snapshot: str
    bundle: str = ""


class Summary(Piece):
    """What an execution changed in all: `patch` is the digest of a patch that `git apply` takes."""

    patch: str
    files: tuple[str, ...]
    diffstat: str
