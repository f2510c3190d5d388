"""Where the execution of a job lives on this machine, made ready from the mirror and the store."""

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

from activities.execution.bundles import take_bundles
from activities.execution.repository import BRANCH, HEAD, SNAPSHOT, ActRepository
from activities.execution.worktree import Memory, Worktree
from activities.execution_orders import ExecutionOrder
from activities.git import GitError
from activities.locks import locked
from activities.mirror import Mirror
from activities.repository import RepositoryUnusable
from activities.store import Store
from activities.workspace import Workspaces


class BranchMoved(Exception):
    """One sentence: the branch is not where the job left it, so somebody else has worked on it."""


@dataclass(frozen=True)
class Act:
    """The folders of one job: `<job>/act/tree` on the branch, `steps/<step>/tree` beside it, `git`."""

    home: Path
    repository: ActRepository
    branch: str
    memory: Memory

    @property
    def main(self) -> Worktree:
        """The worktree on the branch."""
        return Worktree(self.repository, self.home, "main", self.branch, self.memory)

    def of_step(self, step: str) -> Worktree:
        """The worktree of a step that runs beside others, or that a person writes."""
        plain = re.sub(r"[^A-Za-z0-9-]+", "-", step)[:30].strip("-")
        name = f"{plain or 'step'}-{hashlib.sha256(step.encode()).hexdigest()[:8]}"
        return Worktree(self.repository, self.home / "steps" / name, name, memory=self.memory)

    async def stand(self, at: ExecutionOrder, was: str = "") -> None:
        """Let the branch be where the job says. What it leaves behind is kept. Raises BranchMoved.

        `was` is where the job has left it: a rollback that is cut off has moved everything but the branch.
        """
        branch = f"{BRANCH}{self.branch}"
        refs = await self.repository.refs(branch, HEAD, SNAPSHOT)
        here, ours = refs.get(branch, ""), refs.get(HEAD, "")
        if here and here not in (ours, at.head, was):
            raise BranchMoved(
                f"branch {self.branch} has been moved by other hands: it is at {here[:12]}, and the job left "
                f"it at {(ours or at.head)[:12]}; keep that work on another branch, and move this one back "
                f"with `git --git-dir {self.repository.path} update-ref {branch} {ours or at.head}`"
            )
        if here and here != at.head:
            await self.repository.keep(here)
        if not here and (former := refs.get(SNAPSHOT)):
            await self.repository.keep(former)  # of an execution before, whose branch stays where it is
        if (here, ours, refs.get(SNAPSHOT)) != (at.head, at.head, at.snapshot):
            await self.move(at.head, at.snapshot)

    async def move(self, head: str, snapshot: str) -> None:
        """Move branch and snapshot. The branch comes last: ahead of what we say of it it would look moved."""
        await self.repository.move({SNAPSHOT: snapshot, HEAD: head, f"{BRANCH}{self.branch}": head})


@dataclass(frozen=True)
class Acts:
    """All executions of this machine."""

    store: Store
    workspaces: Workspaces
    memory: Memory = field(default_factory=Memory)

    async def open(self, at: ExecutionOrder) -> tuple[Act, ExecutionOrder]:
        """Have everything that an order names, on an empty disk too; gives it with its snapshot named.

        Raises RepositoryUnusable, BundleUnusable, GitError and what the store raises.
        """
        act = self.act(at)
        async with locked(act.home / "git.lock"):
            return act, await self.opened(act, at)

    async def opened(self, act: Act, at: ExecutionOrder) -> ExecutionOrder:
        """The same for whoever holds the lock."""
        await act.repository.make()
        base = at.workspace.commit
        await self._readable(act.repository, at)
        missing = await act.repository.missing(base, at.head, at.snapshot or base)
        if base in missing:
            await self.workspaces.checkout(at.job, at.workspace)
            await act.repository.make()  # what the mirror has learnt
        if not at.snapshot or at.snapshot in missing:
            first = await act.main.snapshots.first(base)
            at = at if at.snapshot else at.model_copy(update={"snapshot": first})
        if missing:
            await take_bundles(act.repository, self.store, at.bundles, (at.head, at.snapshot))
        return at

    def shown(self, act: Act) -> tuple[Path, ...]:
        """What commands may read of ours, so that git works in their worktree."""
        return act.repository.path, act.repository.alternate

    async def _readable(self, repository: ActRepository, at: ExecutionOrder) -> None:
        """Raises GitError where libgit2 would read an object for ever; RepositoryUnusable for the mirror."""
        if cut := await self.memory.whole.cut_off_again(repository.path):
            raise GitError("read", f"object {cut[:12]} is cut off")
        if cut := await self.memory.whole.cut_off_below(repository, at.workspace.commit):
            raise RepositoryUnusable(
                f"object {cut[:12]} in the copy of {at.workspace.repository} on this machine is cut off; "
                f"see `git fsck` there, then stop the worker, remove {repository.alternate}, and resume"
            )

    def act(self, at: ExecutionOrder) -> Act:
        """The folders of an order's job. Creates nothing."""
        home = self.workspaces.home(at.job) / "act"
        mirror = Mirror(self.workspaces.root, at.workspace.repository, at.workspace.source)
        return Act(home, ActRepository(home / "git", mirror.path), at.branch, self.memory)
