"""Classes of one kind, and files of one name, that say equally much of a task by their words alone."""

import re
from collections import defaultdict

from activities.deterministic.asked import Asked
from activities.deterministic.candidates import (
    Rivals,
    close,
    current,
    labels_of,
    module,
    ordered,
    without_bases,
    words_of,
)
from activities.deterministic.relevance import Relevant
from activities.deterministic.symbols import COMMON
from activities.index.model import Index
from activities.index.records import Role, Symbol
from activities.index.words import parts, query_terms

_MOST_RIVALS = 4
_CENTRAL = 0.5
_CLOSE_MODULES = 0.3
_COMMON_HEADS = frozenset({"error", "exception", "mixin", "base", "test", "type", "option", "param"})


def families(index: Index, asked: Asked, relevant: Relevant) -> list[Rivals]:
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
        distinct = close(current(without_bases(symbols)), relevant.scores)
        outdone = any(said < other for _, other in groups)
        vague = said - {head} <= COMMON or said <= exact or head in _COMMON_HEADS
        central = max((relevant.scores[s.path] for s in distinct), default=0.0) >= _CENTRAL * best
        if 2 <= len(distinct) <= _MOST_RIVALS and central and not vague and not outdone:
            best_first = ordered(distinct, index, relevant)
            last = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", best_first[0].name)[-1].lower()
            noun = " ".join([*(spoken_word(asked.headline, s) for s in sorted(said - {head})), last])
            found.append(Rivals("class", noun, best_first, labels_of(best_first)))
    return found[:2]


def _words(name: str) -> list[str]:
    whole = name.lower()
    return [p for p in parts(name) if p != whole] or words_of(name)


def spoken_word(text: str, term: str) -> str:
    """The word of the text that a stem came from, in the singular."""
    for word in re.findall(r"[A-Za-z]+", text):
        if term in parts(word):
            one = str(word).lower()
            return one[:-1] if one.endswith("s") and not one.endswith("ss") else one
    return term


def modules(index: Index, asked: Asked, relevant: Relevant) -> list[Rivals]:
    """Source files of the same name in different folders, when the name is a word of the task. Where the task
    calls it a module, it does not matter that one uses the other."""
    spoken = query_terms(asked.headline)
    groups: dict[str, list[Symbol]] = defaultdict(list)
    for path in relevant.scores:
        one = module(index, path)
        if set(_words(one.name)) <= set(spoken) and index.files[path].role is Role.SOURCE:
            groups[one.name].append(one)
    found = []
    for name, all_of_them in sorted(groups.items()):
        near = current(close(all_of_them, relevant.scores, _CLOSE_MODULES))
        linked = any(a.path in index.imports_of(b.path) for a in near for b in near)
        if 2 <= len(near) <= _MOST_RIVALS and (called_module(asked, name) or not linked):
            noun = f"{spoken_word(asked.headline, _words(name)[-1])} module"
            found.append(Rivals("module", noun, tuple(near), tuple(s.path for s in near)))
    return found[:1]


def called_module(asked: Asked, name: str) -> bool:
    """Whether the headline calls something of this name a module or a file."""
    return bool(re.search(rf"(?<!\w){re.escape(name)}`?\s+(?:modules?|files?)\b", asked.headline, re.I))
