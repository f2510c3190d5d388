"""Groups of symbols or files that fit a task about equally well."""

import builtins
import keyword
import posixpath
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from activities.deterministic.asked import Asked
from activities.deterministic.relevance import Relevant
from activities.deterministic.symbols import COMMON
from activities.index.model import Index
from activities.index.naming import Named, named_in
from activities.index.ranking import paths_named, symbols_named
from activities.index.records import Role, Symbol, SymbolKind
from activities.index.words import parts, query_terms, stem

_MOST_RIVALS = 4
_MOST_DEFINITIONS = 4
_CLOSE = 0.12
_CLOSE_MODULES = 0.3
_CENTRAL = 0.5
_COMMON_HEADS = frozenset({"error", "exception", "mixin", "base", "test", "type", "option", "param"})


@dataclass(frozen=True)
class Rivals:
    """Candidates, the best first. `noun` is what they have in common, in the task's words where it can be;
    `labels` are how they are told apart, in the same order."""

    kind: str
    noun: str
    symbols: tuple[Symbol, ...]
    labels: tuple[str, ...]


def find_rivals(index: Index, asked: Asked, relevant: Relevant) -> list[Rivals]:
    """Names with several definitions, then kinds of classes, then modules; a settled group is left out."""
    groups = _same_name(index, named_in(asked.spotlight), named_in(asked.task), relevant)
    if not _pointed(index, named_in(asked.headline)):
        families = _families(index, asked, relevant)
        groups += families
        groups += _modules(index, asked, relevant, {s.path for g in families for s in g.symbols})
    return [group for group in groups if not _settled(group, asked)]


def _pointed(index: Index, named: Named) -> bool:
    """Whether the headline says where: a source file, a class or a function that exists."""
    if any(index.files[p].role is Role.SOURCE for name in named.paths for p in paths_named(index, name)):
        return True
    found = [s for name in named.symbols for s in symbols_named(index, name)]
    return any(
        index.files[s.path].role is Role.SOURCE and (s.kind.callable or s.kind.container) for s in found
    )


def _same_name(index: Index, spotlight: Named, named: Named, relevant: Relevant) -> list[Rivals]:
    """A name in backticks that several sources define, unless the task also names the file or the class."""
    groups = []
    places = {path for name in named.paths for path in paths_named(index, name)}
    for name in spotlight.quoted:
        if name.startswith("__") or hasattr(builtins, name) or keyword.iskeyword(name):
            continue
        found = [s for s in symbols_named(index, name) if index.files[s.path].role is Role.SOURCE]
        found = [s for s in found if s.kind.callable or s.kind.container]
        distinct = list({(s.path, s.parent): s for s in found}.values())
        told = [s for s in distinct if s.path in places or (s.parent and s.parent in named.symbols)]
        distinct = _roots(index, told or _plain(index, distinct))
        if 2 <= len(distinct) <= _MOST_DEFINITIONS:
            ordered = _ordered(distinct, index, relevant)
            labels = tuple(s.qualified for s in ordered)
            if len(set(labels)) < len(labels):
                labels = tuple(f"{s.qualified} in {s.path}" for s in ordered)
            groups.append(Rivals("name", name, ordered, labels))
    return groups


def _plain(index: Index, symbols: list[Symbol]) -> list[Symbol]:
    """A bare name means the function before methods that are called alike, and code before its interface."""
    functions = [s for s in symbols if not s.parent]
    if len(functions) == 1:
        return functions
    interfaces = {s.name for one in symbols for s in index.find(one.parent) if s.kind is SymbolKind.INTERFACE}
    return [s for s in symbols if s.parent not in interfaces] or symbols


def _roots(index: Index, symbols: list[Symbol]) -> list[Symbol]:
    """Without overrides: a method of a class whose base is among the candidates follows its base."""
    owners = {s.parent or s.name for s in symbols}
    return [s for s in symbols if not (_ancestors(index, s.parent or s.name) & owners - {s.parent or s.name})]


def _ancestors(index: Index, name: str) -> set[str]:
    seen: set[str] = set()
    pending = [name]
    while pending and len(seen) < 50:
        for symbol in index.find(pending.pop()):
            for base in symbol.bases:
                plain = re.split(r"[\[(<]", base)[0].rsplit(".", 1)[-1]
                if plain not in seen:
                    seen.add(plain)
                    pending.append(plain)
    return seen


