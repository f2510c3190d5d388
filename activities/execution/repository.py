"""The git repository of one job's execution, beside the mirror whose objects it borrows.

A repository of its own, as fetching into the mirror prunes branches that the server does not have, and
as commands may look into it: what they could break is theirs alone. It can be made again at any time.
"""

import dataclasses
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from activities.git import Git
from activities.mirror import ATTRIBUTES
from activities.snapshot import LEFT_OUT, NOBODY

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
        (self.path / "info").mkdir(exist_ok=True)
        (self.path / "info" / "attributes").write_text(ATTRIBUTES)
        (self.path / "info" / "exclude").write_text(LEFT_OUT)
        # Where the history of a shallow clone ends is said beside its objects, not in them.
        if (self.alternate / "shallow").is_file():
            shutil.copyfile(self.alternate / "shallow", self.path / "shallow")
        (self.path / "objects" / "info").mkdir(exist_ok=True)
        (self.path / "objects" / "info" / "alternates").write_text(f"{self.alternate / 'objects'}\n")

    async def run(
        self,
        *arguments: str | Path,
        tree: Path | None = None,
        index: Path | None = None,
        stdin: bytes = b"",
        extra: Mapping[str, str] | None = None,
    ) -> bytes:
        """Run git on this repository, in a tree and with an index where they are given. Raises GitError."""
        environment = _ANY_NAME | dict(extra or {}) | ({"GIT_INDEX_FILE": str(index)} if index else {})
        git = dataclasses.replace(self.git, extra={**self.git.extra, **environment})
        place: tuple[str | Path, ...] = ("-C", tree, "--work-tree", tree) if tree else ()
        return await git.run("--git-dir", self.path, *place, *arguments, stdin=stdin)

    async def line(self, *arguments: str | Path, stdin: bytes = b"") -> str:
        """Standard output as one stripped text."""
        return (await self.run(*arguments, stdin=stdin)).decode("utf-8", "replace").strip()

    async def missing(self, *commits: str) -> list[str]:
        """Those that are not here."""
        asked = "".join(f"{commit}^{{commit}}\n" for commit in commits).encode()
        told = (await self.run("cat-file", "--batch-check", stdin=asked)).splitlines()
        return [commit for commit, line in zip(commits, told, strict=True) if line.endswith(b" missing")]

    async def has(self, commit: str) -> bool:
        """Whether a commit is here."""
        return not await self.missing(commit)

    async def refs(self, *names: str) -> dict[str, str]:
        """Where refs are; those that do not exist are left out."""
        listed = await self.line("for-each-ref", "--format=%(refname) %(objectname)", *names)
        return dict(line.rsplit(" ", 1) for line in listed.splitlines() if line)

    async def move(self, to: Mapping[str, str]) -> None:
        """Move refs to commits, together or none."""
        lines = [f"update {ref} {commit}\n" for ref, commit in to.items()]
        await self.run("update-ref", "--stdin", stdin="".join(lines).encode())

    async def keep(self, commit: str) -> str:
        """Hold on to a commit that no branch leads to any more; gives the ref."""
        ref = f"{_KEPT}{commit}"
        await self.run("update-ref", ref, commit)
        return ref

    async def commit(self, tree: str, message: str, parents: tuple[str, ...], when: datetime | None) -> str:
        """A commit by phasegate. The same tree, message, parents and time give the same commit."""
        date = f"@{int(when.timestamp()) if when else 946_684_800} +0000"
        who = NOBODY | {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        arguments = [each for parent in parents for each in ("-p", parent)]
        made = await self.run(
            "commit-tree", tree, *arguments, "-F", "-", stdin=message.encode("utf-8", "replace"), extra=who
        )
        return made.decode().strip()

    async def tree_of(self, commit: str) -> str:
        """The tree of a commit."""
        return await self.line("rev-parse", "--verify", f"{commit}^{{tree}}")


def encoded(paths: list[str]) -> bytes:
    """Paths as git takes them on its standard input."""
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def decoded(listing: bytes) -> list[str]:
    """Paths as git lists them with -z."""
    return [os.fsdecode(path) for path in listing.split(b"\0") if path]
