"""A commit of a plain folder, made in a private repository: equal content gives an equal commit."""

import asyncio
import dataclasses
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from activities.git import Git, GitError
from activities.repository import RepositoryUnusable

MAX_FILE = 32 << 20  # bytes; larger files are data, not code, and are left out
# Of one project that is under no version control; more of it is a folder of many things, such as /tmp.
MAX_FILES = 50_000
MAX_TOTAL = 1 << 30  # bytes
LOOK_TIME = 20.0  # seconds to look at a folder while a person waits

# A folder that is no repository seldom has a .gitignore. A .gitignore can take these back with `!`.
LEFT_OUT = """\
node_modules/
.venv/
venv/
__pycache__/
*.py[co]
.tox/
.nox/
.mypy_cache/
.pytest_cache/
.ruff_cache/
.gradle/
.DS_Store
.hg/
.svn/
"""

NOBODY = {
    "GIT_AUTHOR_NAME": "phasegate",
    "GIT_AUTHOR_EMAIL": "phasegate@localhost",
    "GIT_AUTHOR_DATE": "@946684800 +0000",
    "GIT_COMMITTER_NAME": "phasegate",
    "GIT_COMMITTER_EMAIL": "phasegate@localhost",
    "GIT_COMMITTER_DATE": "@946684800 +0000",
}


@dataclass(frozen=True)
class Copied:
    """What a snapshot of a folder takes: files, their bytes, and how many files it leaves out."""

    files: int
    bytes: int
    skipped: int


async def measure(folder: Path, not_below: Path, seconds: float = LOOK_TIME) -> Copied:
    """What `take_snapshot` would take. Nothing of it stays. Raises RepositoryUnusable, GitError, OSError."""
    git = Git()
    with tempfile.TemporaryDirectory(prefix="phasegate-") as name:
        store = Path(name)
        await git.run("init", "--quiet", "--bare", "--template=", store)
        (store / "info").mkdir(exist_ok=True)
        (store / "info" / "exclude").write_text(LEFT_OUT)
        try:
            async with asyncio.timeout(seconds):
                found = await _list(git, store, folder, b"")
        except TimeoutError:
            raise _too_large(folder, f"takes more than {seconds:g} seconds to list") from None
    keep, skipped, total = await asyncio.to_thread(_sift, os.fsencode(folder), found, os.fsencode(not_below))
    if not keep:
        raise _nothing_in(folder)
    return Copied(len(keep), total, skipped)


async def take_snapshot(git: Git, store: Path, folder: Path, not_below: Path) -> tuple[str, int]:
    """Commit a folder into the bare repository `store`; gives the commit and how many files were skipped.

    `.gitignore` files are honoured, symbolic links are kept as links, the files of repositories inside
    the folder are taken as its own, what lies below `not_below` is not. Raises RepositoryUnusable.
    """
    index = store / "snapshot.index"
    index.unlink(missing_ok=True)
    git = dataclasses.replace(git, extra={**NOBODY, "GIT_INDEX_FILE": str(index)})
    try:
        found = await _list(git, store, folder, b"")
        keep, skipped, _ = await asyncio.to_thread(_sift, os.fsencode(folder), found, os.fsencode(not_below))
        if not keep:
            raise _nothing_in(folder)
        await git.run(
            *_at(store, folder),
            *("update-index", "--add", "--remove", "-z", "--stdin"),
            stdin=b"".join(path + b"\0" for path in keep),
        )
        tree = await git.line("--git-dir", store, "write-tree")
        # The message does not name the folder: the same content elsewhere is the same commit.
        return await git.line("--git-dir", store, "commit-tree", "-m", "Snapshot of a folder", tree), skipped
    finally:
        index.unlink(missing_ok=True)


def _nothing_in(folder: Path) -> RepositoryUnusable:
    return RepositoryUnusable(f"{folder} has no files to plan on; name a folder with code in it")


def _too_large(folder: Path, why: str) -> RepositoryUnusable:
    return RepositoryUnusable(
        f"{folder} is no git repository, so it would be copied, and {why};"
        " name the project's own folder, or make it a git repository"
    )


def _at(store: Path, folder: Path) -> tuple[str | Path, ...]:
    return ("-C", folder, "--git-dir", store, "--work-tree", folder)


async def _list(git: Git, store: Path, folder: Path, prefix: bytes) -> list[bytes]:
    """Paths of files and links that are not ignored; git stops at repositories inside, we go on there."""
    here = Path(os.fsdecode(os.path.join(os.fsencode(folder), prefix)))
    try:
        listing = await git.run(*_at(store, here), "ls-files", "-z", "--others", "--exclude-standard")
    except GitError:
        if here == folder:
            raise
        return []  # a repository inside that cannot be entered is left out, as any folder like that
    paths: list[bytes] = []
    for path in filter(None, listing.split(b"\0")):
        if path.endswith(b"/"):
            paths += await _list(git, store, folder, prefix + path)
        else:
            paths.append(prefix + path)
    return paths


def _sift(folder: bytes, paths: list[bytes], not_below: bytes) -> tuple[list[bytes], int, int]:
    """The files and links that can be taken, how many could not, and the bytes of what can."""
    keep, skipped, total = [], 0, 0
    for path in paths:
        full = os.path.join(folder, path)
        if full.startswith(os.path.join(not_below, b"")):
            continue
        try:
            found = os.lstat(full)
        except OSError:
            continue  # gone since it was listed
        if stat.S_ISLNK(found.st_mode) or (
            stat.S_ISREG(found.st_mode)
            and found.st_size <= MAX_FILE
            and os.access(full, os.R_OK, effective_ids=True)
        ):
            keep.append(path)
            total += found.st_size
        else:
            skipped += 1
        if len(keep) > MAX_FILES or total > MAX_TOTAL:
            most = f"{MAX_FILES:,} files or {MAX_TOTAL >> 30} GiB"
            raise _too_large(Path(os.fsdecode(folder)), f"holds more than {most}")
    return keep, skipped, total
