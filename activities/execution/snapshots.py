"""Commits of a whole tree, with what git ignores and what it does not know, and the way back to them.

A snapshot is a commit of `files`, the tree itself, and `rest.json`, what git cannot hold: modes and empty
folders. Not held: owners, times, hard links, pipes and sockets, and the `.git` of repositories inside.
"""

import asyncio
import json
import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from activities.execution.listing import Listing, close, list_tree
from activities.execution.objects import opened
from activities.execution.repository import ActRepository
from activities.execution.restoring import make_tree
from activities.execution.seen import Seen, Sight, lasting, time_at

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
    """Snapshots of one folder. `clock` is a file beside it, by which its file system tells the time."""

    repository: ActRepository
    tree: Path
    clock: Path
    known: dict[str, State]
    """snapshots that were read before: each is what it is for ever"""
    sight: Sight

    async def look(self, since: State) -> tuple[State, Listing]:
        """What the tree is now; it was like `since` before. Its contents are in the repository afterwards.

        Raises TreeTooLarge.
        """
        seen, found = await asyncio.to_thread(self._look, since)
        self.sight.keep(self.tree, seen)
        return State(seen.tree, _rest(found)), found

    def _look(self, since: State) -> tuple[Seen, Listing]:
        clock = time_at(self.clock)
        found = list_tree(self.tree, MOST_BYTES)
        for path in found.odd:
            # Git reads files of these names wherever it comes by, and waits for pipes.
            if os.path.basename(path).lower().startswith(".git"):
                os.unlink(self.tree / path)
        try:
            with opened(self.repository.path) as here:
                return self.sight.look(here, self.tree, found, since.files, clock), found
        finally:
            close(self.tree, found)

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
        seen = await asyncio.to_thread(self._restore, state)
        self.sight.keep(self.tree, seen)

    def _restore(self, state: State) -> Seen:
        rest = json.loads(state.rest)
        with opened(self.repository.path) as here:
            wanted = self.sight.files_of(here, state.files)
            stamps = make_tree(here, self.tree, wanted, rest["empty"], rest["modes"], self.sight)
        clock = time_at(self.clock)
        return Seen(state.files, {p: (lasting(stamps[p], clock), entry) for p, entry in wanted.items()})


def _rest(found: Listing) -> str:
    return json.dumps({"empty": found.empty, "modes": dict(sorted(found.modes.items()))}, indent=0)
