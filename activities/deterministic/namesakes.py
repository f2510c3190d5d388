"""A name in the task that several places define."""

import builtins
import keyword
import posixpath
import re

from activities.deterministic.asked import Asked
from activities.deterministic.candidates import (
    Rivals,
    ancestors,
    close,
    current,
    labels_of,
    meet,
    ordered,
    without_declarations,
    words_of,
)
from activities.deterministic.relevance import Relevant
from activities.deterministic.symbols import COMMON
from activities.index.mentions import paths_named, symbols_named
from activities.index.model import Index
from activities.index.naming import named_in
from activities.index.records import Role, Symbol, SymbolKind
from activities.index.words import STOP_WORDS, query_terms

_MOST_DEFINITIONS = 8
_MOST_SHOWN = 4
_CLOSE = 0.5
_KINDS = frozenset(
    ("struct", "trait", "interface", "enum", "type", "module", "hook", "property", "attribute", "symbol")
)
_MISSING = re.compile(
    r"\b(?:no|lacks?|missing|without|new|add(?:s|ing)?)\s+(?:an?\s+|the\s+)?(?:new\s+)?`?$", re.I
)


def namesakes(index: Index, asked: Asked, relevant: Relevant) -> list[Rivals]:
    """A name in backticks that several sources define, unless the task also says which of them: by the file
    or the class, or by a word that only the place of one of them has."""
    named = named_in(asked.task)
    places = {path for name in named.paths for path in paths_named(index, name)}
    groups = []
    for name in named_in(asked.spotlight).quoted:
        if name.startswith("__") or keyword.iskeyword(name):
            continue
        if _to_be_made(asked.spotlight, name) or _describes(asked.spotlight, name):
            continue
        distinct = _definitions(index, name)
        told = [s for s in distinct if s.path in places or (s.parent and s.parent in named.symbols)]
        distinct = current(_roots(index, told or _hinted(asked.spotlight, _plain(index, distinct))))
        classes = all(s.kind.container for s in distinct)
        if len(distinct) > _MOST_DEFINITIONS and not classes:
            distinct = close(distinct, relevant.scores, _CLOSE)
        if 2 <= len(distinct) <= _MOST_DEFINITIONS or (classes and len(distinct) > 1):
            best = ordered(distinct, index, relevant)
            shown = best[:_MOST_SHOWN]
            groups.append(Rivals("name", name, shown, labels_of(shown), len(best) - len(shown)))
    return groups


def _definitions(index: Index, name: str) -> list[Symbol]:
    """One for each class or file: overloads, and tests beside what they test, are not counted twice."""
    found = [s for s in symbols_named(index, name) if index.files[s.path].role is Role.SOURCE]
    found = [s for s in found if s.kind.callable or s.kind.container]
    if hasattr(builtins, name):
        found = [s for s in found if not s.path.endswith((".py", ".pyi"))]
    return list({(s.path, s.parent): s for s in reversed(without_declarations(found))}.values())[::-1]


def _to_be_made(text: str, name: str) -> bool:
    """Whether the text says that something has no such name yet."""
    return any(
        _MISSING.search(text[: match.start()]) for match in re.finditer(rf"`{re.escape(name)}\b", text)
    )


def _describes(text: str, name: str) -> bool:
    """Whether a name only says what sort of thing is spoken of: in a `call` block."""
    behind = re.search(rf"\b(?:an?|the)\s+`{re.escape(name)}`\s+(\w+)", text, re.I)
    return behind is not None and behind[1].lower() not in STOP_WORDS | _KINDS


def _plain(index: Index, symbols: list[Symbol]) -> list[Symbol]:
    """A bare name means functions before methods that are called alike, and code before its interface."""
    functions = [s for s in symbols if not s.parent and s.kind.callable]
    if functions:
        return functions
    interfaces = {s.name for one in symbols for s in index.find(one.parent) if s.kind is SymbolKind.INTERFACE}
    return [s for s in symbols if s.parent not in interfaces] or symbols


def _hinted(text: str, symbols: list[Symbol]) -> list[Symbol]:
    """Those whose place has the most words of the text among the words that not every place has."""
    spoken = {meet(term) for term in query_terms(text)}
    places = [{*words_of(s.parent or ""), *_words_of_path(s.path)} - COMMON for s in symbols]
    shared = set.intersection(*places) if places else set()
    own = {word for s in symbols for word in (*words_of(s.name), s.name.lower())}
    said = [len((place - shared - own) & spoken) for place in places]
    return [s for s, number in zip(symbols, said, strict=True) if number == max(said)]


def _words_of_path(path: str) -> set[str]:
    return {word for piece in posixpath.splitext(path)[0].split("/") for word in words_of(piece)}


def _roots(index: Index, symbols: list[Symbol]) -> list[Symbol]:
    """Without overrides: a method of a class whose base is among the candidates follows its base."""
    owners = {s.parent or s.name for s in symbols}
    return [s for s in symbols if not (ancestors(index, s.parent or s.name) & owners - {s.parent or s.name})]
