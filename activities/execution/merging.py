"""Bringing what a step did beside others into branch and tree: three ways, or not at all."""

import asyncio
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from activities.execution.objects import Objects
from activities.execution.outcome import StepFailed
from activities.execution.repository import ActRepository, decoded
from activities.execution.snapshots import State
from activities.execution.worktree import Worktree
from activities.git import GitError
from activities.plain_text import strip_line

OLDEST_GIT = (2, 38)
"""the first git with `merge-tree --write-tree`"""
_NAMED = 5


@dataclass(frozen=True)
class Point:
    """A commit of the branch, and the snapshot that belongs to it."""

    head: str
    snapshot: str


async def can_merge(repository: ActRepository) -> bool:
    """Whether this git can merge without a worktree."""
    return merges(await repository.line("version"))


def merges(version: str) -> bool:
    """Whether the git that says this, such as `git version 2.39.5`, can merge without a worktree."""
    words = version.split()
    numbers = words[2].split(".")[:2] if len(words) > 2 else []
    return tuple(int(n) for n in numbers if n.isdigit()) >= OLDEST_GIT


async def merged_head(repository: ActRepository, ours: str, theirs: str, when: datetime | None) -> str:
    """The branch with a step's commit on top. Raises StepFailed naming files and steps that conflict."""
    base = await _base(repository, ours, theirs)
    if base in (theirs, ours):
        return ours if base == theirs else theirs
    tree = await asyncio.to_thread(_side_by_side, repository, base, ours, theirs)
    try:
        tree = tree or await repository.line("merge-tree", "--write-tree", "--no-messages", ours, theirs)
    except GitError as error:
        if not error.stdout:
            raise
        raise await _conflict(repository, base, ours, theirs) from error
    if tree == await repository.tree_of(ours):
        return ours
    return await repository.commit(tree, repository.objects.message_of(theirs), (ours,), when)


async def merged_state(worktree: Worktree, ours: Point, theirs: Point, head: str) -> State:
    """The tree with what a step did to it. What git tracks is as in `head`; of the rest, the later wins."""
    repository, snapshots = worktree.repository, worktree.snapshots
    base = await _base(repository, ours.snapshot, theirs.snapshot)
    states = [await snapshots.read(each) for each in (base, ours.snapshot, theirs.snapshot)]
    files = await asyncio.to_thread(
        _merged_files,
        repository.objects,
        (states[0].files, states[2].files),
        (ours.head, head),
        states[1].files,
    )
    return State(files, _merged_rest(*(state.rest for state in states)))


def _merged_files(objects: Objects, step: tuple[str, str], branch: tuple[str, str], onto: str) -> str:
    changes = {change.path: change for change in objects.changes(*step)}
    changes |= {change.path: change for change in objects.changes(*branch)}
    gone = [change for change in changes.values() if not change.mode]
    there = [change for _, change in sorted(changes.items()) if change.mode]
    return objects.apply(onto, (*gone, *there))


def _side_by_side(repository: ActRepository, base: str, ours: str, theirs: str) -> str:
    """The tree with both changes in it where they are about different files; blank where git has to merge."""
    objects = repository.objects
    mine, others = (objects.changes(base, each) for each in (theirs, ours))
    touched = {change.path for change in others}
    folders = {folder for path in touched for folder in _above(path)}
    for change in mine:
        if change.path in touched or change.path in folders or touched.intersection(_above(change.path)):
            return ""
    return objects.apply(ours, mine)


def _above(path: bytes) -> list[bytes]:
    parts = path.split(b"/")
    return [b"/".join(parts[:n]) for n in range(1, len(parts))]


async def _base(repository: ActRepository, ours: str, theirs: str) -> str:
    return repository.objects.merge_base(ours, theirs)


async def _conflict(repository: ActRepository, base: str, ours: str, theirs: str) -> StepFailed:
    mine = decoded(await repository.run("diff-tree", "-r", "-z", "--no-renames", "--name-only", base, theirs))
    others = decoded(await repository.run("diff-tree", "-r", "-z", "--no-renames", "--name-only", base, ours))
    shared = sorted(set(mine) & set(others)) or sorted(mine)
    log = await repository.run("log", "--format=%s", f"{base}..{ours}", "--", *shared[:100])
    steps = [strip_line(line, 100) for line in log.decode("utf-8", "replace").splitlines()]
    files = ", ".join(strip_line(path) for path in shared[:_NAMED])
    return StepFailed(f"merge conflict in {files} with {'; '.join(steps[:_NAMED]) or 'another step'}")


def _merged_rest(base: str, ours: str, theirs: str) -> str:
    was, now, new = json.loads(base), json.loads(ours), json.loads(theirs)
    modes: dict[str, Any] = dict(now["modes"])
    for path in was["modes"].keys() | new["modes"].keys():
        if was["modes"].get(path) != new["modes"].get(path):
            modes.pop(path, None)
            modes |= {path: new["modes"][path]} if path in new["modes"] else {}
    empty = (set(now["empty"]) | set(new["empty"])) - (set(was["empty"]) - set(new["empty"]))
    return json.dumps({"empty": sorted(empty), "modes": modes}, indent=0)
