"""From what a text calls a file or a symbol to the file or symbol of the repository."""

import re

from activities.deterministic.symbols import COMMON
from activities.deterministic.wording import STOP, named, paths, prose, sentences, stem
from activities.index.model import Index
from activities.index.records import Role, Symbol

MOST_PLACES = 3
"""a bare name that more files define says nothing about where"""
ONLY_REFERRED = re.compile(
    r"\b(?:using|like|similar to|as in|pattern of|style of|see|via|raises?|raising|throws?|reuses?|reusing|"
    r"calls?|calling|instances? of|analogous to|same (?:as|way as)|returns?|returning|instead of|"
    r"rather than)\s+(?:(?:the|an?|existing|our)\s+)*`?@?$",
    re.I,
)
_WORD = re.compile(r"(?<![\w./`-])[A-Za-z_]\w{3,}(?![\w/`-]|\.\w)")


def resolve(index: Index, written: str) -> tuple[str, ...]:
    """The path that a text means: the whole path, its end, or a dotted module. Empty when two or more fit."""
    written = written.removeprefix("./")
    if written in index.paths:
        return (written,)
    ends = [p for p in index.files if p.endswith("/" + written)]
    module = written.replace(".", "/")
    if not ends and "/" not in written and "/" in module:
        sources = [e.path for e in index.files.values() if e.role is Role.SOURCE]
        ends = [p for p in sources if f"/{p.rpartition('.')[0]}".endswith(f"/{module}")]
    return (ends[0],) if len(ends) == 1 else ()


def lookup(index: Index, name: str) -> tuple[Symbol, ...]:
    """Source symbols of a written name; of `package.thing` also `thing` in a path with `package`."""
    exact = [s for s in index.find(name) if index.files[s.path].role is Role.SOURCE]
    if exact or "." not in name:
        return tuple(exact)
    first, last = name.split(".")[0].lower(), name.rsplit(".", 1)[-1]
    return tuple(
        s
        for s in index.find(last)
        if index.files[s.path].role is Role.SOURCE
        and not s.parent
        and first in re.split(r"[/._]", s.path.lower())
    )


def symbols_named(index: Index, text: str, loosely: bool = False) -> tuple[Symbol, ...]:
    """Symbols that a text names other than in passing. Class names count in plain words too (not at the
    beginning of a sentence); `loosely` lets any plain word count that is a symbol and no everyday word."""
    names = [m.name for m in named(text) if not ONLY_REFERRED.search(m.before)]
    found = [s for name in names for s in _distinct(lookup(index, name))]
    for sentence in (s for line in prose(text).splitlines() for s in sentences(line)):
        for match in _WORD.finditer(sentence):
            word = match[0]
            everyday = word.lower() in STOP or stem(word) in COMMON
            if not everyday and not ONLY_REFERRED.search(sentence[: match.start()]):
                hits = _distinct(lookup(index, word))
                inside = word[0].isupper() and match.start() > 0
                found += [s for s in hits if loosely or (inside and s.kind.container)]
    return tuple(dict.fromkeys(found))


def _distinct(symbols: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
    return symbols if len({s.path for s in symbols}) <= MOST_PLACES else ()


def files_named(index: Index, text: str) -> tuple[str, ...]:
    """Files of the repository that a text names by path, end of path or module."""
    return tuple(dict.fromkeys(p for written, _ in paths(text) for p in resolve(index, written)))
