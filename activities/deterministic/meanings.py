"""What the phrases of a task can mean: classes, functions and modules whose names say equally much of one."""

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from activities.deterministic.asked import Asked
from activities.deterministic.candidates import (
    Rivals,
    bodiless,
    close,
    current,
    exported,
    labels_of,
    meet,
    module,
    ordered,
    plain_base,
    public,
    without_bases,
    without_declarations,
    without_heirs,
    words_of,
)
from activities.deterministic.phrases import Phrase, phrases
from activities.deterministic.relevance import Relevant
from activities.deterministic.symbols import COMMON
from activities.index.model import Index
from activities.index.records import Role, Symbol, SymbolKind
from activities.index.words import query_terms

_MOST = 6
_CENTRAL = 0.3
_SINGLE = re.compile(r"\d|(?<![A-Za-z])[A-Za-z](?![A-Za-z])|(?<![A-Z])[A-Z](?=[A-Z][a-z]|\d)")


@dataclass(frozen=True)
class Thing:
    """Something that a phrase can mean. `own` are the words of its name, `around` those of its place and of
    what it extends."""

    symbol: Symbol
    own: tuple[str, ...]
    around: frozenset[str]

    def spelt(self, words: frozenset[str]) -> tuple[str, ...]:
        """The name with neighbours as one word where that is among the words: a check box is a checkbox."""
        found: list[str] = []
        at = 0
        while at < len(self.own):
            pair = "".join(self.own[at : at + 2])
            found.append(pair if pair in words else self.own[at])
            at += 2 if pair in words and at + 1 < len(self.own) else 1
        return tuple(found)

    def said(self, words: frozenset[str]) -> frozenset[str]:
        """Which of the words the name says."""
        return words & set(self.spelt(words))

    def is_called(self, words: frozenset[str]) -> bool:
        """Whether the words are the whole name; single letters and digits of a name tell it from others."""
        return set(self.own) <= words and not _SINGLE.search(self.symbol.name)


def meant_by_phrase(index: Index, asked: Asked, relevant: Relevant) -> tuple[list[Rivals], bool]:
    """The first phrase that several things fit equally, and whether another phrase means one thing alone.
    A phrase of one telling word counts only where none does."""
    things = _things(index, relevant)
    spoken = frozenset(meet(term) for term in query_terms(asked.headline))
    best = max((file.score for file in relevant.files), default=0.0)
    found: list[tuple[int, Rivals]] = []
    settled = False
    body = asked.spotlight if asked.spotlight != asked.headline else ""
    for phrase in [*phrases(asked.headline), *phrases(body, demanded=True)]:
        covered, fitting = _fitting(index, phrase, things, spoken)
        settled = settled or (len(fitting) == 1 and phrase.definite)
        fitting = close(fitting, relevant.scores)
        central = max((relevant.scores[s.path] for s in fitting), default=0.0) >= _CENTRAL * best
        if 2 <= len(fitting) <= _MOST and central and (phrase.definite or covered > 1):
            best_first = ordered(fitting, index, relevant)
            noun = " ".join(word.lower() for word in phrase.said[:covered])
            found.append((covered, Rivals("phrase", noun, best_first, labels_of(best_first))))
    return [group for covered, group in found if covered > 1 or not settled][:1], settled


def _things(index: Index, relevant: Relevant) -> list[Thing]:
    found = []
    for path in relevant.scores:
        if index.files[path].role is not Role.SOURCE or not index.files[path].code:
            continue
        around = {word for piece in posixpath.splitext(path)[0].split("/") for word in words_of(piece)}
        inside = [s for s in index.symbols_in(path) if not s.parent and _is_thing(s)]
        whole = module(index, path)
        # a file stands for what it defines only when nothing in it is called after the file
        if not any(set(words_of(whole.name)) & set(words_of(s.name)) for s in inside):
            inside.append(whole)
        for symbol in {s.name: s for s in reversed(inside)}.values():
            extends = {word for base in symbol.bases for word in words_of(plain_base(base))}
            found.append(Thing(symbol, tuple(words_of(symbol.name)), frozenset(around | extends)))
    return found


