"""One step with all that it says, as it is carried out; workflows only name it."""

from activities.execution_orders import CommandRules, ExecutionOrder
from states.artifacts.base import Piece
from states.artifacts.plan import PlanStep


class StepAtHand(Piece):
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
