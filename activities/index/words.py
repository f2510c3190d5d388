"""Splitting text and identifiers into comparable words."""

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

IDENTIFIER = re.compile(r"[^\W\d]\w*")
_PLAIN_IDENTIFIER = re.compile(IDENTIFIER.pattern, re.ASCII)
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[^\W\dA-Za-z_]+")
_MAX_COUNT = 30

# Words that code shortens and people spell out.
_SHORT = {
    "authentication": "auth",
    "authenticate": "auth",
    "authenticated": "auth",
    "oauth": "auth",
    "authorization": "auth",
    "authorize": "auth",
    "configuration": "config",
    "configure": "config",
    "cfg": "config",
    "parameter": "param",
    "parameters": "param",
    "argument": "arg",
    "arguments": "arg",
    "directory": "dir",
    "directories": "dir",
    "database": "db",
    "message": "msg",
    "messages": "msg",
    "documentation": "doc",
    "environment": "env",
    "repository": "repo",
    "repositories": "repo",
    "asynchronous": "async",
    "initialise": "init",
    "initialize": "init",
}

_STOP = """
    a about above add added adds after all allow allows also an and any are as at be because been
    before being but by can change changes code could current currently description do does done
    each either etc example existing feature file files first fix following for from get given had
    has have how i if implement implementation in into is it its just let like make makes may method
    methods more must need needs new no not now of on one only or other our out over provide pull
    request return same see set should so some such support supports task than that the their them
    then there these they this those to too two up update updated use used user users uses using via
    was we were what when where whether which while who will with without work would you your class
    function none true false self def import str int
"""
STOP_WORDS = frozenset(_STOP.split())


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """A rough stem: `sessions` and `session`, `expiry` and `expires` meet; not meant to be read."""
    word = word.lower()
    if word in _SHORT:
        return _SHORT[word]
    for ending in ("ations", "ation", "ators", "ator", "ating", "ated"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    for ending in ("ies", "ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith(("ss", "us", "is")):
            word = word[: -len(ending)]
            break
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    if word.endswith("ate") and len(word) > 6:
        return word[:-3]
    return word[:-1] if len(word) > 4 and word[-1] in "ey" else word


@lru_cache(maxsize=200_000)
def parts(identifier: str) -> tuple[str, ...]:
    """Stems of an identifier's parts, split at case and underscores, and the whole when there are several."""
    pieces = [stem(p) for p in _PART.findall(identifier) if len(p) > 1]
    if len(pieces) > 1:
        pieces.append(identifier.lower())
    return tuple(pieces)


def count(text: str) -> dict[str, int]:
    """How often each word of a text occurs, identifiers split."""
    # the same for a text that is all ASCII, in half of the time
    pattern = _PLAIN_IDENTIFIER if text.isascii() else IDENTIFIER
    return count_parts(Counter(pattern.findall(text)))


def count_parts(identifiers: Mapping[str, int]) -> dict[str, int]:
    """The same from identifiers that were counted already. Counts are capped: repetition proves little."""
    counts: dict[str, int] = {}
    known = counts.get
    for identifier, number in identifiers.items():
        for part in parts(identifier):
            counts[part] = known(part, 0) + number
    return {term: number if number < _MAX_COUNT else _MAX_COUNT for term, number in counts.items()}


def spoken(text: str) -> dict[str, str]:
    """For each comparable word of a text the way it is written there first."""
    words: dict[str, str] = {}
    for word in IDENTIFIER.findall(text):
        for part in parts(word):
            words.setdefault(part, word)
    return words


def query_terms(text: str) -> dict[str, int]:
    """The words of a task that can tell files apart, with how often they occur."""
    found: Counter[str] = Counter()
    for word in IDENTIFIER.findall(text):
        if word.lower() not in STOP_WORDS:
            found.update(p for p in parts(word) if p not in STOP_WORDS)
    return dict(found)
