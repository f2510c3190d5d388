"""Import statements of each language: which module and which names they ask for, as written."""

import re
from collections.abc import Callable

from tree_sitter import Node

from activities.index.records import Import

_MOST = 10_000
"""bytes of a statement that are read"""
_IGNORED = frozenset({"as", "self", "crate", "super", "type", "default"})


def read_import(node: Node, language: str) -> list[Import]:
    """The imports of one statement; none when it is not understood."""
    text = (node.text or b"")[:_MOST].decode("utf-8", "replace")
    return _READERS[language](node, text, node.start_point[0] + 1)


def _script(node: Node, text: str, line: int) -> list[Import]:
    source = node.child_by_field_name("source")
    written = (source.text or b"").decode("utf-8", "replace") if source is not None else text
    found = re.search(r"""["'`]([^"'`\n]+)["'`]""", written)
    if not found:
        return []
    clause = text.split(found.group(0))[0] if source is not None else _assigned(node)
    names: list[str] = []
    for part in re.findall(r"\{([^}]*)\}", clause):
        names += [re.split(r"\s+as\s+|:", name)[0].strip().removeprefix("type ") for name in part.split(",")]
    outside = re.sub(r"\{[^}]*\}", "", clause)
    names += ["*"] if "*" in outside else []
    return [Import(found.group(1), line, tuple(n for n in names if re.fullmatch(r"[\w$*]+", n)))]


def _assigned(node: Node) -> str:
    """For `const { a } = require("x")`, the part before the call."""
    above = node.parent
    if above is None or above.type != "variable_declarator":
        return ""
    name = above.child_by_field_name("name")
    return (name.text or b"").decode("utf-8", "replace") if name is not None else ""


def _go(_node: Node, text: str, line: int) -> list[Import]:
    found = re.search(r'["`]([^"`]+)["`]', text)
    return [Import(found.group(1), line)] if found else []


def _rust(node: Node, text: str, line: int) -> list[Import]:
    if node.type == "mod_item":
        name = node.child_by_field_name("name")
        return [Import("self::" + (name.text or b"").decode(), line)] if name is not None else []
    body = re.sub(r"^(pub(\([^)]*\))?\s+)?use\s+|;\s*$", "", text.strip())
    prefix, brace, rest = " ".join(body.split()).partition("{")
    if not brace:
        path = re.split(r"\s+as\s+", prefix.strip())[0]
        return [Import(path.removesuffix("::*"), line, (path.rsplit("::", 1)[-1],))]
    names = [name for name in re.findall(r"\w+(?:::\w+)*", rest) if name not in _IGNORED]
    head = prefix.strip().removesuffix("::")
    imports = [
        Import(f"{head}::{name}" if head else name, line, (name.rsplit("::", 1)[-1],)) for name in names
    ]
    return imports or [Import(head, line)]


def _java(_node: Node, text: str, line: int) -> list[Import]:
    path = re.sub(r"^import\s+(static\s+)?|\s*;\s*$", "", text.strip())
    if path.endswith(".*"):
        return [Import(path.removesuffix(".*"), line, ("*",))]
    return [Import(path, line, (path.rsplit(".", 1)[-1],))]


def _include(_node: Node, text: str, line: int) -> list[Import]:
    found = re.search(r'["<]([^">\n]+)[">]', text)
    return [Import(found.group(1), line)] if found else []


def _ruby(_node: Node, text: str, line: int) -> list[Import]:
    found = re.search(r"""^(\w+)\b[^"']*["']([^"'#\n]+)["']""", text)
    if not found:
        return []
    return [Import(found.group(2), line, ("relative",) if found.group(1) == "require_relative" else ())]


_READERS: dict[str, Callable[[Node, str, int], list[Import]]] = {
    "javascript": _script,
    "typescript": _script,
    "tsx": _script,
    "go": _go,
    "rust": _rust,
    "java": _java,
    "c": _include,
    "cpp": _include,
    "ruby": _ruby,
}
