"""Makes a folder exactly what a snapshot holds, touching only what differs."""

import os
import stat
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import pygit2

from activities.execution.large import LARGE, get_large, name_of, size_of
from activities.execution.listing import FOLDER, Stamp, common_mode, remove, stamp_of
from activities.execution.sandbox import owner_of
from activities.execution.seen import READ, Sight
from activities.execution.trees import LINK, Entry

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def make_tree(
    here: pygit2.Repository,
    folder: Path,
    files: Mapping[str, Entry],
    empty: Iterable[str],
    modes: Mapping[str, int],
    sight: Sight,
) -> dict[str, Stamp]:
    """Have these files, empty folders and modes below a folder, and nothing else; gives the files' stamps.

    What was seen of a file is believed as long as its stamp is the same.
    """
    folder.mkdir(parents=True, exist_ok=True)
    root, owner, folders = os.fspath(folder), owner_of(folder), _folders(files, empty)
    _make(root, folders - _clear(root, files, folders), owner)
    before = sight.folders.get(folder)
    known = before.files if before else {}
    stamps = {}
    for path, entry in files.items():
        full, mode = os.path.join(root, path), modes.get(path, common_mode(entry[0]))
        stamp = _there(full, mode)
        if stamp is None or known.get(path) != (stamp, entry):
            large = not sight.holds(entry[1]) and size_of(here, entry[1]) > LARGE
            data = None if large else sight.content_of(here, entry[1])
            if stamp is None or not _holds(here, full, stamp, entry, data):
                if stamp is not None:
                    os.unlink(full)
                stamp = _write(here, full, entry, data, mode, owner)
        stamps[path] = stamp
    # What is inside comes first: a folder may be closed to us afterwards.
    for path in sorted(folders, reverse=True):
        _have_mode(os.path.join(root, path), modes.get(path, FOLDER))
    return stamps


def _folders(files: Iterable[str], empty: Iterable[str]) -> set[str]:
    """Every folder that must be there."""
    found = set(empty)
    for path in (*files, *found):
        above = path.rpartition("/")[0]
        while above and above not in found:
            found.add(above)
            above = above.rpartition("/")[0]
    return found


def _clear(root: str, files: Collection[str], folders: set[str]) -> set[str]:
    """Remove what is not wanted or is of another kind, and make all of the rest writable; gives the folders
    that are there."""
    todo, there = [""], set()
    while todo:
        below = todo.pop()
        there.add(below)
        here = os.path.join(root, below)
        _have_mode(here, FOLDER)
        with os.scandir(here) as entries:
            inside = list(entries)
        for entry in inside:
            path = f"{below}/{entry.name}" if below else entry.name
            if path == ".git":
                continue
            if entry.is_dir(follow_symlinks=False) and path in folders:
                todo.append(path)
            elif path not in files or not (entry.is_symlink() or entry.is_file(follow_symlinks=False)):
                remove(Path(entry.path))
    return there


def _make(root: str, folders: Iterable[str], owner: int | None) -> None:
    """Make folders, the outer ones first."""
    for path in sorted(folders):
        full = os.path.join(root, path)
        os.mkdir(full)
        if owner is not None:
            os.chown(full, owner, owner)


def _have_mode(full: str, mode: int) -> None:
    if stat.S_IMODE(os.lstat(full).st_mode) != mode:
        os.chmod(full, mode)


def _there(full: str, mode: int) -> Stamp | None:
    """The stamp of what is there, after it has been given its mode."""
    try:
        status = os.lstat(full)
    except FileNotFoundError:
        return None
    if stat.S_ISREG(status.st_mode) and stat.S_IMODE(status.st_mode) != mode:
        os.chmod(full, mode)
        status = os.lstat(full)
    return stamp_of(status)


def _holds(here: pygit2.Repository, full: str, stamp: Stamp, entry: Entry, data: bytes | None) -> bool:
    """Whether what is there is what it should be, so that its time can stay. No data: a large file's."""
    link = stat.S_ISLNK(stamp.mode)
    size = size_of(here, entry[1]) if data is None else len(data)
    if link is not (entry[0] == LINK) or stamp.size != size:
        return False
    if link:
        return os.readlink(os.fsencode(full)) == data
    try:
        with open(os.open(full, READ), "rb") as file:
            return file.read() == data if data is not None else name_of(here.path, file) == entry[1]
    except PermissionError:
        return False


def _write(
    here: pygit2.Repository, full: str, entry: Entry, data: bytes | None, mode: int, owner: int | None
) -> Stamp:
    """Write what is not there. The owner is given at once: giving it later would change the stamp."""
    if entry[0] == LINK and data is not None:
        os.symlink(data, os.fsencode(full))
        if owner is not None:
            os.lchown(full, owner, owner)
        return stamp_of(os.lstat(full))
    with open(os.open(full, _NEW, mode), "wb", buffering=0) as file:
        if data is None:
            get_large(here.path, entry[1], file)
        else:
            left = memoryview(data)
            while left:
                left = left[file.write(left) :]
        number = file.fileno()
        if owner is not None:
            os.fchown(number, owner, owner)
        if stat.S_IMODE(os.fstat(number).st_mode) != mode:
            os.fchmod(number, mode)
        return stamp_of(os.fstat(number))
