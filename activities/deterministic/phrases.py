"""The things that a task speaks of, as far as their words go: `the date type adapter`."""

import re
from dataclasses import dataclass

from activities.deterministic.candidates import meet
from activities.index.words import STOP_WORDS, stem

_MOST_WORDS = 5
_TOKEN = re.compile(r"`[^`\n]*`|[^\W\d][\w]*(?:-[^\W\d]\w*)*|[^\s]")
_DETERMINERS = frozenset({"the", "a", "an", "our", "its", "this", "your", "my"})
_ENDS_SENTENCE = frozenset(".:;!?")
_KINDS = frozenset(["class", "function", "method", "module", "file", "struct", "trait", "interface"])
# stop words of a search that can be part of what a thing is called
_NOUNS = _KINDS | frozenset(
    ["classes", "code", "example", "feature", "files", "functions", "methods", "request", "user", "users"]
)
_DEMANDS = frozenset(["should", "must", "needs", "shall", "cannot"])


@dataclass(frozen=True)
class Phrase:
    """Words in the order of the text: `said` as written, `terms` to compare. `definite` says that an article
    or the like stands before them; else they begin a sentence."""

    said: tuple[str, ...]
    terms: tuple[str, ...]
    definite: bool


def phrases(text: str, demanded: bool = False) -> list[Phrase]:
    """What stands behind each article and at the beginning of each sentence, up to the next small word.
    `demanded` takes only what a sentence begins with and demands something of: `the writer should ...`."""
    found = []
    for line in text.splitlines():
        tokens = _TOKEN.findall(line)
        for at, token in enumerate(tokens):
            starts = at == 0 or tokens[at - 1] in _ENDS_SENTENCE
            definite = token.lower() in _DETERMINERS
            if not (starts or (definite and not demanded)):
                continue
            words, behind = _run(tokens[at + definite :])
            if words and (not demanded or (definite and behind in _DEMANDS)):
                terms = tuple(meet(stem(word)) for word in words)
                found.append(Phrase(tuple(words), terms, definite))
    return found


def _run(tokens: list[str]) -> tuple[list[str], str]:
    """The words up to a small one, and that one; what only says that a class follows is passed over."""
    words: list[str] = []
    for token in tokens:
        for word in token.split("-"):
            small = word.lower() in STOP_WORDS - _NOUNS or word.lower() in _DEMANDS
            if not word[:1].isalpha() or small or len(words) == _MOST_WORDS:
                return words, word.lower()
            if words or word.lower() not in _KINDS:
                words.append(word)
    return words, ""
