"""Signatures as they stand in the source, with an honest word where the source states no return type."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from states.artifacts.base import has_return_type

UNANNOTATED = frozenset({".py", ".pyi", ".rb", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx"})
"""languages in which a missing return type says nothing; in the others it says that nothing comes back"""
_TYPE_FIRST = frozenset({".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".java", ".cs"})
_LEADING = re.compile(
    r"^(?:export\s+|default\s+|async\s+|public\s+|private\s+|static\s+|pub(?:\([^)]*\))?\s+)*"
    r"(?:def|func|fn|function\*?)?\s*"
)


@dataclass(frozen=True)
class Parameter:
    """One parameter as written; `type` and `default` blank when the source has none."""

    name: str
    type: str = ""
    default: str = ""


def closing(text: str, at: int) -> int:
    """Where the bracket opened at `at` closes; the end of the text when it never does."""
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] in "([{<") - (
            text[place] in ")]}" or (text[place] == ">" and text[place - 1] not in "-=")
        )
        if depth == 0:
            return place
    return len(text)


def _parameters_span(signature: str) -> tuple[int, int]:
    """Where the parameter list opens and closes; a Go receiver before the name is not the parameter list."""
    start = signature.find("(")
    if re.match(r"^\s*func\s*\(", signature):
        start = signature.find("(", closing(signature, start) + 1)
    return (start, closing(signature, start)) if start >= 0 else (-1, -1)


def stated(signature: str, path: str) -> str:
    """The signature with its return type; ` -> (not annotated)` or ` -> (none)` where the source has none."""
    text = " ".join(signature.split()).rstrip(" :{;")
    suffix = PurePosixPath(path).suffix.lower()
    start, end = _parameters_span(text)
    rest = text[end + 1 :].strip(" :{;") if start >= 0 else ""
    if suffix in _TYPE_FIRST and has_return_type(text):
        return text
    if (
        rest
        and re.search(r"\w", rest)
        and not rest.startswith(("throws", "where", "const", "override", "=>"))
    ):
        return text if has_return_type(text) else f"{text} -> {rest}"
    return f"{text} -> {'(not annotated)' if suffix in UNANNOTATED else '(none)'}"


def parameters(signature: str) -> tuple[Parameter, ...]:
    """The parameters of a signature, without `self` and `cls`."""
    start, end = _parameters_span(signature)
    if start < 0:
        return ()
    found = []
    for part in _split(signature[start + 1 : end]):
        named, _, default = part.partition("=")
        name, _, kind = named.partition(":")
        clean = name.strip().lstrip("*&. ")
        if clean and clean not in ("self", "cls", "/", "&self", "mut self", "this") and clean != "self":
            found.append(Parameter(clean, kind.strip(), default.strip()))
    return tuple(found)


def _split(inside: str) -> list[str]:
    parts, depth, current = [], 0, ""
    for char in inside:
        depth += (char in "([{<") - (char in ")]}>")
        if char == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += char
    return [p.strip() for p in [*parts, current] if p.strip()]


def callable_name(signature: str) -> str:
    """The (perhaps dotted) name in front of a parameter list, blank when there is none."""
    bare = _LEADING.sub("", signature.strip())
    match = re.match(r"([A-Za-z_][\w.]*)\s*(?:<[^>]*>)?\(", bare)
    return match[1] if match else ""
