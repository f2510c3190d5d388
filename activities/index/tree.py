"""The files of a checkout, listed and read from git objects or a plain folder. Links are never followed."""

import contextlib
import hashlib
import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Protocol

_GIT_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}
_AHEAD = 400
"""questions sent before answers are read: they must fit into a pipe, or both sides wait for each other"""
_PAST = 1_000
"""commits that are looked at: a second at most, and older ones tell little about today's files"""
_KINDS = {"120000": "symlink", "160000": "submodule"}


class UnreadableCheckout(Exception):
    """The checkout or its commit cannot be read."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One path of the tree. `skip` is `symlink` or `submodule` for what is not a plain file."""

    path: str
    blob: str
    size: int
    skip: str = ""


class Tree(Protocol):
    """Where files come from. `key` names exactly these files and contents, `source` what they belong to."""

    @property
    def source(self) -> str:
        """A name that all states of one repository or folder share."""
        ...

    def key(self) -> str:
        """A name that only equal trees share. Raises UnreadableCheckout."""
        ...

    def list(self) -> list[Listed]:
        """Every path."""
        ...

    def read(self, wanted: Iterable[Listed]) -> Iterator[bytes]:
        """The contents of plain files, in order; empty for one that has gone."""
        ...

    def past(self) -> Iterator[tuple[str, ...]]:
        """The paths that each of the last thousand commits touched, newest first; none without a past."""
        ...


def open_tree(root: Path, commit: str) -> "GitTree | FolderTree":
    """Git objects when `root` is a repository or a worktree of one, else the folder as it is."""
    if (root / ".git").exists():
        return GitTree(root, commit)
    if not root.is_dir():
        raise UnreadableCheckout(f"{root} is not a folder; give the path of a checkout")
    return FolderTree(root)


