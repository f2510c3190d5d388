"""Bringing what a step did beside others into branch and tree: three ways, or not at all."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

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
    words = (await repository.line("version")).split()
    numbers = tuple(int(n) for n in words[2].split(".")[:2] if n.isdigit())
    return numbers >= OLDEST_GIT


async def merged_head(repository: ActRepository, ours: str, theirs: str, when: datetime | None) -> str:
    """The branch with a step's commit on top. Raises StepFailed naming files and steps that conflict."""
    base = await _base(repository, ours, theirs)
    if base in (theirs, ours):
        return ours if base == theirs else theirs
    try:
        tree = await repository.line("merge-tree", "--write-tree", "--no-messages", ours, theirs)
    except GitError as error:
        if not error.stdout:
            raise
        raise await _conflict(repository, base, ours, theirs) from error
    if tree == await repository.tree_of(ours):
        return ours
    message = (await repository.run("log", "-1", "--format=%B", theirs)).decode("utf-8", "replace").strip()
    return await repository.commit(tree, message, (ours,), when)


async def merged_state(worktree: Worktree, ours: Point, theirs: Point, head: str) -> State:
    """The tree with what a step did to it. What git tracks is as in `head`; of the rest, the later wins."""
    repository, snapshots = worktree.repository, worktree.snapshots
    base = await _base(repository, ours.snapshot, theirs.snapshot)
    states = [await snapshots.read(each) for each in (base, ours.snapshot, theirs.snapshot)]
    changes = await _changes(repository, states[0].files, states[2].files)
    changes |= await _changes(repository, f"{ours.head}^{{tree}}", f"{head}^{{tree}}")
    index = worktree.home / "merge-index"
    await repository.run("read-tree", states[1].files, index=index)
    lines = b"".join(b"%s\t%s\0" % (entry, path) for path, entry in sorted(changes.items()))
    await repository.run("update-index", "--replace", "-z", "--index-info", index=index, stdin=lines)
    files = (await repository.run("write-tree", index=index)).decode().strip()
    return State(files, _merged_rest(*(state.rest for state in states)))


async def _base(repository: ActRepository, ours: str, theirs: str) -> str:
    return await repository.line("merge-base", ours, theirs)


async def _changes(repository: ActRepository, old: str, new: str) -> dict[bytes, bytes]:
    """Path -> `mode object` in the new tree, mode 0 for what is gone."""
    raw = await repository.run("diff-tree", "-r", "-z", "--no-renames", "--raw", "--full-index", old, new)
    fields = raw.split(b"\0")
    found = {}
    for entry, path in zip(fields[0:-1:2], fields[1::2], strict=True):
        _, mode, _, blob, _ = entry.split(b" ")
        found[path] = b"0 " + b"0" * len(blob) if mode == b"000000" else mode + b" " + blob
    return found


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
