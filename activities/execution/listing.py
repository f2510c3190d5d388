"""What lies below a folder, exactly: files, links, modes, empty folders, repositories inside."""

import os
import stat
import subprocess
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

PLAIN, PROGRAM, FOLDER = 0o644, 0o755, 0o755
"""the modes that are not written down, as git knows only these"""


DEEPEST = 3_000
"""bytes of the longest path of a folder: no system call takes more than 4,096, and roots differ"""


class TreeTooLarge(Exception):
    """One sentence: how much the tree holds, and how much of it can be kept."""


class Stamp(NamedTuple):
    """What the system says of a file, and says otherwise when its contents or its mode have changed."""

    inode: int
    size: int
    written: int
    changed: int
    mode: int


def stamp_of(status: os.stat_result) -> Stamp:
    """The stamp of a file."""
    return Stamp(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_mode)


@dataclass
class Listing:
    """Paths relative to the root, `empty` sorted; `.git` is not part of it.

    `stamps` are those of files and links. `modes` are those of files and folders that differ from 0644 or
    0755; `repositories` are folders with a `.git` of their own; `odd` are pipes, sockets and devices;
    `opened` are modes that were in the way.
    """

    stamps: dict[str, Stamp] = field(default_factory=dict)
    empty: list[str] = field(default_factory=list)
    modes: dict[str, int] = field(default_factory=dict)
    repositories: list[str] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)
    opened: dict[str, int] = field(default_factory=dict)
    size: int = 0


def list_tree(root: Path, most: int) -> Listing:
    """Everything below a folder; links are not followed. What may not be read is opened up: see `close`.

    Raises TreeTooLarge beyond `most` bytes or where folders lie too deep in each other, OSError.
    """
    found = Listing()
    todo = [""]
    while todo:
        todo += _look(root, todo.pop(), found)
        if found.size > most:
            raise TreeTooLarge(f"the tree holds more than the {most:,} bytes that can be kept")
    found.empty.sort()
    return found


def close(root: Path, found: Listing) -> None:
    """Give back the modes that listing changed, what is inside first."""
    for path in sorted(found.opened, reverse=True):
        os.chmod(root / path, found.opened[path])


def remove(path: Path) -> None:
    """Remove whatever is there, also what has modes that stand against it. Links are not followed."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    top = os.fspath(path)
    todo = [top]
    while todo:
        folder = todo.pop()
        os.chmod(folder, 0o700)
        if len(os.fsencode(folder)) - len(os.fsencode(top)) > DEEPEST:
            # What is below it could not be named any more: it comes up to where it can.
            folder, deep = os.path.join(top, uuid.uuid4().hex), folder
            os.rename(deep, folder)
        with os.scandir(folder) as entries:
            todo += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    # Not shutil.rmtree, which fails where folders lie deeper in each other than Python may recurse.
    subprocess.run(["rm", "-rf", "--", os.fspath(path)], check=True, capture_output=True)


def common_mode(mode: int) -> int:
    """The permission bits that git would write a file with."""
    return PROGRAM if mode & 0o100 else PLAIN


def _look(root: Path, below: str, found: Listing) -> list[str]:
    """Enter one folder; gives the folders in it."""
    here = os.path.join(root, below)
    if len(os.fsencode(below)) > DEEPEST:
        raise TreeTooLarge(
            f"folders lie in each other beyond the {DEEPEST:,} bytes of a path that can be kept"
        )
    _open_up(here, below, found, os.R_OK | os.W_OK | os.X_OK, 0o700)
    with os.scandir(here) as entries:
        inside = list(entries)
    kept = [entry for entry in inside if entry.name.lower() != ".git"]
    if below and len(kept) < len(inside):
        found.repositories.append(below)
    if below and not inside:
        found.empty.append(below)
    folders = []
    for entry in kept:
        path = f"{below}/{entry.name}" if below else entry.name
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISDIR(status.st_mode):
            folders.append(path)
            _note(path, status.st_mode, FOLDER, found)
        elif stat.S_ISREG(status.st_mode):
            found.stamps[path] = stamp_of(status)
            found.size += status.st_size
            _note(path, status.st_mode, common_mode(status.st_mode), found)
            if not _ours_to_read(status):
                _open_up(entry.path, path, found, os.R_OK, 0o600)
        elif stat.S_ISLNK(status.st_mode):
            found.stamps[path] = stamp_of(status)
        else:
            found.odd.append(path)
    return folders


def _ours_to_read(status: os.stat_result) -> bool:
    """Whether a file can be read for what its modes say; asking the system takes as long as all the rest."""
    return status.st_uid == os.geteuid() and bool(status.st_mode & stat.S_IRUSR)


def _note(path: str, mode: int, common: int, found: Listing) -> None:
    if stat.S_IMODE(mode) != common:
        found.modes[path] = stat.S_IMODE(mode)


def _open_up(full: str, path: str, found: Listing, needed: int, mode: int) -> None:
    if not os.access(full, needed):
        found.opened[path] = stat.S_IMODE(os.lstat(full).st_mode)
        os.chmod(full, mode)