class GitTree:
    """Reads blobs, not files: what is planned on is the commit, whatever happens to the checkout."""

    def __init__(self, root: Path, commit: str, git_folder: str = "") -> None:
        # A worktree may be removed while its index is still in use; the repository behind it stays.
        self.root, self._commit = root, commit
        self.git_folder = git_folder or self._shared_folder()
        self._git = ["git", "--git-dir", self.git_folder]

    @property
    def source(self) -> str:
        """What other trees of the same repository share."""
        return f"git:{self.git_folder}"

    def key(self) -> str:
        """A name for exactly these files and their contents."""
        name = f"{self._commit}^{{tree}}"
        command = [*self._git, "rev-parse", "--verify", "--end-of-options", name]
        return self._run(command).decode("ascii").strip()

    def _shared_folder(self) -> str:
        asked = ["git", "-C", str(self.root), "rev-parse", "--path-format=absolute", "--git-common-dir"]
        shared = subprocess.run(asked, capture_output=True, env=_environment(), check=False)
        if shared.returncode:
            raise UnreadableCheckout(
                f"{self.root} is no readable git checkout; run `git -C {self.root} status` to see why"
            )
        return os.fsdecode(shared.stdout).rstrip("\n")

    def _run(self, command: Sequence[str]) -> bytes:
        done = subprocess.run(command, capture_output=True, env=_environment(), check=False)
        if done.returncode:
            reason = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or ["git failed"]
            raise UnreadableCheckout(
                f"commit {self._commit[:60]} cannot be read ({reason[0]}); check that it exists"
            )
        return done.stdout

    def list(self) -> list[Listed]:
        """Every path of the commit, submodules and links marked."""
        command = [*self._git, "ls-tree", "-r", "-z", "-l", "--full-tree", "--end-of-options", self._commit]
        rows = self._run(command).split(b"\0")
        return [self._listed(row) for row in rows if row]

    def read(self, wanted: Iterable[Listed]) -> Iterator[bytes]:
        """One `git cat-file --batch` for all of them, asked some at a time."""
        process = subprocess.Popen(
            [*self._git, "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )
        assert process.stdin
        assert process.stdout
        try:
            asked = iter(wanted)
            while names := [item.blob.encode() for item in islice(asked, _AHEAD)]:
                process.stdin.write(b"\n".join(names) + b"\n")
                process.stdin.flush()
                for _ in names:
                    yield _answer(process.stdout)
        except BrokenPipeError:
            raise UnreadableCheckout("git stopped reading the repository; run `git fsck` in it") from None
        finally:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
            process.stdout.close()
            process.wait()

    def past(self) -> Iterator[tuple[str, ...]]:
        """The paths that each commit before touched. A clone without all of its past gives what it has."""
        # A repository's own settings must not start programs (gpg, an external diff) or change the answer.
        quiet = ("--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-color", "--no-mailmap")
        shape = ("--no-merges", "--no-renames", "--name-only", "-z", "--format=%x01")
        command = [*self._git, "log", f"-n{_PAST}", *quiet, *shape, "--end-of-options", self._commit]
        done = subprocess.run(command, capture_output=True, env=_environment(), check=False)
        for commit in done.stdout.decode("utf-8", "replace").split("\x01")[1:]:
            yield tuple(path for path in commit.removeprefix("\0\n").split("\0") if path)

    @staticmethod
    def _listed(row: bytes) -> Listed:
        meta, _, name = row.partition(b"\t")
        mode, _, blob, size = meta.decode("ascii").split()
        return Listed(
            name.decode("utf-8", "replace"), blob, int(size) if size.isdigit() else 0, _KINDS.get(mode, "")
        )


class FolderTree:
    """A folder without git: walked, and hashed as git would."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._listing: Sequence[Listed] | None = None

    @property
    def source(self) -> str:
        """What other states of the same folder share."""
        return f"folder:{self.root}"

    def key(self) -> str:
        """A name for exactly these files and their contents."""
        rows = "\0".join(f"{item.path}\0{item.blob}\0{item.skip}" for item in self.list())
        return hashlib.sha1(rows.encode("utf-8", "replace"), usedforsecurity=False).hexdigest() + "f"

    def list(self) -> list[Listed]:
        """Every file below the folder as it was at first, `.git` folders left out."""
        if self._listing is None:
            self._listing = self._walk()
        return [*self._listing]

    def _walk(self) -> Sequence[Listed]:
        found = []
        for folder, folders, names in os.walk(self.root, followlinks=False):
            folders[:] = sorted(name for name in folders if name != ".git")
            links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
            for name in sorted([*names, *links]):
                found.append(self._listed(Path(folder, name)))
        return found

    def read(self, wanted: Iterable[Listed]) -> Iterator[bytes]:
        """Straight from the disk."""
        for item in wanted:
            yield _file_bytes(self.root / item.path)

    def past(self) -> Iterator[tuple[str, ...]]:
        """A folder has none."""
        return iter(())

    def _listed(self, path: Path) -> Listed:
        relative = (
            path.relative_to(self.root)
            .as_posix()
            .encode("utf-8", "surrogateescape")
            .decode("utf-8", "replace")
        )
        if path.is_symlink() or not path.is_file():
            return Listed(relative, "", 0, "symlink")
        size = path.stat().st_size
        return Listed(relative, _git_hash(path, size), size)


def _environment() -> dict[str, str]:
    return {**os.environ, **_GIT_ENVIRONMENT}


def _answer(stream: IO[bytes]) -> bytes:
    header = stream.readline().split()
    if not header:
        raise BrokenPipeError
    if len(header) != 3:  # `<blob> missing`: a partial clone; the file stays listed
        return b""
    data = stream.read(int(header[2]))
    stream.read(1)
    return data


def _git_hash(path: Path, size: int) -> str:
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    with path.open("rb") as stream:
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def _file_bytes(path: Path) -> bytes:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:  # removed, unreadable or a link since it was listed: the same as not there
        return b""
    with os.fdopen(handle, "rb") as stream:
        return stream.read()
