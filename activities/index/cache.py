"""Parse results kept between runs, by blob hash: a second index of the same code reads no code at all."""

import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from activities.index.parse import VERSION
from activities.index.records import Parsed

_MAX_SHARD_ENTRIES = 2_000
_PARSED = TypeAdapter(Parsed)


class ParseCache:
    """256 JSON files named after the first two digits of a blob's hash. Several workers may share them: a
    file is replaced as a whole, and what one worker overwrites is only parsed once more."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / f"v{VERSION}"
        self._shards: dict[str, dict[str, Any]] = {}
        self._new: dict[str, dict[str, Any]] = defaultdict(dict)

    def get(self, blob: str, language: str) -> tuple[str, Parsed] | None:
        """Why the blob was skipped (blank when it was not) and what it says; None when it is not known."""
        shard = blob[:2]
        if shard not in self._shards:
            self._shards[shard] = _load(self._folder / f"{shard}.json")
        entry = self._shards[shard].get(f"{language}:{blob}")
        if entry is None:
            return None
        try:
            return str(entry["skipped"]), _PARSED.validate_python(entry["parsed"])
        except (ValueError, TypeError, KeyError):  # a corrupt entry is as good as none
            return None

    def put(self, blob: str, language: str, skipped: str, parsed: Parsed) -> None:
        """Remember; written by `save`."""
        entry = {"skipped": skipped, "parsed": _PARSED.dump_python(parsed, mode="json")}
        self._new[blob[:2]][f"{language}:{blob}"] = entry

    def save(self) -> None:
        """Write what is new. A disk that is full or read-only costs time in the next run, nothing else."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for shard, entries in self._new.items():
                path = self._folder / f"{shard}.json"
                _replace(path, _merged(_load(path), entries))
        except OSError:
            return
        self._new.clear()


def _merged(known: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Old entries give way when a shard grows too large."""
    kept: Iterable[tuple[str, Any]] = list(known.items())[-_MAX_SHARD_ENTRIES:]
    return {**dict(kept), **new}


def _load(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):  # missing or damaged: rebuilt
        return {}
    return data if isinstance(data, dict) else {}


def _replace(path: Path, entries: dict[str, Any]) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(json.dumps(entries, separators=(",", ":")))
        os.replace(temporary, path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise
