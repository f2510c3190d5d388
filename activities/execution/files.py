"""File operations: create, modify by exact edits, move, delete; each inside of the worktree or not at all."""

import contextlib
import errno
import os
import stat
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

from activities.execution.listing import PLAIN, PROGRAM
from activities.execution.outcome import StepFailed
from activities.plain_text import strip_line
from states.amounts import counted
from states.artifacts.plan import FileChange, FileChangeKind

MOST_BYTES = 32 << 20
"""size of a file that is edited"""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def apply_changes(root: Path, changes: Sequence[FileChange]) -> None:
    """Apply changes in order. Raises StepFailed at the first that cannot be; what came before it stays."""
    for change in changes:
        try:
            _apply(root, change)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise
            said = error.strerror or str(error)
            raise StepFailed(f"cannot {change.kind} {strip_line(change.path)}: {said}") from error


def _apply(root: Path, change: FileChange) -> None:
    path = strip_line(change.path)
    with _folder_of(root, change.path, make=change.kind is FileChangeKind.CREATE) as (folder, name):
        match change.kind:
            case FileChangeKind.CREATE:
                if _there(folder, name):
                    raise StepFailed(f"cannot create {path}: it is there already")
                _write(folder, name, change.content.encode(), PROGRAM if change.executable else PLAIN)
            case FileChangeKind.MODIFY:
                _modify(folder, name, change)
            case FileChangeKind.MOVE:
                _move(root, folder, name, change)
            case FileChangeKind.DELETE:
                mode = _mode(folder, name, path)
                if stat.S_ISDIR(mode):
                    raise StepFailed(f"cannot delete {path}: it is a folder; name the files in it")
                os.unlink(name, dir_fd=folder)


def _modify(folder: int, name: str, change: FileChange) -> None:
    path = strip_line(change.path)
    if not change.edits:
        raise StepFailed(f"cannot modify {path}: no edits are given")
    mode = _mode(folder, name, path)
    if not stat.S_ISREG(mode):
        raise StepFailed(f"cannot modify {path}: it is no regular file")
    with open(os.open(name, _READ, dir_fd=folder), "rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise StepFailed(f"cannot modify {path}: it is larger than {MOST_BYTES:,} bytes")
    for number, edit in enumerate(change.edits, 1):
        old, new = edit.old.encode(), edit.new.encode()
        # Edits are written with newlines; a file that ends its lines otherwise is still the one meant.
        if b"\r\n" in data and b"\r\n" not in old and data.count(old) != edit.count:
            old, new = old.replace(b"\n", b"\r\n"), new.replace(b"\n", b"\r\n")
        found = data.count(old)
        if found != edit.count:
            raise StepFailed(
                f"cannot modify {path}: the text of edit {number} is there {counted(found, 'time')}, "
                f"not {edit.count}"
            )
        if len(data) + found * (len(new) - len(old)) > MOST_BYTES:
            raise StepFailed(f"cannot modify {path}: edit {number} makes it larger than {MOST_BYTES:,} bytes")
        data = data.replace(old, new)
    wanted = stat.S_IMODE(mode) | (0o111 if change.executable else 0)
    _replace(folder, name, data, wanted)


def _move(root: Path, folder: int, name: str, change: FileChange) -> None:
    path = strip_line(change.path)
    if change.to is None:
        raise StepFailed(f"cannot move {path}: no target is given")
    _mode(folder, name, path)
    with _folder_of(root, change.to, make=True) as (target, new):
        if _there(target, new):
            raise StepFailed(f"cannot move {path}: {strip_line(change.to)} is there already")
        os.rename(name, new, src_dir_fd=folder, dst_dir_fd=target)


def _write(folder: int, name: str, data: bytes, mode: int) -> None:
    with open(os.open(name, _NEW, mode, dir_fd=folder), "wb") as file:
        file.write(data)
        os.fchmod(file.fileno(), mode)


def _replace(folder: int, name: str, data: bytes, mode: int) -> None:
    """The new file takes the old one's place when it is whole; links to the old one keep what they had."""
    staged = f".phasegate-{uuid.uuid4().hex}"
    _write(folder, staged, data, mode)
    os.rename(staged, name, src_dir_fd=folder, dst_dir_fd=folder)


@contextlib.contextmanager
def _folder_of(root: Path, path: str, make: bool) -> Iterator[tuple[int, str]]:
    """The open folder that holds a path, and the name in it. Links are not followed: they may lead out."""
    *above, name = path.split("/")
    shown = strip_line(path)
    if path.startswith("/") or "\0" in path or any(p in ("", ".", "..") for p in (*above, name)):
        raise StepFailed(f"{shown} is outside of the worktree")
    if any(part.lower() == ".git" for part in (*above, name)):
        raise StepFailed(f"{shown} belongs to git")
    held = [os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)]
    try:
        for part in above:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, 0o755, dir_fd=held[-1])
            if stat.S_ISLNK(_mode(held[-1], part, shown)):
                raise StepFailed(f"{shown} leads through the link {strip_line(part)}; name where it leads to")
            held.append(os.open(part, _FOLDER, dir_fd=held[-1]))
        yield held[-1], name
    finally:
        for each in held:
            os.close(each)


def _there(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _mode(folder: int, name: str, shown: str) -> int:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        raise StepFailed(f"{shown} is not there") from None
