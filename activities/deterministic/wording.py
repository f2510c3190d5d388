"""Reading what people wrote: words, sentences, and the code and files that a text names."""

import re
from dataclasses import dataclass
from functools import lru_cache

_FENCE = re.compile(r"^\s*(```|~~~).*?^\s*\1[^\n]*$", re.S | re.M)
_SPAN = re.compile(r"`([^`\n]{1,200})`")
_PIECE = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_WORD = re.compile(r"[^\W\d]\w*|\d+")
_PLAIN = re.compile(r"[^\W_]+")
_NAME = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*")
_CALL = re.compile(r"(?<![\w./])([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\(\)")
_CAMEL_OR_SNAKE = re.compile(
    r"(?<![\w./`-])((?:[A-Z][a-z0-9]+){2,}\w*|[A-Z]+[a-z0-9]+[A-Z]\w*|[a-z]\w*[A-Z]\w*|[A-Za-z]\w*_\w+)(?![\w/`]|\.\w)"
)
_PATH = re.compile(
    r"(?<![\w@:/.-])((?:[\w.@-]+/)*[\w@-][\w.@-]*\.[A-Za-z][A-Za-z0-9]{0,9}|(?:[\w.@-]+/)+[\w.@-]+)(?![\w/(])"
)
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[^\W_a-zß-ÿ]|[`\"'(\[*_])|(?<=[。！？])\s*")
_SAME = {
    "delet": "remov",
    "drop": "remov",
    "purg": "remov",
    "fetch": "get",
    "retriev": "get",
    "modif": "chang",
}
"""stems that programs use for one another"""
_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|resp|approx|incl|no)\.$", re.I)

STOP = frozenset(
    _WORD.findall(
        "a about after again all already also an and any are as at be because been before being but by can "
        "cannot could did do does doing done each either else every few for from further had has have having "
        "here how i if in into is it its itself just let like made make makes may might more most must my "
        "need needs new no nor not now of off on once one only or other our out over own per please same "
        "shall should so some such than that the their them then there these they this those through to too "
        "under until up upon us use used user users uses using very want was we were what when where which "
        "while who whole whom why will with within without would yes you your e g ie eg etc"
    )
)


def stem(word: str) -> str:
    """A word without its commonest endings, so that `expires`, `expired` and `expiry` meet."""
    word = word.lower()
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3]
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    if len(word) > 7 and word.endswith("tion"):
        word = word[:-3]
    word = word[:-1] if len(word) > 4 and word[-1] in "ey" else word
    return _SAME.get(word, word)


def pieces(identifier: str) -> tuple[str, ...]:
    """The stemmed words that an identifier or a path is made of, in order: `createLink` is create, link."""
    return tuple(stem(p) for p in _PIECE.findall(identifier))


@lru_cache(maxsize=4096)
def terms(text: str) -> frozenset[str]:
    """Stemmed words of a text without stop words; identifiers count whole and by their pieces."""
    found: set[str] = set()
    for token in _WORD.findall(text):
        parts = _PIECE.findall(token) if token.isascii() else _PLAIN.findall(token)
        found.update(stem(p) for p in parts if p.lower() not in STOP and (len(p) > 1 or p.isdigit()))
        if len(parts) > 1:
            found.add(token.lower())
    return frozenset(found)


def normal(text: str) -> str:
    """Lower-case words with single blanks: what two spellings of the same phrase have in common."""
    return " ".join(_PLAIN.findall(text)).lower()


def prose(text: str) -> str:
    """A markdown text without its fenced code blocks."""
    return _FENCE.sub("\n", text)


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of one paragraph. Dots in names, numbers and usual abbreviations end nothing."""
    joined = " ".join(text.split())
    found: list[str] = []
    for part in _SENTENCE_END.split(joined):
        if found and _ABBREVIATED.search(found[-1]):
            found[-1] = f"{found[-1]} {part}"
        elif part.strip():
            found.append(part.strip())
    return tuple(found)


@dataclass(frozen=True)
class Mention:
    """A name in a text: `before` is what stands in front of it in its line, `call` whether it had `()`."""

    name: str
    before: str
    after: str
    call: bool = False
    quoted: bool = False


def named(text: str) -> tuple[Mention, ...]:
    """Identifiers that a text names on purpose: in backticks, as `call()`, or in code spelling."""
    found: list[Mention] = []
    for line in prose(text).splitlines():
        for match in _SPAN.finditer(line):
            inner = match[1].strip().lstrip("@").strip()
            name = _NAME.match(
                inner.removeprefix("def ").removeprefix("class ").removeprefix("func ").strip()
            )
            rest = inner[inner.find(name[0]) + len(name[0]) :] if name else inner
            if name and (not rest or rest[0] in "(:<["):
                found.append(
                    Mention(
                        name[0].replace("::", "."),
                        line[: match.start()],
                        line[match.end() :],
                        rest[:1] == "(",
                        True,
                    )
                )
        bare = _SPAN.sub(lambda m: " " * len(m[0]), line)
        for pattern, call in ((_CALL, True), (_CAMEL_OR_SNAKE, False)):
            found.extend(
                Mention(m[1], line[: m.start()], line[m.end() :], call)
                for m in pattern.finditer(bare)
                if not (call is False and bare[m.end() : m.end() + 2] == "()")
            )
    return tuple(found)


def paths(text: str) -> tuple[tuple[str, str], ...]:
    """What looks like a file in a text, each with what stands in front of it in its line."""
    found: list[tuple[str, str]] = []
    for line in prose(text).splitlines():
        clean = re.sub(r"\w+://\S+", lambda m: " " * len(m[0]), line)
        found.extend((m[1].rstrip("."), line[: m.start()]) for m in _PATH.finditer(clean))
    return tuple(dict.fromkeys(found))


def cut(text: str, limit: int = 160) -> str:
    """One line of at most `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def joined(texts: tuple[str, ...] | list[str], limit: int = 240) -> str:
    """Sentences in one line."""
    return cut("; ".join(t.rstrip(". ") for t in texts), limit)


def listed(items: tuple[str, ...] | list[str], limit: int = 6) -> str:
    """Items in one line, with how many were left out."""
    shown = ", ".join(items[:limit])
    return f"{shown} and {len(items) - limit} more" if len(items) > limit else shown
