"""What ExecutionWorkflow is given, and what it hands to activities: references, and one step at a time."""

from datetime import datetime
from typing import Self

from pydantic import Field

from states.act import StepAnswer
from states.artifacts.base import Piece
from states.artifacts.plan import Plan
from states.commands import CommandPolicy
from states.execution import Execution, StepResult
from states.workspace import WorkspaceRef


class CommandRules(CommandPolicy):
    """Which commands run without asking, and within which limits."""

    approved: tuple[str, ...] = ()
    """exact commands that a person has allowed at an operator gate"""
    sandbox: bool = True
    """ask before a command runs where the machine offers no sandbox; the worker decides, not who orders"""
    visible: tuple[str, ...] = ()
    """absolute paths that commands may read in the sandbox besides the system's: tools below a home folder"""


class ActOrder(Piece):
    """Carry a plan out, go on with it, or roll it back."""

    job: str
    execution: str
    workspace: WorkspaceRef
    branch: str
    plan: str
    """digest of the stored plan"""
    option: str = ""
    kept: str = ""
    """digest of the stored execution to go on from; blank at the beginning"""
    rules: CommandRules = CommandRules()
    ready: tuple[str, ...] = ()
    """steps that waited for a person and may go on"""
    done: dict[str, str] = Field(default_factory=dict)
    """step -> the person who says that its code is written"""
    written: dict[str, str] = Field(default_factory=dict)
    """step -> digest of the changes that a model wrote for it"""
    refused: dict[str, str] = Field(default_factory=dict)
    """step -> why a person does not want it done; it fails with that"""
    again: bool = False
    """whether steps that failed are tried again"""
    back_to: str | None = None
    """roll back to this step, blank for the start, and do nothing else"""

    def answered(self, answer: StepAnswer) -> Self:
        """The same with what was decided since it was given."""
        ask = answer.ask
        if answer.refused:
            return self.model_copy(update={"refused": {**self.refused, ask.step: answer.refused}})
        ready = {"ready": (*self.ready, ask.step)}
        if ask.by_hand:
            return self.model_copy(update={**ready, "done": {**self.done, ask.step: answer.done_by}})
        approved = tuple(dict.fromkeys((*self.rules.approved, ask.asks)))
        return self.model_copy(
            update={**ready, "rules": self.rules.model_copy(update={"approved": approved})}
        )


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


class OpenOrder(Piece):
    """Read a stored plan, and the execution of it that is gone on with."""

    plan: str
    kept: str = ""


class Opened(Piece):
    """`plan` is an outline: ids, types, dependencies and conditions, without what the steps do."""

    plan: Plan
    execution: Execution | None = None


class StepOrder(Piece):
    """Run one step of a stored plan from exactly this state of the tree."""

    at: ExecutionOrder
    plan: str
    step: str
    attempt: int
    rules: CommandRules = CommandRules()
    alone: bool = True
    """whether no other step runs at the same time; else its result is landed by `land_step`"""
    done_by: str = ""
    """the person who says that the code of a waiting step is written in the worktree"""
    written: str = ""
    """digest of the changes that a model wrote for the step"""


class Landing(Piece):
    """What a step did in a tree of its own."""

    step: str
    result: StepResult


class LandOrder(Piece):
    """Merge what steps did in trees of their own into branch and tree as they are `at` now, in this order.

    One such order at a time: the workflow's record of the branch is the only one.
    """

    at: ExecutionOrder
    landings: tuple[Landing, ...]


class Landed(Piece):
    """The results of steps that were to land, in their order, as they are on the branch now."""

    results: tuple[StepResult, ...]


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
    sandbox: str = ""
    """what confines commands here; blank when nothing does"""
    parallel: bool = True
    """whether git is new enough (2.38) to merge steps that ran at the same time"""
    notes: tuple[str, ...] = ()


class Summary(Piece):
    """What an execution changed in all: `patch` is the digest of a patch that `git apply` takes, blank where
    it would be too large."""

    patch: str
    files: tuple[str, ...]
    diffstat: str
