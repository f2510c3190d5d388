"""One folder in which steps work: made, brought to a state, committed. Never the user's checkout."""

import asyncio
import os
import stat
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from activities.execution.listing import Listing, remove
from activities.execution.loose import Whole
from activities.execution.repository import BRANCH, ActRepository, encoded, have
from activities.execution.sandbox import give_back
from activities.execution.seen import Sight
from activities.execution.snapshots import Snapshots, State
from activities.git import GitError
from activities.locks import locked


@dataclass(frozen=True)
class Changed:
    """What a step has made of a folder; `leave_out` is a path that it made only to be read."""

    before: State
    after: State
    found: Listing
    leave_out: str = ""


_AT, _BUSY = "phasegate-at", "phasegate-busy"
MARKS = (_AT, _BUSY)
"""files that say of a worktree what it was brought to, and whether what changes in it is our own doing"""

AT_ONCE = 0.25
"""seconds after a step in which nobody else has changed its folder: the next one begins in that time"""


@dataclass(frozen=True)
class Memory:
    """What this process knows of snapshots, and of the folders that it has just left in order."""

    states: dict[str, State] = field(default_factory=dict)
    settled: dict[Path, tuple[str, float]] = field(default_factory=dict)
    sight: Sight = field(default_factory=Sight)
    whole: Whole = field(default_factory=Whole)
    untold: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    """what was put aside of others' work and nobody has heard of, as bringing the folder there failed"""

    def just_settled(self, path: Path, snapshot: str) -> bool:
        """Whether a folder was brought to this snapshot a moment ago."""
        at, when = self.settled.get(path, ("", 0.0))
        return at == snapshot and time.monotonic() - when < AT_ONCE and path.is_dir()

    def forget(self, repository: Path, home: Path) -> None:
        """The repository of the folders below `home` is another one now."""
        self.whole.forget(repository)
        for path in [each for each in (*self.settled, *self.sight.folders) if each.is_relative_to(home)]:
            self.settled.pop(path, None)
            self.sight.forget(path)


