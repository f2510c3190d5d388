"""Candidates of a question about the place: how they are told apart, ordered and thinned out."""

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from activities.deterministic.relevance import Relevant
from activities.index.model import Index
from activities.index.records import Symbol, SymbolKind
from activities.index.words import parts, stem

_CLOSE = 0.12
_OLD_FOLDER = re.compile(
    r"(?:^|[_.-])(?:legacy|deprecated|obsolete|old|compat|vendor(?:ed)?|archive)(?:$|[_.-])", re.I
)
_DECLARING = (".h", ".hh", ".hpp", ".hxx", ".pyi", ".d.ts")
_OLD = re.compile(r"\bdeprecated\b", re.I)
_MAKER_OF_INTERFACES = frozenset({"Protocol", "Interface"})


@dataclass(frozen=True)
class Rivals:
    """Candidates, the best first. `noun` is what they have in common, in the task's words where it can be;
    `labels` are how they are told apart, in the same order; `more` is how many others there are."""

    kind: str
    noun: str
    symbols: tuple[Symbol, ...]
    labels: tuple[str, ...]
    more: int = 0


def labels_of(symbols: Sequence[Symbol]) -> tuple[str, ...]:
    """Names, with the path where two are called alike; modules by path."""
    names = Counter(s.qualified for s in symbols)
    return tuple(
        s.path
        if s.kind is SymbolKind.MODULE
        else s.qualified
        if names[s.qualified] == 1
        else f"{s.qualified} in {s.path}"
        for s in symbols
    )


def module(index: Index, path: str) -> Symbol:
    """A file as a candidate, named without its ending."""
    name = posixpath.basename(path).split(".")[0]
    return Symbol(path, name, SymbolKind.MODULE, 1, index.files[path].lines, path, 1)


def ordered(symbols: Iterable[Symbol], index: Index, relevant: Relevant) -> tuple[Symbol, ...]:
    """By the weight of the file, then by how much they are used."""
    scores = relevant.scores
    return tuple(
        sorted(symbols, key=lambda s: (-scores.get(s.path, 0.0), -len(index.callers(s)), s.path, s.line))
    )


def close(symbols: Sequence[Symbol], scores: Mapping[str, float], share: float = _CLOSE) -> list[Symbol]:
    """Those whose file weighs at least a share of the heaviest one's."""
    best = max((scores.get(s.path, 0.0) for s in symbols), default=0.0)
    return [s for s in symbols if scores.get(s.path, 0.0) >= share * best]


def current(symbols: Sequence[Symbol]) -> list[Symbol]:
    """Without copies that are kept for old users: in a folder named so, documented or marked as deprecated.
    A file named so is none: an older way beside a newer one is what a question is about."""
    kept = [s for s in symbols if not _kept_for_old_users(s)]
    return kept or list(symbols)


def without_declarations(symbols: Sequence[Symbol]) -> list[Symbol]:
    """Without headers and stubs that only declare what another of the symbols defines."""
    defined = {s.qualified for s in symbols if not s.path.endswith(_DECLARING)}
    return [s for s in symbols if not (s.path.endswith(_DECLARING) and s.qualified in defined)]


def _kept_for_old_users(symbol: Symbol) -> bool:
    folders = posixpath.dirname(symbol.path).split("/")
    marked = any("deprecated" in mark.lower() for mark in symbol.decorators)
    return marked or bool(_OLD.search(symbol.doc)) or any(_OLD_FOLDER.search(f) for f in folders)


def public(symbols: Sequence[Symbol]) -> list[Symbol]:
    """Without helpers, when two or more of the rest are for everyone."""
    shown = [s for s in symbols if exported(s)]
    return shown if len(shown) >= 2 else list(symbols)


def exported(symbol: Symbol) -> bool:
    """Whether others may use it: Go shows it by the first letter, Rust by `pub`, Python by an underscore."""
    if symbol.path.endswith(".go"):
        return symbol.name[:1].isupper()
    if symbol.path.endswith(".rs") and symbol.kind is not SymbolKind.MODULE:
        return symbol.signature.startswith("pub")
    return not symbol.private


def without_bases(symbols: Sequence[Symbol]) -> list[Symbol]:
    """A common base class is not a rival of those that extend it."""
    bases = {plain_base(base) for s in symbols for base in s.bases}
    return [s for s in symbols if s.name not in bases]


def without_heirs(symbols: Sequence[Symbol]) -> list[Symbol]:
    """Without those that follow another one, when there are several to follow: each keeps its family."""
    bases = {plain_base(base) for s in symbols for base in s.bases}
    above = [s for s in symbols if s.name in bases]
    heirs = [s for s in symbols if {plain_base(base) for base in s.bases} & {a.name for a in above}]
    return [s for s in symbols if s not in heirs] if len(above) > 1 else list(symbols)


def plain_base(base: str) -> str:
    """The name of a base class without module and type arguments."""
    return re.split(r"[\[(<]", base)[0].rsplit(".", 1)[-1]


def ancestors(index: Index, name: str) -> set[str]:
    """The names of all bases of a class, near and far."""
    seen: set[str] = set()
    pending = [name]
    while pending and len(seen) < 50:
        for symbol in index.find(pending.pop()):
            for base in map(plain_base, symbol.bases):
                if base not in seen:
                    seen.add(base)
                    pending.append(base)
    return seen


def bodiless(index: Index, symbol: Symbol) -> bool:
    """Whether a class only says what others have to do: an interface, or abstract methods and no others."""
    if symbol.kind is SymbolKind.INTERFACE or _MAKER_OF_INTERFACES & set(map(plain_base, symbol.bases)):
        return True
    methods = [s for s in index.symbols_in(symbol.path) if s.parent == symbol.name and s.kind.callable]
    return bool(methods) and all(any("abstract" in mark for mark in m.decorators) for m in methods)


def words_of(name: str) -> list[str]:
    """The comparable words of a name, in order."""
    whole = name.lower()
    return [meet(p) for p in parts(name) if p != whole] or [meet(stem(name))]


def meet(word: str) -> str:
    """Lets `completion` and `complete`, `compression` and `compress` meet, on top of `stem`."""
    return word[:-3] if word.endswith("ion") and len(word) > 7 else word
