"""What a text names: paths, symbols in backticks, identifiers in prose, and code in fences."""

import re
from dataclasses import dataclass

from activities.index.words import IDENTIFIER

FENCE = re.compile(r"(?ms)^[ \t]*(```|~~~)[^\n]*\n(.*?)(?:^[ \t]*\1|\Z)")
_SPAN = re.compile(r"(`+)([^`\n]+)\1")
_PATH = re.compile(r"(?<![\w/:.@-])(?:[\w.+-]+/)*[\w+-][\w.+-]*\.[A-Za-z][A-Za-z0-9]{0,9}(?![\w/(])")
_FOLDERED = re.compile(r"(?<![\w/:.@-])[\w.-]+(?:/[\w.-]+)+/?(?!\w)")
_CODELIKE = re.compile(
    r"\b(?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*|\b[A-Za-z]\w*_\w+\b|\b[A-Z][a-z0-9]+[A-Z]\w*\b|\b[A-Z]{2,}[a-z]\w*[A-Z]\w*"
    r"|\b[a-z]+[A-Z]\w*\b|\b[A-Za-z_]\w*(?=\(\))"
)
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|#|->)[A-Za-z_]\w*)*")
_MAX_QUERY = 200_000


@dataclass(frozen=True)
class Named:
    """Names in the order of their first appearance. `quoted` stands in backticks, `prose` merely looks like
    code, `fenced` are identifiers of code blocks, `paths` look like files or folders."""

    quoted: tuple[str, ...] = ()
    prose: tuple[str, ...] = ()
    fenced: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    @property
    def symbols(self) -> tuple[str, ...]:
        """Names that the text gives outside of code blocks."""
        return tuple(dict.fromkeys((*self.quoted, *self.prose)))


def named_in(text: str) -> Named:
    """Read names out of a task, a requirement or feedback."""
    text = text[:_MAX_QUERY]
    fenced = [word for match in FENCE.finditer(text) for word in IDENTIFIER.findall(match.group(2))]
    prose = FENCE.sub("\n", text)
    paths: list[str] = []
    quoted: list[str] = []
    for match in _SPAN.finditer(prose):
        span = match.group(2).strip()
        if _looks_like_path(span):
            paths.append(span.removeprefix("./").rstrip("/"))
        elif name := symbol_of(span):
            quoted.append(name)
    plain = _SPAN.sub(" ", prose)
    for found in (*_PATH.findall(plain), *_FOLDERED.findall(plain)):
        if _looks_like_path(found):
            paths.append(found.removeprefix("./").rstrip("/."))
    loose = [_normal(found) for found in _CODELIKE.findall(plain) if not _looks_like_path(found)]
    return Named(_unique(quoted), _unique(loose), _unique(fenced), _unique(paths))


def symbol_of(span: str) -> str:
    """The name that a piece of code is about: `Context.invoke(self)` gives `Context.invoke`; blank for what
    is not a name, such as a command, a literal or an expression."""
    head = span.strip().removeprefix("@")
    for keyword in ("async def ", "def ", "class ", "func ", "fn ", "struct ", "interface ", "function "):
        head = head.removeprefix(keyword)
    match = _DOTTED.match(head)
    if not match:
        return ""
    rest = head[match.end() :].strip()
    return _normal(match.group()) if not rest or (rest[0] in "([<" and rest[-1] in ")]>:") else ""


def _normal(name: str) -> str:
    return re.sub(r"::|#|->", ".", name)


_FILE_ENDING = re.compile(
    r"\.(py|pyi|js|jsx|mjs|cjs|ts|tsx|go|rs|java|c|h|cc|cpp|hpp|rb|md|rst|txt|toml|yaml|yml|json|ini|cfg|sh|sql|html|css"
    r"|kt|swift|cs|php|proto|xml|lock|vue|svelte)$"
)


def _looks_like_path(text: str) -> bool:
    if " " in text or "://" in text or text.startswith(("/", "-", "~", "..")) or "(" in text or "*" in text:
        return False
    return bool(_FILE_ENDING.search(text)) or (text.count("/") >= 1 and text[-1:] == "/" and len(text) > 2)


def _unique(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
