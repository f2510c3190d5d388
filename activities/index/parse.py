"""From bytes to what a file says, whatever its language."""

import re
from collections import defaultdict

from activities.index.allowance import Allowance, TookTooLong
from activities.index.languages import CODE, DATA, marked_generated, minified
from activities.index.python_source import parse_python
from activities.index.records import Parsed
from activities.index.words import IDENTIFIER, count, count_parts

# Raise it whenever a parser gives other results for the same bytes: results of other versions are ignored.
VERSION = 6
MAX_BYTES = 1_000_000
_MAX_DATA_BYTES = 60_000
_WORD = re.compile(rf"\n|{IDENTIFIER.pattern}")


def unreadable(data: bytes, language: str) -> str:
    """Why a file is listed but not parsed; blank when it is parsed."""
    if b"\0" in data[:8_000]:
        return "binary"
    if marked_generated(data):
        return "generated"
    if minified(data, language):
        return "minified"
    return ""


def decode(data: bytes) -> str:
    """Text as all parsers see it: invalid UTF-8 replaced, no byte order mark, only `\\n` ends a line."""
    return data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def parse(data: bytes, language: str) -> Parsed:
    """Symbols, imports and uses of code; words of any other text, and of code that cannot be parsed."""
    text = decode(data)
    if language in CODE:
        try:
            return _code(text, language)
        # wrong, nested deeper than Python reads, or made to take for ever
        except (SyntaxError, ValueError, RecursionError, MemoryError, TookTooLong):
            return Parsed(terms=count(text), lines=text.count("\n") + 1, broken=True)
    if language in DATA and len(data) > _MAX_DATA_BYTES:
        return Parsed(lines=text.count("\n") + 1)
    return _words(text)


def _code(text: str, language: str) -> Parsed:
    if language == "python":
        return parse_python(text, Allowance())
    # The grammars are compiled modules: only a repository that needs them pays for loading them.
    from activities.index.treesitter import parse_code

    return parse_code(text, language, Allowance())


def _words(text: str) -> Parsed:
    uses: dict[str, list[int]] = defaultdict(list)
    number = 1
    for word in _WORD.findall(text):
        if word == "\n":
            number += 1
        elif len(word) > 2:
            places = uses[word]
            if not places or places[-1] != number:
                places.append(number)
    counts = {name: len(places) for name, places in uses.items()}
    return Parsed(
        uses={name: tuple(places) for name, places in sorted(uses.items())},
        terms=count_parts(counts),
        lines=number,
    )
