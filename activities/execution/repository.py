"""The git repository of one job's execution, beside the mirror whose objects it borrows.

A repository of its own, as fetching into the mirror prunes branches that the server does not have, and
as commands may look into it: what they could break is theirs alone. It can be made again at any time.
"""

import dataclasses
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO

from activities.execution.objects import Objects
from activities.git import Git
from activities.mirror import ATTRIBUTES
from activities.snapshot import LEFT_OUT

BRANCH = "refs/heads/"
OURS = "refs/phasegate/"
HEAD, SNAPSHOT = f"{OURS}head", f"{OURS}snapshot"
"""what branch and snapshot were when this machine last moved them"""
_KEPT = f"{OURS}kept/"
# Names that other systems would take for `.git` are names like any other here.
# They come after the three that `Git` sets for every repository of ours.
_ANY_NAME = {
    "GIT_CONFIG_COUNT": "6",
    "GIT_CONFIG_KEY_3": "core.protectNTFS",
    "GIT_CONFIG_VALUE_3": "false",
    "GIT_CONFIG_KEY_4": "core.protectHFS",
    "GIT_CONFIG_VALUE_4": "false",
    "GIT_CONFIG_KEY_5": "core.symlinks",
    "GIT_CONFIG_VALUE_5": "true",
}


@dataclass(frozen=True)
class ActRepository:
    """Git below `path`, a bare repository. `alternate` is the mirror's."""

    path: Path
    alternate: Path
    git: Git = field(default_factory=Git)

    async def make(self) -> None:
        """Create it if it is not there."""
        if not (self.path / "HEAD").is_file():
            await self.git.run("init", "--quiet", "--bare", "--template=", self.path)
        have(self.path / "info" / "attributes", ATTRIBUTES)
        have(self.path / "info" / "exclude", LEFT_OUT)
        # Where the history of a shallow clone ends is said beside its objects, not in them.
        if (self.alternate / "shallow").is_file():
            have(self.path / "shallow", (self.alternate / "shallow").read_text())
        have(self.path / "objects" / "info" / "alternates", f"{self.alternate / 'objects'}\n")

    async def run(
        self,
        *arguments: str | Path,
        tree: Path | None = None,
        index: Path | None = None,
        stdin: bytes = b"",
        into: IO[bytes] | None = None,
        extra: Mapping[str, str] | None = None,
    ) -> bytes:
        """Run git on this repository, in a tree and with an index where they are given; gives its standard
        output, which may go `into` a file instead. Raises GitError."""
        environment = _ANY_NAME | dict(extra or {}) | ({"GIT_INDEX_FILE": str(index)} if index else {})
        git = dataclasses.replace(self.git, extra={**self.git.extra, **environment})
        place: tuple[str | Path, ...] = ("-C", tree, "--work-tree", tree) if tree else ()
        return await git.run("--git-dir", self.path, *place, *arguments, stdin=stdin, into=into)

    async def line(self, *arguments: str | Path, stdin: bytes = b"") -> str:
        """Standard output as one stripped text."""
        return (await self.run(*arguments, stdin=stdin)).decode("utf-8", "replace").strip()

    async def objects_of(self, *commits: str, without: Sequence[str] = ()) -> list[str]:
        """The names of all objects of commits and of those before them, without those of others; of one
        commit alone those of its tree. Raises GitError."""
        alone = ("--max-count=1",) if len(commits) == 1 and not without else ()
        others = ("--not", *without) if without else ()
        listed = await self.run("rev-list", "--objects", *alone, *commits, *others)
        return [line.split(b" ", 1)[0].decode() for line in listed.splitlines()]

    @property
    def objects(self) -> Objects:
        """Its objects and refs, without a process."""
        return Objects(self.path)

    async def missing(self, *commits: str) -> list[str]:
        """Those that are not here."""
        return self.objects.missing(commits)

    async def has(self, commit: str) -> bool:
        """Whether a commit is here."""
        return not await self.missing(commit)

    async def refs(self, *names: str) -> dict[str, str]:
        """Where refs are; those that do not exist are left out."""
        return self.objects.refs(names)

    async def move(self, to: Mapping[str, str]) -> None:
        """Move refs to commits, one after the other: the caller knows what it means to stop in between."""
        for ref, commit in to.items():
            self.objects.hold(ref, commit)

    async def keep(self, commit: str) -> str:
        """Hold on to a commit that no branch leads to any more; gives the ref."""
        ref = f"{_KEPT}{commit}"
        self.objects.hold(ref, commit)
        return ref

    async def commit(self, tree: str, message: str, parents: tuple[str, ...], when: datetime | None) -> str:
        """A commit by phasegate. The same tree, message, parents and time give the same commit."""
        return self.objects.put_commit(tree, message, parents, when)

    async def tree_of(self, commit: str) -> str:
        """The tree of a commit."""
        return self.objects.tree_of(commit)


def have(file: Path, text: str) -> None:
    """Have a file say this. Never half of it: git may be reading it for another step just now."""
    if file.is_file() and file.read_text() == text:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f"{file.name}.{os.getpid()}.new")
    new.write_text(text)
    new.replace(file)


def encoded(paths: list[str]) -> bytes:
    """Paths as git takes them on its standard input."""
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def decoded(listing: bytes) -> list[str]:
    """Paths as git lists them with -z."""
    return [os.fsdecode(path) for path in listing.split(b"\0") if path]
