"""Indexes kept between runs: a folder of packs, one for each tree, never trusted and never too large."""

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from activities.index.pack import DamagedPack, Pack, from_file
from activities.index.parse import VERSION

LIMIT = 2_000_000_000
"""bytes that all packs together may take"""
_RECENT = 4
_ABANDONED = 3_600.0  # seconds after which a file that a killed writer left is removed


class PackCache:
    """A pack is written once under a name of its own and never changed: workers need no lock. Its time of
    change says when it was last used; those used longest ago go first."""

    def __init__(self, folder: Path, limit: int = LIMIT) -> None:
        self._root = folder / "index"
        self._folder = self._root / f"v{VERSION}"
        self._limit = limit

    def load(self, key: str) -> Pack | None:
        """The pack of a tree; None when there is none, or none that is whole."""
        path = self._folder / f"{key}.pack"
        try:
            pack = from_file(path)
            os.utime(path)
        except OSError:  # there is none, or it cannot be read
            return None
        except (DamagedPack, msgspec.DecodeError):
            path.unlink(missing_ok=True)
            return None
        return pack

    def recent(self, source: str) -> Iterator[Pack]:
        """Packs of other trees of the same repository, the newest first."""
        for key in self._recent_keys(source):
            if pack := self.load(key):
                yield pack

    def save(self, key: str, source: str, data: bytes) -> None:
        """Keep a pack. A disk that is full or read-only costs time in the next run, nothing else."""
        keys = [key, *(k for k in self._recent_keys(source) if k != key)][:_RECENT]
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            _replace(self._folder / f"{key}.pack", data)
            _replace(self._recent_file(source), json.dumps(keys).encode())
            self._evict(self._folder / f"{key}.pack")
        except OSError:
            return

    def _recent_file(self, source: str) -> Path:
        return self._folder / f"{hashlib.sha256(source.encode()).hexdigest()[:40]}.recent"

    def _recent_keys(self, source: str) -> list[str]:
        try:
            keys = json.loads(self._recent_file(source).read_bytes())
        except (OSError, ValueError):  # the first of its repository, or damaged: nothing to build on
            return []
        return (
            [key for key in keys if isinstance(key, str) and key.isalnum()] if isinstance(keys, list) else []
        )

    def _evict(self, newest: Path) -> None:
        """Make room. Other versions of phasegate keep their packs in the same budget."""
        found = []
        for path in self._root.rglob("*"):
            try:
                state = path.stat()
            except FileNotFoundError:  # another worker made room too
                continue
            if path.suffix == ".tmp" and state.st_mtime < time.time() - _ABANDONED:
                path.unlink(missing_ok=True)
            elif path.is_file():
                found.append((state.st_mtime, state.st_size, path))
        taken = sum(size for _, size, _ in found)
        for _, size, path in sorted(each for each in found if each[2] != newest):
            if taken <= self._limit:
                break
            path.unlink(missing_ok=True)
            taken -= size


def _replace(path: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.replace(temporary, path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise
