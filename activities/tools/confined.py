"""The only way from a path that a model wrote to an open file: step by step, never out of the root.

Each step is opened relative to the folder before it and without following links, so what was checked is
what is read, even when the tree changes meanwhile. Links are followed by hand, and may not leave either.
"""

import contextlib
import errno
import os
import stat
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from activities.plain_text import strip_line
from activities.tools.errors import ToolError, outside

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Not blocking, should a pipe take the file's place between the look and the opening.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
# What is wrong with the tree and not with this machine; the last three when it changes under the walk.
_OF_THE_TREE = frozenset(
    {errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ELOOP, errno.ENXIO, errno.EINVAL}
)
_MOST_LINKS = 40
_LONGEST_PATH = 4_096


@contextlib.contextmanager
def opened(root: Path, path: str, noun: str) -> Iterator[int]:
    """A descriptor of a regular file or a folder below `root`. Raises ToolError; `noun` is what is missing
    when nothing is there (`File`, `Directory`). Git's own files count as missing. An OSError that is raised
    is this machine's trouble: a full table of open files, a broken disk."""
    walk = _Walk(root, path, noun)
    try:
        yield walk.end()
    finally:
        walk.close()


class _Walk:
    def __init__(self, root: Path, path: str, noun: str) -> None:
        self.root = root
        self.path = path
        self.noun = noun
        self.links = 0
        self.file: int | None = None
        self.folders = [os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)]

    def close(self) -> None:
        for descriptor in (*self.folders, *([] if self.file is None else [self.file])):
            os.close(descriptor)

    def end(self) -> int:
        if "\0" in self.path:
            raise ToolError(f"Path {strip_line(self.path)} contains a NUL character")
        if self.path.startswith("/"):
            raise outside(self.path)
        if len(self.path) > _LONGEST_PATH:
            raise self._missing()
        todo = self.path.split("/")[::-1]
        while todo:
            part = todo.pop()
            try:
                self._step(part, todo)
            except (FileNotFoundError, NotADirectoryError, UnicodeEncodeError) as error:
                raise self._missing() from error
            except OSError as error:
                if error.errno not in _OF_THE_TREE:
                    raise
                raise ToolError(
                    f"{self.noun} {strip_line(self.path)} cannot be read: {error.strerror}"
                ) from error
        return self.folders[-1] if self.file is None else self.file

    def _step(self, part: str, todo: list[str]) -> None:
        if part in ("", "."):
            return
        if self.file is not None:
            raise NotADirectoryError
        if part == "..":
            if len(self.folders) == 1:
                raise outside(self.path)
            os.close(self.folders.pop())
            return
        if part.lower() == ".git":
            raise FileNotFoundError
        here = self.folders[-1]
        name = _as_spelt(here, part)
        mode = os.stat(name, dir_fd=here, follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            self._follow(os.readlink(name, dir_fd=here), todo)
        elif stat.S_ISDIR(mode):
            self.folders.append(os.open(name, _FOLDER, dir_fd=here))
        elif stat.S_ISREG(mode):
            self.file = os.open(name, _FILE, dir_fd=here)
            if not stat.S_ISREG(os.fstat(self.file).st_mode):
                raise self._irregular()
        else:
            raise self._irregular()

    def _follow(self, target: str, todo: list[str]) -> None:
        self.links += 1
        if self.links > _MOST_LINKS:
            raise ToolError(f"{self.noun} {strip_line(self.path)} is a loop of symbolic links")
        if target.startswith("/"):
            target = self._below_root(target)
            while len(self.folders) > 1:
                os.close(self.folders.pop())
        todo.extend(target.split("/")[::-1])

    def _below_root(self, target: str) -> str:
        for base in (str(self.root), os.path.realpath(self.root)):
            if f"{target}/".startswith(f"{base}/"):
                return target[len(base) :]
        raise outside(self.path)

    def _missing(self) -> ToolError:
        """What leads out is refused as that, also behind something that does not exist."""
        depth = 0
        for part in self.path.split("/"):
            depth += -1 if part == ".." else part not in ("", ".")
            if depth < 0:
                return outside(self.path)
        return ToolError(f"{self.noun} {strip_line(self.path)} not found")

    def _irregular(self) -> ToolError:
        return ToolError(f"{strip_line(self.path)} is neither a file nor a directory")


def _as_spelt(folder: int, part: str) -> str:
    """The entry that is called so; else the only one that reads so to a model, which sees names without
    control characters and writes accents its own way."""
    try:
        os.stat(part, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        alike = [name for name in os.listdir(folder) if _read_as(name) == _read_as(part)]
        if len(alike) == 1 and alike[0].lower() != ".git":
            return alike[0]
    return part


def _read_as(name: str) -> str:
    return unicodedata.normalize("NFC", strip_line(name))
