"""What a text says about code that does not exist yet, and signatures that a text gives."""

import re
from dataclasses import dataclass

from activities.deterministic.signatures import callable_name, closing
from activities.deterministic.wording import cut, named

_BRINGS = re.compile(
    r"\b(?:add(?:s|ed|ing)?|creat(?:e|es|ed|ing)|introduc(?:e|es|ed|ing)|implement(?:s|ed|ing)?|"
    r"provid(?:e|es|ed|ing)|expos(?:e|es|ed|ing)|writ(?:e|es|ing)|defin(?:e|es|ed|ing)|new|need(?:s|ed)?)\b[^.;`]{0,60}$",
    re.I,
)
_AND_MORE = re.compile(r"`\s*(?:,|and|or|&|/)\s*(?:and\s+|a\s+|an\s+)?$", re.I)
_NOT_A_SYMBOL = re.compile(
    r"^`?\s*(?:keyword\s+|optional\s+|boolean\s+|command[- ]line\s+|query\s+)*(?:parameters?|params?|"
    r"arguments?|args?|options?|flags?|fields?|attributes?|columns?|keys?|headers?|env\w*|variables?|settings?|"
    r"propert(?:y|ies)|keywords?|support|values?|filters?|tags?|files?|status|statement)\b",
    re.I,
)
_SYMBOL_KIND = re.compile(
    r"^`?\s*(?:helper\s+|async\s+|utility\s+|static\s+|abstract\s+|data)?"
    r"(?P<k>functions?|methods?|class(?:es)?|helper|dataclass|decorator|endpoint|command|model|exception|error|enum|"
    r"struct|interface|type)\b",
    re.I,
)
_KIND_BEFORE = re.compile(
    r"\b(?P<k>functions?|methods?|class|helper|dataclass|decorator|model|exception|enum|struct|interface)\s+"
    r"(?:called\s+|named\s+)?`?$",
    re.I,
)
_DEFINITION = re.compile(r"(?:\b(?:async\s+)?(?:def|func|fn|function)\s+)?\b[A-Za-z_][\w.]*\s*\(")
_RETURNS = re.compile(
    r"^\s*(?:->\s*[^\s`,;]+(?:\[[^\]`]*\])?(?:\s*\|\s*[\w.\[\]]+)*|:\s*[A-Z][\w<>\[\]., |]*)"
)


@dataclass(frozen=True)
class NewSymbol:
    """A name that the text wants and the repository does not have. `sentence` is where it is asked for."""

    name: str
    kind: str
    sentence: str


def new_symbols(
    texts: tuple[str, ...], known: frozenset[str], owners: frozenset[str] = frozenset()
) -> tuple[NewSymbol, ...]:
    """Names that the texts want added: after `add`, `create`, `new` ..., called or said to be a function or
    class, and not defined in the repository. Parameters, options and fields are not symbols; nor is
    `os.kill`, whose owner is neither a symbol of the repository nor one of its modules (`owners`)."""
    found: dict[str, NewSymbol] = {}
    for text in texts:
        for line in text.splitlines():
            for mention in named(line):
                name = mention.name
                kind = _kind(mention.before, mention.after, mention.call, name)
                wanted = _BRINGS.search(mention.before.rstrip("`")) or (
                    _AND_MORE.search(mention.before) and any(f"`{n}" in mention.before for n in found)
                )
                owner, _, last = name.rpartition(".")
                ours = not owner or owner in known or owner.rpartition(".")[2] in owners
                if kind and wanted and ours and name not in known and last not in known:
                    found.setdefault(name, NewSymbol(name, kind, cut(line, 400)))
    return tuple(found.values())


def _kind(before: str, after: str, call: bool, name: str) -> str:
    if _NOT_A_SYMBOL.match(after.lstrip("`")):
        return ""
    told = _SYMBOL_KIND.match(after) or _KIND_BEFORE.search(before)
    if told:
        word = told["k"].lower()
        return (
            "class" if word.startswith(("class", "data", "model", "exception", "error")) else word.rstrip("s")
        )
    if call:
        return "function"
    return "class" if name[:1].isupper() and any(c.islower() for c in name) else ""


def given_signatures(texts: tuple[str, ...]) -> dict[str, str]:
    """Signatures that the texts write out, by name: with a `def`-like word, a return type or types of
    parameters. Later texts win."""
    found: dict[str, str] = {}
    for text in texts:
        for match in _DEFINITION.finditer(text):
            end = closing(text, match.end() - 1)
            inside = text[match.end() : end]
            if end >= len(text) or len(inside) > 500:
                continue
            returns = _RETURNS.match(text[end + 1 : end + 160])
            header = match[0].split()[0] in ("def", "async", "func", "fn", "function")
            typed = bool(returns and "->" in returns[0]) or re.search(r"\w\s*:\s*[A-Za-z]", inside)
            if header or (typed and not re.match(r"(?:if|for|while|return)\b", match[0])):
                written = " ".join((match[0] + inside + ")" + (returns[0] if returns else "")).split())
                name = callable_name(written)
                if name:
                    found[name] = written
    return found
