"""What this process knows of the files in its folders, so that only those that changed are read again.

Git does the same in its index, in a process for each look. A file's stamp is what the system says of it; none
is kept of a file that changed so lately that the next change might leave the same one.
"""

import os
import stat
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

import pygit2

from activities.execution.large import LARGE, put_large
from activities.execution.listing import Listing, Stamp, common_mode
from activities.execution.trees import LINK, NOTHING, SUBMODULE, Entry, files, rewrite

MOST_FILES = 500_000
"""that are known at a time, in all folders: some 200 MB"""
REGULAR = 0o100000
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_HELD, _HELD_BYTES = 1_000, 1 << 14  # contents, 16 MB in all


@dataclass(frozen=True)
class Seen:
    """Files of one folder, each with its stamp and its entry, and git's tree of them."""

    tree: str
    files: dict[str, tuple[Stamp | None, Entry]]


@dataclass(frozen=True)
class Sight:
    """What was seen last in each folder; what was used longest ago is forgotten first."""

    folders: OrderedDict[Path, Seen] = field(default_factory=OrderedDict)
    listed: dict[str, dict[str, Entry]] = field(default_factory=dict)
    """the files of the tree that was brought somewhere last: the next folder often gets the same"""
    contents: dict[bytes, bytes] = field(default_factory=dict)
    """of blobs of that tree"""

    def keep(self, folder: Path, seen: Seen) -> None:
        """Remember what is in a folder."""
        self.folders[folder] = seen
        self.folders.move_to_end(folder)
        while len(self.folders) > 1 and sum(len(each.files) for each in self.folders.values()) > MOST_FILES:
            self.folders.popitem(last=False)

    def forget(self, folder: Path) -> None:
        """The folder is no more."""
        self.folders.pop(folder, None)

    def files_of(self, here: pygit2.Repository, tree: str) -> dict[str, Entry]:
        """The files of a tree by path, without submodules. What it gives is shared."""
        found = self.listed.get(tree)
        if found is None:
            found = {
                os.fsdecode(path): entry
                for path, entry in files(here.odb, bytes.fromhex(tree))
                if entry[0] != SUBMODULE
            }
            self.listed.clear()
            self.contents.clear()
            self.listed[tree] = found
        return found

    def holds(self, blob: bytes) -> bool:
        """Whether what a blob holds is at hand."""
        return blob in self.contents

    def content_of(self, here: pygit2.Repository, blob: bytes) -> bytes:
        """What a blob holds. A small one is held for the next folder: steps side by side begin alike."""
        data = self.contents.get(blob)
        if data is None:
            data = here.odb.read(pygit2.Oid(raw=blob))[1]
            if len(data) <= _HELD_BYTES and len(self.contents) < _HELD:
                self.contents[blob] = data
        return data

    def look(self, here: pygit2.Repository, folder: Path, found: Listing, since: str, clock: int) -> Seen:
        """Have what was found in a folder in the repository; `since` is a tree that it was like before.

        `clock` is the time by the file system before it was listed.
        """
        before = self.folders.get(folder)
        if before is None or not here.odb.exists(pygit2.Oid(hex=before.tree)):
            # Nothing is known, or the repository was lost and made again.
            before = Seen(since, {path: (None, entry) for path, entry in self.files_of(here, since).items()})
        now: dict[str, tuple[Stamp | None, Entry]] = {}
        changes: dict[bytes, Entry] = {}
        for path, stamp in found.stamps.items():
            was, entry = before.files.get(path, (None, NOTHING))
            if was != stamp:
                old = entry
                try:
                    entry = _read(here, os.path.join(folder, path), stamp, old)
                except FileNotFoundError:
                    continue  # somebody else removed it meanwhile
                if entry != old:
                    changes[os.fsencode(path)] = entry
            now[path] = (lasting(stamp, clock), entry)
        changes |= {os.fsencode(path): NOTHING for path in before.files.keys() - now.keys()}
        return Seen(rewrite(here.odb, bytes.fromhex(before.tree), changes).hex(), now)


def lasting(stamp: Stamp, clock: int) -> Stamp | None:
    """A stamp that no later change can leave again; None for any other. It was taken at `clock` or later."""
    return stamp if stamp.changed < clock else None


def time_at(file: Path) -> int:
    """What the file system writes down as the time of a change that is made now, in nanoseconds."""
    file.touch()
    return file.stat().st_mtime_ns


def _read(here: pygit2.Repository, full: str, stamp: Stamp, old: Entry) -> Entry:
    """The entry of a file or link, which is in the repository afterwards; `old` is the one that it had."""
    if stat.S_ISLNK(stamp.mode):
        return LINK, _kept(here, os.readlink(os.fsencode(full)), old)
    with open(os.open(full, READ), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise FileNotFoundError(full)
        mode = REGULAR | common_mode(stamp.mode)
        if stamp.size > LARGE:
            return mode, put_large(here.path, file)
        return mode, _kept(here, file.read(), old)


def _kept(here: pygit2.Repository, data: bytes, old: Entry) -> bytes:
    # Asking the repository takes longer than all the rest.
    return old[1] if pygit2.hash(data).raw == old[1] else here.create_blob(data).raw
