"""Loose objects of a repository, read to their end before libgit2 reads them.

libgit2 up to 1.9.7 reads one that was cut off for ever (libgit2 issue 7342), and with it the whole worker
stands still: a power failure or a broken disk leaves such files behind.
"""

import asyncio
import hashlib
import os
import shutil
import string
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from activities.execution.repository import ActRepository
from activities.git import GitError

AGAIN = 1.0
"""seconds after which a repository is looked at again; what has not changed is not read again"""
_HEX = frozenset(string.hexdigits.lower())
_NAMES = (40, 64)  # letters of the name of an object, two of them the folder's
_CHUNK = 1 << 20

_Stamp = tuple[int, int, int]


@dataclass(frozen=True)
class Whole:
    """The loose objects that this process has read to their end, by repository."""

    known: dict[Path, dict[str, _Stamp]] = field(default_factory=dict)
    looked: dict[Path, float] = field(default_factory=dict)
    commits: set[tuple[Path, str]] = field(default_factory=set)
    """repositories with a commit all of whose objects have been read"""

    async def cut_off_again(self, repository: Path) -> str:
        """As `cut_off`, where a while has passed since the last look."""
        if time.monotonic() - self.looked.get(repository, -AGAIN) < AGAIN:
            return ""
        return await asyncio.to_thread(self.cut_off, repository)

    async def cut_off_below(self, repository: ActRepository, commit: str) -> str:
        """The same of the objects that a repository borrows for a commit; they are looked at once."""
        lender = repository.alternate
        if (lender, commit) in self.commits or not (lender / "objects").is_dir():
            return ""
        try:
            names = await repository.objects_of(commit)
        except GitError:
            # It is not there yet, or git cannot read it either.
            return await asyncio.to_thread(self.cut_off, lender)
        cut = await asyncio.to_thread(_first_cut_off, lender, names)
        if not cut:
            self.commits.add((lender, commit))
        return cut

    def cut_off(self, repository: Path) -> str:
        """The first object that cannot be read to its end; blank where all can. Raises OSError."""
        known = self.known.pop(repository, {})
        now: dict[str, _Stamp] = {}
        for name, file in loose_objects(repository / "objects"):
            try:
                status = os.stat(file)
            except FileNotFoundError:
                continue
            stamp = status.st_ino, status.st_size, status.st_mtime_ns
            if known.get(name) != stamp and not _readable(file):
                return name
            now[name] = stamp
        self.known[repository] = now
        self.looked[repository] = time.monotonic()
        return ""

    def forget(self, repository: Path) -> None:
        """The repository is another one now."""
        self.known.pop(repository, None)
        self.looked.pop(repository, None)


def _first_cut_off(repository: Path, names: Iterable[str]) -> str:
    """Of these objects, as far as they are loose."""
    wanted = frozenset(names)
    found = loose_objects(repository / "objects")
    return next((name for name, file in found if name in wanted and not _readable(file)), "")


def loose_objects(objects: Path) -> Iterator[tuple[str, str]]:
    """Name and file of every loose object; what git has not finished writing has other names."""
    with os.scandir(objects) as folders:
        inside = [each for each in folders if len(each.name) == 2 and _HEX.issuperset(each.name)]
    for folder in inside:
        with os.scandir(folder) as files:
            for file in files:
                name = folder.name + file.name
                if len(name) in _NAMES and _HEX.issuperset(name):
                    yield name, file.path


def read_through(file: str | Path, take: Callable[[bytes], object] = len) -> bool:
    """Hand over what a file holds, piece by piece; gives whether that is one whole zlib stream."""
    unpacked = zlib.decompressobj()
    try:
        with open(file, "rb") as packed:
            while not unpacked.eof and (data := packed.read(_CHUNK)):
                while data:
                    take(unpacked.decompress(data, _CHUNK))
                    data = unpacked.unconsumed_tail
            take(unpacked.flush())  # what the last bytes of the file stand for
    except zlib.error:
        return False
    return unpacked.eof


def _readable(file: str) -> bool:
    """Its contents are compared with its name by whoever reads it."""
    try:
        return read_through(file)
    except FileNotFoundError:
        return True  # it is in a pack


def take_over(old: Path, new: Path) -> None:
    """Have in one repository what another holds loose, as far as it is what its name says. Raises OSError."""
    for name, file in loose_objects(old / "objects"):
        own = new / "objects" / name[:2] / name[2:]
        if not own.exists() and _is(name, file):
            own.parent.mkdir(exist_ok=True)
            shutil.copy(file, copy := own.with_name(f"tmp_{own.name}"))
            os.replace(copy, own)


def _is(name: str, file: str) -> bool:
    said = hashlib.sha1(usedforsecurity=False) if len(name) == _NAMES[0] else hashlib.sha256()
    return read_through(file, said.update) and said.hexdigest() == name
