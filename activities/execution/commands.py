"""A step's command, from the rules to its output: asked for, confined, run, remembered."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from activities.execution.allowed import why_ask
from activities.execution.at_hand import StepAtHand
from activities.execution.limits import MARK
from activities.execution.once import Once
from activities.execution.outcome import Outcome, StepFailed
from activities.execution.running import Ended, Running, environment_for, run_command
from activities.execution.sandbox import HOME, Sandbox, give_back, owner_of
from activities.execution.worktree import Worktree
from states.execution import Metrics

LONGEST = 100_000
"""bytes of a command; Linux takes 131,072 in one argument"""
RAN_BEFORE = "the worker was lost while this command ran, so it may have run before"
STOPPED_BEFORE = "this command was begun before and came to no result"


@dataclass(frozen=True)
class Place:
    """Where a step is carried out, and what is known about it."""

    worktree: Worktree
    order: StepAtHand
    once: Once
    sandbox: Sandbox | None
    shown: tuple[Path, ...] = ()
    """what commands may read of ours: the repository and the mirror whose objects it borrows"""
    running: Running = field(default_factory=Running)


async def run_shell(place: Place, command: str, outcome: Outcome) -> Ended | None:
    """Run a command with `/bin/sh -c`; None when a person has to allow it first. Fills in the outcome.

    Raises StepFailed for what no system could run.
    """
    rules, worktree = place.order.rules, place.worktree
    if not command.strip():
        raise StepFailed("the step names no command, and its action is words that are never run")
    if "\0" in command or len(command.encode("utf-8", "replace")) > LONGEST:
        raise StepFailed(f"a command has no NUL and at most {LONGEST:,} bytes; put what it does into a file")
    if why := why_ask(command, rules, confined=place.sandbox is not None):
        outcome.asks = command
        outcome.notes.append(f"a person has to allow this command: {why}")
        return None
    before = await place.once.begin()
    if before.lost or before.stopped:
        what = RAN_BEFORE if before.lost else STOPPED_BEFORE
        outcome.notes.append(f"{what}; the tree was put back first")
    if before.lost_now and place.sandbox is None:
        # Outside of the tree it may have done anything, and nothing of that was put back.
        await place.once.stopped()
        outcome.asks = command
        return None
    outcome.spool = worktree.home / "output"
    arguments, environment = await _confined(place, command)
    limits = rules.model_copy(update={"seconds": min(rules.seconds, place.order.step.timeout_seconds)})
    try:
        ended = await run_command(arguments, worktree.path, environment, limits, outcome.spool, place.running)
    finally:
        give_back(worktree.path)
    outcome.tail = place.running.tail
    outcome.metrics += Metrics(commands_executed=1)
    if place.sandbox is None:
        outcome.notes.append("the command ran without a sandbox")
    return ended


async def _confined(place: Place, command: str) -> tuple[list[str], Mapping[str, str]]:
    shell, tree = ["/bin/sh", "-c", command], place.worktree.path
    if place.sandbox is None:
        private = {name: place.worktree.home / name.lower() for name in ("HOME", "TMPDIR")}
        for folder in private.values():
            folder.mkdir(exist_ok=True)
        extra = {"TMPDIR": str(private["TMPDIR"]), MARK: str(tree)}
        return shell, environment_for(private["HOME"], extra)
    owner = owner_of(tree)
    if owner is not None:
        await asyncio.to_thread(_own, tree, owner)
    return place.sandbox.around(shell, tree, place.shown, place.order.rules), environment_for(HOME, {})


def _own(tree: Path, user: int) -> None:
    """Give a tree to the user that commands run as."""
    os.chown(tree, user, user)
    todo = [os.fspath(tree)]
    while todo:
        with os.scandir(todo.pop()) as entries:
            for entry in entries:
                if entry.stat(follow_symlinks=False).st_uid != user:
                    os.chown(entry.path, user, user, follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    todo.append(entry.path)
