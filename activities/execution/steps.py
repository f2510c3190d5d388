"""One step, whatever its type: carried out in a worktree that is exactly as the step finds it."""

import asyncio
import os
from pathlib import Path

from activities.execution.analysis import analyse
from activities.execution.checks import validate
from activities.execution.commands import Place, run_shell
from activities.execution.files import apply_changes
from activities.execution.outcome import Outcome, StepFailed
from activities.execution.testing import run_tests
from activities.index.shelf import IndexShelf
from activities.plain_text import strip_line
from states.artifacts.plan import PlanStep, StepType


def by_hand(step: PlanStep) -> bool:
    """Whether a person writes what the step is about."""
    return step.type is StepType.CODE_GENERATION and not step.files


async def perform(place: Place, indexes: IndexShelf, outcome: Outcome) -> None:
    """Do what a step says, and tell it to the outcome. Raises StepFailed; what it has changed by then is
    the caller's to undo."""
    step, root = place.order.step, place.worktree.path
    if why := not_needed(step, root):
        outcome.skipped = why
        return
    match step.type:
        case StepType.FILE_OPERATION | StepType.CODE_GENERATION:
            if not step.files and step.type is StepType.FILE_OPERATION:
                raise StepFailed("the step names no files to change")
            await asyncio.to_thread(apply_changes, root, step.files)
        case StepType.SHELL_COMMAND:
            ended = await run_shell(place, step.command, outcome)
            outcome.error = ended.error if ended else ""
        case StepType.TESTING:
            await run_tests(place, outcome)
        case StepType.VALIDATION:
            await validate(place, outcome)
        case StepType.CODE_ANALYSIS:
            await analyse(place, indexes, outcome)


def not_needed(step: PlanStep, root: Path) -> str:
    """Why a step is skipped where a path decides; blank when it runs. Other steps were looked at before."""
    condition = step.condition
    if condition is None or condition.path is None:
        return ""
    there = os.path.lexists(root / condition.path)
    if there is condition.exists:
        return ""
    return f"{strip_line(condition.path)} is {'there' if there else 'not there'}"