@dataclass(frozen=True)
class Worktree:
    """A worktree of the repository below `home`; `branch` is blank for one that is on no branch."""

    repository: ActRepository
    home: Path
    name: str
    branch: str = ""
    memory: Memory = field(default_factory=Memory)

    @property
    def path(self) -> Path:
        """The folder itself."""
        return self.home / "tree"

    @property
    def snapshots(self) -> Snapshots:
        """Snapshots of the whole folder."""
        clock = self._own / "phasegate-clock"
        return Snapshots(self.repository, self.path, clock, self.memory.states, self.memory.sight)

    @asynccontextmanager
    async def held(self) -> AsyncIterator["Worktree"]:
        """Keep others out. What a killed worker has left running on it is waited for."""
        async with locked(self.home / "lock") as lock:
            if self.path.is_dir() and any(self.path.iterdir()):
                self._own.mkdir(parents=True, exist_ok=True)  # else what others did here would be overwritten
            (self._own / "index.lock").unlink(missing_ok=True)
            git = replace(self.repository.git, keep_open=(lock,))
            yield replace(self, repository=replace(self.repository, git=git))

    def started(self) -> bool:
        """Whether there is anything here yet."""
        return self._own.is_dir() and self.path.is_dir()

    def begin(self) -> None:
        """From here on what changes in the folder is our own doing, until `settle`."""
        self.memory.settled.pop(self.path, None)
        self._busy.touch()

    def settle(self, snapshot: str) -> None:
        """The folder is as this snapshot says; what changes now is somebody's work."""
        (self._own / _AT).write_text(snapshot)
        self._busy.unlink(missing_ok=True)
        self.memory.settled[self.path] = (snapshot, time.monotonic())

    async def bring(self, head: str, snapshot: str) -> tuple[str, ...]:
        """Make the folder exactly a snapshot; gives notes on what of others' work was put aside."""
        if self.memory.just_settled(self.path, snapshot):
            return ()
        fresh = not self.started()
        self.mend(head)
        wanted = await self.snapshots.read(snapshot)
        put_aside = self.memory.untold.pop(self.path, ())
        if not fresh and not self._busy.exists():
            now, _ = await self.snapshots.look(wanted)
            if now == wanted:
                self.settle(snapshot)
                return put_aside
            put_aside += await self._put_aside(now)
        self.memory.untold[self.path] = put_aside
        self.begin()
        await self.snapshots.restore(wanted)
        self.settle(snapshot)
        return self.memory.untold.pop(self.path)

    async def commit(self, step: Changed, head: str, message: str, when: datetime | None) -> str:
        """Commit what git tracks, after `head`; gives `head` when that has not changed.

        Repositories inside are left out, and `leave_out` where git does not track it yet.
        """
        tree = await self._tree_of_changes(step, head) or await self._tree_of_all(step, head)
        if tree == await self.repository.tree_of(head):
            return head
        return await self.repository.commit(tree, message, (head,), when)

    async def _tree_of_changes(self, step: Changed, head: str) -> str:
        """The tree of `head` with what changed; blank where what git tracks may have changed as well."""
        objects = self.repository.objects
        changes = await asyncio.to_thread(objects.changes, step.before.files, step.after.files)
        if any(change.path.rpartition(b"/")[2] == b".gitignore" for change in changes):
            return ""
        apart = [f"{os.fspath(path)}/".encode("utf-8", "surrogateescape") for path in step.found.repositories]
        changes = [change for change in changes if not change.path.startswith(tuple(apart))]
        tracked = objects.there(head, (change.path for change in changes))
        new = [change.path for change in changes if change.mode and change.path not in tracked]
        unwanted = {*await self._ignored(new), *([os.fsencode(step.leave_out)] if step.leave_out else [])}
        kept = [c for c in changes if c.path in tracked or (c.mode and c.path not in unwanted)]
        return await asyncio.to_thread(objects.apply, head, kept)

    async def _ignored(self, paths: list[bytes]) -> set[bytes]:
        if not paths:
            return set()
        asked = b"".join(path + b"\0" for path in paths)
        try:
            told = await self._git("check-ignore", "--no-index", "-z", "--stdin", stdin=asked)
        except GitError as error:
            if error.stderr.strip():
                raise
            return set()  # its way to say that none is
        return set(told.split(b"\0"))

    async def _tree_of_all(self, step: Changed, head: str) -> str:
        """What `git add --all` makes of the folder."""
        found, leave_out = step.found, step.leave_out
        await self._git("read-tree", "--reset", head)
        # Git refuses to add what it would take for its own folder on other systems.
        left = [":(exclude,icase).git", *(f":(exclude,literal){path}" for path in found.repositories)]
        if leave_out and not await self._git("ls-files", "--", f":(literal){leave_out}"):
            left.append(f":(exclude,literal){leave_out}")
        await self._git(
            *("add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"), stdin=encoded([".", *left])
        )
        return await asyncio.to_thread(self.repository.objects.tree_in, self._own / "index")

    async def follow(self, head: str) -> None:
        """Show a new head as what is committed, for whoever runs `git status` here."""
        self.mend(head)
        await asyncio.to_thread(self.repository.objects.show_as_committed, head, self._own / "index")

    def mend(self, head: str) -> None:
        """Write what `git worktree add` writes, which commands may have removed or changed."""
        if self.path.is_symlink() or (self.path.exists() and not self.path.is_dir()):
            remove(self.path)
        self.path.mkdir(parents=True, exist_ok=True)
        self._own.mkdir(parents=True, exist_ok=True)
        have(self._own / "HEAD", f"ref: {BRANCH}{self.branch}\n" if self.branch else f"{head}\n")
        have(self._own / "commondir", "../..\n")
        have(self._own / "gitdir", f"{self.path / '.git'}\n")
        link, said = self.path / ".git", f"gitdir: {self._own}\n".encode()
        if not _says(link, said):
            remove(link)
            link.write_bytes(said)
        # A worker that was killed while a command ran has left the folder to the command's user.
        give_back(self.path)

    async def drop(self) -> None:
        """Remove the folder and what git knows of it."""
        self.memory.settled.pop(self.path, None)
        self.memory.sight.forget(self.path)
        for path in (self.path, self._own):
            if os.path.lexists(path):
                await asyncio.to_thread(remove, path)

    @property
    def _own(self) -> Path:
        return self.repository.path / "worktrees" / self.name

    @property
    def _busy(self) -> Path:
        return self._own / _BUSY

    async def _put_aside(self, now: State) -> tuple[str, ...]:
        at = self._own / _AT
        known = at.read_text() if at.exists() else ""
        if known and await self.repository.has(known) and await self.snapshots.read(known) == now:
            return ()
        commit = await self.snapshots.keep(now, "What was in the worktree", known, None)
        ref = await self.repository.keep(commit)
        return (f"the worktree had been changed by other hands; what was in it is kept as {ref}",)

    async def _git(self, *arguments: str | Path, stdin: bytes = b"") -> bytes:
        index = self._own / "index"
        return await self.repository.run(*arguments, tree=self.path, index=index, stdin=stdin)


def _says(file: Path, text: bytes) -> bool:
    """Whether a regular file holds exactly this. Commands may have put anything in its place, also what
    never ends or never answers."""
    try:
        opened = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return stat.S_ISREG(os.fstat(opened).st_mode) and os.read(opened, len(text) + 1) == text
    finally:
        os.close(opened)
