"""Large files, stored and written by git beside us.

In the process a gigabyte would be packed or unpacked in one go, in which no other thread runs: heartbeats
stop, and all jobs of the worker with them.
"""

import subprocess
from pathlib import Path
from typing import IO

import pygit2

from activities.git import ALWAYS, Git, GitError

LARGE = 16 << 20
"""bytes of a file that is large"""
_GIT = Git()


def size_of(here: pygit2.Repository, blob: bytes) -> int:
    """How many bytes a blob holds."""
    return int(here.odb.read_header(pygit2.Oid(raw=blob))[1])


def put_large(repository: str | Path, file: IO[bytes]) -> bytes:
    """Store what a file holds; gives the id of the blob. Raises GitError."""
    return _named(repository, file, "-w")


def name_of(repository: str | Path, file: IO[bytes]) -> bytes:
    """The id that its blob would have. Raises GitError."""
    return _named(repository, file)


def get_large(repository: str | Path, blob: bytes, into: IO[bytes]) -> None:
    """Write what a blob holds to a file. Raises GitError."""
    _run(repository, ["cat-file", "blob", blob.hex()], stdout=into)


def _named(repository: str | Path, file: IO[bytes], *options: str) -> bytes:
    said = _run(repository, ["hash-object", "--stdin", "--no-filters", *options], stdin=file)
    return bytes.fromhex(said.decode().strip())


def _run(
    repository: str | Path,
    command: list[str],
    stdin: IO[bytes] | int = subprocess.DEVNULL,
    stdout: IO[bytes] | int = subprocess.PIPE,
) -> bytes:
    ended = subprocess.run(
        ["git", *ALWAYS, "--git-dir", str(repository), *command],
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=_GIT.environment(),
        check=False,
    )
    if ended.returncode:
        raise GitError(command[0], ended.stderr.decode("utf-8", "replace"))
    return ended.stdout or b""
