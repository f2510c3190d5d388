"""What the past of a commit tells about its files: how often each changed, and with which others."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

MOST_FILES = 20
"""a commit that touches more is a sweep (a rename, a formatter) and ties nothing together"""


@dataclass(frozen=True)
class History:
    """`changes` counts the commits that touched a path, `together` those that touched two, by both. Empty for
    a plain folder and where the past was not fetched."""

    changes: Mapping[str, int] = field(default_factory=dict)
    together: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @cached_property
    def most(self) -> int:
        """The changes of the file that changed most."""
        return max(self.changes.values(), default=0)


def history_of(commits: Iterable[tuple[str, ...]], paths: frozenset[str]) -> History:
    """Count the commits, given as the paths that each touched; only `paths` count."""
    changes: Counter[str] = Counter()
    together: dict[str, Counter[str]] = defaultdict(Counter)
    for touched in commits:
        known = sorted(paths.intersection(touched))
        changes.update(known)
        for path in known if len(touched) <= MOST_FILES else ():
            together[path].update(other for other in known if other != path)
    return History(dict(changes), dict(together))
