"""Commits of a whole tree, with what git ignores and what it does not know, and the way back to them.

A snapshot is a commit of `files`, the tree itself, and `rest.json`, what git cannot hold: modes and empty
folders. Not held: owners, times, hard links, pipes and sockets, and the `.git` of repositories inside.
"""

import asyncio
import json
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from activities.execution.listing import FOLDER, Listing, close, common_mode, list_tree, remove
from activities.execution.objects import paths_in
from activities.execution.repository import ActRepository, encoded
from activities.git import GitError

MOST_BYTES = 2 << 30
"""of a tree that is kept: a step that leaves more fails"""

_REMEMBERED = 64


@dataclass(frozen=True)
class State:
    """A whole tree: git's tree of its files, and the rest as JSON."""

    files: str
    rest: str


@dataclass(frozen=True)
class Snapshots:
    """Snapshots of one folder. `index` is git's note of what it has seen there: it only makes things fast."""

    repository: ActRepository
    tree: Path
    index: Path
    known: dict[str, State]
    """snapshots that were read before: each is what it is for ever"""

    async def look(self) -> tuple[State, Listing]:
        """What the tree is now. Its contents are in the repository afterwards. Raises TreeTooLarge."""
        found = await asyncio.to_thread(list_tree, self.tree, MOST_BYTES)
        for path in found.odd:
            # Git reads files of these names wherever it comes by, and waits for pipes.
            if os.path.basename(path).lower().startswith(".git"):
                os.unlink(self.tree / path)
        try:
            gone = sorted(set(self._known()) - set(found.files))
            await self._git(
                *("update-index", "--add", "--remove", "--replace", "-z", "--stdin"),
                stdin=encoded(gone + found.files),
            )
            files = await asyncio.to_thread(self.repository.objects.tree_in, self.index)
        finally:
            await asyncio.to_thread(close, self.tree, found)
        return State(files, _rest(found)), found

    async def keep(self, state: State, message: str, parent: str, when: datetime | None) -> str:
        """A snapshot commit of a state, after `parent`."""
        parents = (parent,) if parent else ()
        return self.repository.objects.put_snapshot(state.files, state.rest, message, parents, when)

    async def first(self, base: str) -> str:
        """The snapshot of a commit as it is checked out: the same on every machine."""
        # Submodules are folders without anything in them.
        empty = [os.fsdecode(path) for path in self.repository.objects.submodules(base)]
        state = State(await self.repository.tree_of(base), _rest(Listing(empty=empty)))
        return await self.keep(state, "Snapshot before the first step", base, None)

    async def read(self, snapshot: str) -> State:
        """What a snapshot holds."""
        if snapshot not in self.known:
            if len(self.known) > _REMEMBERED:
                self.known.clear()
            self.known[snapshot] = State(*self.repository.objects.snapshot(snapshot))
        return self.known[snapshot]

    async def restore(self, state: State) -> None:
        """Make the tree exactly this state, touching only what differs."""
        await asyncio.to_thread(self.tree.mkdir, parents=True, exist_ok=True)
        try:
            await self._git("read-tree", "-m", state.files)
        except GitError:
            self.index.unlink(missing_ok=True)  # cut off by a full disk; it is only a note
            await self._git("read-tree", state.files)
        wanted, rest = self._known(), json.loads(state.rest)
        folders = _folders(wanted, rest["empty"])
        await asyncio.to_thread(_clear, self.tree, frozenset(wanted), folders)
        await self._git("checkout-index", "--force", "--quiet", "--all", "--index")
        await asyncio.to_thread(_finish, self.tree, wanted, folders, rest["modes"])

    def _known(self) -> list[str]:
        """Paths of files in the index; what is of submodules is theirs."""
        return paths_in(self.index)

    async def _git(self, *arguments: str | Path, stdin: bytes = b"") -> bytes:
        return await self.repository.run(*arguments, tree=self.tree, index=self.index, stdin=stdin)


def _rest(found: Listing) -> str:
    return json.dumps({"empty": found.empty, "modes": dict(sorted(found.modes.items()))}, indent=0)


def _folders(files: Iterable[str], empty: Iterable[str]) -> set[str]:
    """Every folder that must be there."""
    inside = (*files, *empty)
    return {path[:at] for path in inside for at, letter in enumerate(path) if letter == "/"} | set(empty)


def _clear(root: Path, wanted: frozenset[str], folders: set[str]) -> None:
    """Remove what is not wanted or is of another kind, and make all of the rest writable."""
    todo = [""]
    while todo:
        below = todo.pop()
        here = os.path.join(root, below)
        if stat.S_IMODE(os.lstat(here).st_mode) != FOLDER:
            os.chmod(here, FOLDER)
        with os.scandir(here) as entries:
            inside = list(entries)
        for entry in inside:
            path = f"{below}/{entry.name}" if below else entry.name
            if path == ".git":
                continue
            if entry.is_dir(follow_symlinks=False) and path in folders:
                todo.append(path)
            elif path not in wanted or not _file(entry):
                remove(Path(entry.path))


def _file(entry: "os.DirEntry[str]") -> bool:
    return entry.is_symlink() or entry.is_file(follow_symlinks=False)


def _finish(root: Path, files: Iterable[str], folders: set[str], modes: dict[str, int]) -> None:
    """Make the empty folders, and give everything its mode."""
    for path in files:
        full = os.path.join(root, path)
        mode = os.lstat(full).st_mode
        wanted = modes.get(path, common_mode(mode))
        if not stat.S_ISLNK(mode) and stat.S_IMODE(mode) != wanted:
            os.chmod(full, wanted)
    for path in sorted(folders):
        os.makedirs(os.path.join(root, path), exist_ok=True)
    # What is inside comes first: a folder may be closed to us afterwards.
    for path in sorted(folders, reverse=True):
        full, wanted = os.path.join(root, path), modes.get(path, FOLDER)
        if stat.S_IMODE(os.lstat(full).st_mode) != wanted:
            os.chmod(full, wanted)
