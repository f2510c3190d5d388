"""Which requirement belongs to which place: by the names and words they share."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from activities.deterministic.symbols import COMMON
from activities.deterministic.wording import named, paths, pieces, terms
from activities.index.records import Symbol

NAMED = 100.0


@dataclass(frozen=True)
class Place:
    """A file with the symbols that change in it and further names that belong to it."""

    path: str
    symbols: Sequence[Symbol] = ()
    names: tuple[str, ...] = ()


@dataclass
class Assignment:
    """Requirements per path, and those that nothing tied to the path they were given to."""

    by_path: dict[str, list[str]] = field(default_factory=dict)
    by_default: list[str] = field(default_factory=list)


def closeness(text: str, place: Place) -> float:
    """How much a text is about a place: NAMED and more when it names it, else the words they share: two for
    each in its names, one for each in what its symbols say about themselves."""
    symbols = {n for s in place.symbols for n in (s.name, s.qualified, s.parent) if n}
    said = {part for m in named(text) for part in (m.name, m.name.rpartition(".")[2])}
    direct = bool(said & (symbols | set(place.names)))
    direct = direct or any(place.path == p or place.path.endswith("/" + p) for p, _ in paths(text))
    heard = terms(text) - COMMON
    names = (place.path, *(s.qualified for s in place.symbols))
    in_names = heard & {w for name in names for w in pieces(name)}
    in_docs = heard & {w for s in place.symbols for w in terms(s.doc)}
    return NAMED * direct + 2 * len(in_names) + len(in_docs - in_names)


def assign(requirements: Sequence[str], places: Sequence[Place]) -> Assignment:
    """Give every requirement to each place that it names, else to the closest one, else to the first."""
    given = Assignment({p.path: [] for p in places})
    for text in requirements:
        scores = [closeness(text, p) for p in places]
        best = max(scores, default=0.0)
        if not places:
            continue
        if best >= NAMED:
            chosen = [p for p, score in zip(places, scores, strict=True) if score >= NAMED]
        else:
            chosen = [places[scores.index(best)]]
        if best == 0 and len(places) > 1:
            given.by_default.append(text)
        for place in chosen:
            given.by_path[place.path].append(text)
    return given