def _is_thing(symbol: Symbol) -> bool:
    """Classes and functions; what Rust keeps to a file may be a test beside the code."""
    shown = exported(symbol) or not symbol.path.endswith(".rs")
    return symbol.kind.container or (symbol.kind.callable and shown)


def _fitting(
    index: Index, phrase: Phrase, things: Sequence[Thing], spoken: frozenset[str]
) -> tuple[int, list[Symbol]]:
    """How many words of the phrase the names say, and what fits it best. One thing alone when the phrase is
    its whole name, none when the phrase is a plural."""
    for length in range(len(phrase.terms), 0, -1):
        window = frozenset(phrase.terms[:length])
        said = {t: t.said(window) for t in things}
        joined = [a + b for a, b in zip(phrase.terms, phrase.terms[1:length], strict=False)]
        pool = [t for t in things if said[t] - COMMON and _around(t, window - said[t], joined)]
        if not pool:
            continue
        most = max(len(said[t]) for t in pool)
        pool = [t for t in pool if len(said[t]) == most]
        whole = [t for t in pool if t.is_called(window) and not bodiless(index, t.symbol)]
        if whole:
            name = whole[0].symbol.name
            return most, without_declarations([t.symbol for t in whole if t.symbol.name == name])
        pool = [t for t in pool if not t.is_called(window)]
        pool = _headed(pool, phrase.terms[:length])
        if length == 1 and (_led(phrase, things) or not _placed_alike(pool, phrase.terms[0])):
            return most, []
        pool = _said_besides(pool, window, spoken)
        best = _rivals([t.symbol for t in pool])
        return most, [] if _plural(phrase.said[length - 1], best) else best
    return 0, []


def _rivals(symbols: list[Symbol]) -> list[Symbol]:
    return public(current(without_bases(without_heirs(without_declarations(symbols)))))


def _around(thing: Thing, words: frozenset[str], joined: Sequence[str]) -> bool:
    """Whether the place of a thing says the words, two of them also as one: `post-processing` of
    postprocessing.py."""
    as_one = [pair for pair in joined if pair in thing.around]
    return all(word in thing.around or any(word in pair for pair in as_one) for word in words)


def _led(phrase: Phrase, things: Sequence[Thing]) -> bool:
    """Whether the next word of the phrase is what something is called: a directory walk is a walk."""
    heads = {t.own[-1] for t in things if t.symbol.kind is not SymbolKind.MODULE}
    return any(term in heads for term in phrase.terms[1:2])


def _placed_alike(pool: Sequence[Thing], word: str) -> bool:
    """Whether names have a word at the same place: only then it tells what kind of thing they are."""
    spelt = [thing.spelt(frozenset((word,))) for thing in pool]
    return len({(name[0] == word, name[-1] == word) for name in spelt}) == 1


def _plural(word: str, symbols: Iterable[Symbol]) -> bool:
    """Whether a word is the plural of what the names say: then all of them are meant."""
    if not word.lower().endswith("s") or word.lower().endswith("ss"):
        return False
    return not any(word.lower() in s.name.lower() for s in symbols)


def _headed(pool: list[Thing], window: Sequence[str]) -> list[Thing]:
    """Those of which the phrase is the head, when there are two: a tree visitor before a visitor exit."""
    last = [t for t in pool if t.own and t.own[-1] == window[-1]]
    return last if len(last) >= 2 else pool


def _said_besides(pool: list[Thing], window: frozenset[str], spoken: frozenset[str]) -> list[Thing]:
    """Those with the most other words of their names said elsewhere in the headline."""
    said = [len(t.said(spoken) - window - COMMON) for t in pool]
    return [t for t, number in zip(pool, said, strict=True) if number == max(said)]
