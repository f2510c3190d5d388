"""What speaks for a file through others: files that it changes with, and tests that cover it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from activities.index import tests_map
from activities.index.reasons import TESTED, TOGETHER
from activities.index.records import Role

if TYPE_CHECKING:
    from activities.index.model import Index

_DOUBT = 5
"""commits added to those of a file: one common change out of one proves little"""
_IMPORTED = 0.5
"""what a test imports counts half of what it is named after"""
_LEAST_TOGETHER = 2


@dataclass
class Credit:
    """What a file is given, and the reason that gave most of it."""

    value: float = 0.0
    most: float = 0.0
    reason: str = ""

    def add(self, value: float, reason: str) -> None:
        """Add to it."""
        self.value += value
        if value > self.most:
            self.most, self.reason = value, reason


def changed_with(index: Index, hits: Mapping[str, float]) -> dict[str, Credit]:
    """Files by how likely they change when the hits do; `hits` are shares."""
    found: dict[str, Credit] = defaultdict(Credit)
    for hit, share in hits.items():
        all_of_them = index.history.changes.get(hit, 0)
        for path, times in index.history.together.get(hit, {}).items():
            if times >= _LEAST_TOGETHER:
                reason = f"{TOGETHER} `{hit}` ({times} of {all_of_them} commits)"
                found[path].add(share * times / (all_of_them + _DOUBT), reason)
    return found


def tested_by(index: Index, tests: Iterable[tuple[str, float]]) -> dict[str, Credit]:
    """Sources that test files are named after or import; `tests` are paths with how well they match."""
    found: dict[str, Credit] = defaultdict(Credit)
    for test, match in tests:
        reason = f"`{test}` {TESTED}"
        named = [p for p in index.files_called(tests_map.subject(test)) if _source(index, p)]
        imported = [p for p in index.imports_of(test) if _source(index, p)]
        for path in named:
            found[path].add(match / len(named), reason)
        for path in imported:
            found[path].add(_IMPORTED * match / len(imported), reason)
    return found


def _source(index: Index, path: str) -> bool:
    entry = index.files[path]
    return entry.role is Role.SOURCE and not entry.skipped
