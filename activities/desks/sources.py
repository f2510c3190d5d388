"""Where the machine reads what a model only points at: the brief and the index, with every miss a problem."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from activities.brief import Brief
from activities.desks.places import read_name, read_place
from activities.desks.problems import Problems
from activities.deterministic.reviewer import ground_of
from activities.index.model import Index
from activities.index.records import Symbol
from states.amounts import counted
from states.artifacts.base import canonical_json
from states.grounding import Ground

Body = dict[str, Any]
"""a validated draft as JSON, on its way to an artifact"""

MOST_LINES = 200
"""of one snippet; a longer one is cut, and its place says so"""
MOST_CHARACTERS = 120_000
"""of all snippets of one list"""
MOST_PLACES = 4
"""shown where a name is defined more than once"""


@dataclass
class Sources:
    """What the machine fills drafts from."""

    brief: Brief
    index: Index
    problems: Problems = field(default_factory=Problems)

    @cached_property
    def ground(self) -> Ground:
        """What exists at the commit."""
        return ground_of(self.index)

    def exists(self, path: str, where: str) -> bool:
        """Whether the commit has this file; if not, that is a problem."""
        if path in self.index.paths:
            return True
        self.problems.add(where, "no such file at this commit; name an existing one", path)
        return False

    def readable(self, path: str) -> bool:
        """Whether a path is new, or a file that the index has read: no binary, nothing huge."""
        entry = self.index.files.get(path)
        return entry is None or not entry.skipped

    def snippets(self, places: list[str], where: str) -> dict[str, str]:
        """`path:first-last` -> the code that stands there."""
        found: dict[str, str] = {}
        room = MOST_CHARACTERS
        for number, written in enumerate(places):
            named = self._snippet(written, f"{where}[{number}]")
            if named and len(named[1]) <= room:
                found[named[0]] = named[1]
                room -= len(named[1])
            elif named:
                self.problems.add(where, f"more than {MOST_CHARACTERS:,} characters of code; point at less")
                break
        return found

    def symbols(self, names: list[str], where: str) -> list[Symbol]:
        """What the names mean, each once; a name that several files define must be given with its path."""
        found = [self.symbol(written, f"{where}[{number}]") for number, written in enumerate(names)]
        return list(dict.fromkeys(symbol for symbol in found if symbol))

    def symbol(self, written: str, where: str) -> Symbol | None:
        """What a name means; a problem when that is nothing or not clear."""
        path, name = read_name(written)
        known = [s for s in self.index.find(name) if not path or s.path == path] or self._defined_at(written)
        if not known:
            inside = f" in {path}" if path else ""
            self.problems.add(where, f"no such name{inside}; names are written `path::Class.name`", written)
            return None
        if len({s.path for s in known}) > 1:
            places = ", ".join(f"{s.path}::{s.qualified}" for s in known[:MOST_PLACES])
            self.problems.add(where, f"defined in more than one file; name one of {places}", written)
            return None
        return known[0]

    def _defined_at(self, written: str) -> list[Symbol]:
        """What is defined at `path:line`, as filled helper functions are written."""
        try:
            place = read_place(written)
        except ValueError:  # it was meant as a name, and that is what the model is told
            return []
        return [s for s in self.index.symbols_in(place.path) if s.line == place.first]

    def _snippet(self, written: str, where: str) -> tuple[str, str] | None:
        try:
            place = read_place(written)
        except ValueError as error:
            self.problems.add(where, str(error), written)
            return None
        if not self.exists(place.path, where):
            return None
        if skipped := self.index.files[place.path].skipped:
            self.problems.add(where, f"this file was not read ({skipped})", written)
            return None
        total = len(self.index.text(place.path).splitlines())
        if place.first > total:
            self.problems.add(where, f"the file has {counted(total, 'line')}", written)
            return None
        last = min(place.last, total, place.first + MOST_LINES - 1)
        return f"{place.path}:{place.first}-{last}", self.index.lines(place.path, place.first, last)


def once(pieces: list[Body]) -> list[Body]:
    """Each piece once, in order: models repeat what they were shown."""
    return list({canonical_json(piece): piece for piece in reversed(pieces)}.values())[::-1]
