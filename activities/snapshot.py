"""A commit of a plain folder, made in a private repository: equal content gives an equal commit."""

import asyncio
import dataclasses
import os
import stat
from pathlib import Path

from activities.git import Git, GitError
from activities.repository import RepositoryUnusable

MAX_FILE = 32 << 20  # bytes; larger files are data, not code, and are left out
MAX_FILES = 200_000
MAX_TOTAL = 4 << 30  # bytes

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
        keep, skipped = await asyncio.to_thread(_sift, os.fsencode(folder), found, os.fsencode(not_below))
        if not keep:
            raise RepositoryUnusable(f"{folder} has no files to plan on; name a folder with code in it")
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


def _sift(folder: bytes, paths: list[bytes], not_below: bytes) -> tuple[list[bytes], int]:
    """The files and links that can be taken, and how many could not."""
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
            raise RepositoryUnusable(
                f"{os.fsdecode(folder)} holds more than {MAX_FILES:,} files or {MAX_TOTAL >> 30} GiB;"
                " name a smaller folder, or make it a git repository"
            )
    return keep, skipped