def _families(index: Index, asked: Asked, relevant: Relevant) -> list[Rivals]:
    """Classes with the same last word (`...Service`) whose names say equally much of the task."""
    spoken = query_terms(asked.headline)
    groups: dict[tuple[str, frozenset[str]], list[Symbol]] = defaultdict(list)
    exact: set[str] = set()
    for path in relevant.scores:
        if index.files[path].role is Role.SOURCE:
            for symbol in index.symbols_in(path):
                own = _words(symbol.name)
                said = frozenset(w for w in own if w in spoken)
                if symbol.kind.container and said and not symbol.parent and not symbol.private:
                    exact |= said if set(own) <= set(spoken) else set()
                    groups[own[-1], said].append(symbol)
    best = max((file.score for file in relevant.files), default=0.0)
    found = []
    for (head, said), symbols in groups.items():
        distinct = _close(_without_bases(symbols), relevant.scores)
        outdone = any(said < other for _, other in groups)
        vague = said - {head} <= COMMON or said <= exact or head in _COMMON_HEADS
        central = max((relevant.scores[s.path] for s in distinct), default=0.0) >= _CENTRAL * best
        if 2 <= len(distinct) <= _MOST_RIVALS and central and not vague and not outdone:
            ordered = _ordered(distinct, index, relevant)
            last = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", ordered[0].name)[-1].lower()
            noun = " ".join([*(_spoken_word(asked.headline, s) for s in sorted(said - {head})), last])
            labels = tuple(s.name for s in ordered)
            if len(set(labels)) < len(labels):
                labels = tuple(f"{s.name} in {s.path}" for s in ordered)
            found.append(Rivals("class", noun, ordered, labels))
    return found[:2]


def _words(name: str) -> list[str]:
    whole = name.lower()
    words = [p for p in parts(name) if p != whole]
    return words or [stem(name)]


def _without_bases(symbols: list[Symbol]) -> list[Symbol]:
    """A common base class is not a rival of those that extend it."""
    bases = {re.split(r"[\[(<]", base)[0].rsplit(".", 1)[-1] for s in symbols for base in s.bases}
    return [s for s in symbols if s.name not in bases]


def _close(symbols: list[Symbol], scores: Mapping[str, float]) -> list[Symbol]:
    best = max((scores.get(s.path, 0.0) for s in symbols), default=0.0)
    return [s for s in symbols if scores.get(s.path, 0.0) >= _CLOSE * best]


def _ordered(symbols: list[Symbol], index: Index, relevant: Relevant) -> tuple[Symbol, ...]:
    scores = relevant.scores
    return tuple(
        sorted(symbols, key=lambda s: (-scores.get(s.path, 0.0), -len(index.callers(s)), s.path, s.line))
    )


def _modules(index: Index, asked: Asked, relevant: Relevant, taken: set[str]) -> list[Rivals]:
    """Source files of the same name in different folders, when the name is a word of the task."""
    spoken = query_terms(asked.headline)
    scores = relevant.scores
    groups: dict[str, list[str]] = defaultdict(list)
    for path in scores:
        name = posixpath.basename(path).split(".")[0]
        if index.files[path].role is Role.SOURCE and path not in taken and set(_words(name)) <= set(spoken):
            groups[name].append(path)
    found = []
    for name, paths in sorted(groups.items()):
        best = max(scores[p] for p in paths)
        close = [p for p in paths if scores[p] >= _CLOSE_MODULES * best]
        linked = any(a in index.imports_of(b) for a in close for b in close)
        if 2 <= len(close) <= _MOST_RIVALS and not linked:
            symbols = tuple(Symbol(p, name, SymbolKind.MODULE, 1, index.files[p].lines, p, 1) for p in close)
            found.append(
                Rivals("module", f"{_spoken_word(asked.headline, stem(name))} module", symbols, tuple(close))
            )
    return found[:1]


def _spoken_word(text: str, term: str) -> str:
    """The word of the text that a stem came from, in the singular."""
    for word in re.findall(r"[A-Za-z]+", text):
        if term in parts(word):
            one = str(word).lower()
            return one[:-1] if one.endswith("s") and not one.endswith("ss") else one
    return term


def _settled(group: Rivals, asked: Asked) -> bool:
    """Whether people named one of the candidates since, or said that all are meant."""
    said = asked.settling if group.kind == "name" else f"{asked.task}\n{asked.settling}"
    everything = re.compile(
        rf"\b(?:both|all|every|each)\b[^.\n]{{0,40}}\b{re.escape(group.noun.split()[-1])}", re.I
    )
    if everything.search(said) or all(f"`{label}`" in asked.answered for label in group.labels):
        return True
    names = {name for symbol in group.symbols for name in (symbol.path, symbol.qualified, symbol.name)}
    names -= {group.symbols[0].name} if group.kind != "class" else set()
    return any(re.search(rf"(?<![\w./]){re.escape(name)}(?!\w)", said, re.I) for name in names)
