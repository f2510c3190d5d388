"""From bytes to what a file says, whatever its language."""

from collections import Counter, defaultdict

from activities.index.languages import CODE, DATA, marked_generated, minified
from activities.index.python_source import parse_python
from activities.index.records import Parsed
from activities.index.words import IDENTIFIER, count_parts

# Raise it whenever a parser gives other results for the same bytes: results of other versions are ignored.
VERSION = 5
MAX_BYTES = 1_000_000
_MAX_DATA_BYTES = 60_000


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
    """Symbols, imports and uses of code; words of any other text."""
    text = decode(data)
    if language == "python":
        return parse_python(text)
    if language in CODE:
        # The grammars are compiled modules: only a repository that needs them pays for loading them.
        from activities.index.treesitter import parse_code

        return parse_code(text, language)
    if language in DATA and len(data) > _MAX_DATA_BYTES:
        return Parsed(lines=text.count("\n") + 1)
    return _words(text)


def _words(text: str) -> Parsed:
    uses: dict[str, list[int]] = defaultdict(list)
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        for name in dict.fromkeys(IDENTIFIER.findall(line)):
            if len(name) > 2:
                uses[name].append(number)
    counts = Counter({name: len(places) for name, places in uses.items()})
    return Parsed(
        uses={name: tuple(places) for name, places in sorted(uses.items())},
        terms=count_parts(counts),
        lines=len(lines),
    )
