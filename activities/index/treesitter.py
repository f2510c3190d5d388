"""Code of every language but Python through tree-sitter, driven by the tables in `grammars.py`."""

import importlib
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

import tree_sitter
from tree_sitter import Node

from activities.index.grammars import GRAMMARS, Grammar
from activities.index.module_names import read_import
from activities.index.nodes import (
    bases_of,
    body_of,
    doc_above,
    header,
    kind_of,
    members_of,
    name_node,
    outer,
    owner_of,
    text_of,
)
from activities.index.records import Parsed, Symbol, SymbolKind
from activities.index.words import count


@dataclass(frozen=True)
class _Loaded:
    grammar: Grammar
    language: tree_sitter.Language
    uses: tree_sitter.Query
    imports: tree_sitter.Query


@lru_cache
def _load(name: str) -> _Loaded:
    grammar = GRAMMARS[name]
    language = tree_sitter.Language(getattr(importlib.import_module(grammar.package), grammar.function)())
    uses = "[" + " ".join(f"({node})" for node in grammar.names) + "] @u"
    return _Loaded(
        grammar, language, tree_sitter.Query(language, uses), tree_sitter.Query(language, grammar.imports)
    )


def parse_code(text: str, language: str) -> Parsed:
    """What a file says. Broken code gives what could be made out of it."""
    loaded = _load(language)
    root = tree_sitter.Parser(loaded.language).parse(text.encode("utf-8", "replace")).root_node
    reader = _Reader(loaded.grammar)
    reader.visit(root, "")
    imported = tree_sitter.QueryCursor(loaded.imports).captures(root).get("i", [])
    imports = [item for node in _in_order(imported) for item in read_import(node, language)]
    used = _uses(loaded, root, reader.names, imported)
    return Parsed(
        symbols=tuple(sorted(reader.symbols, key=lambda s: (s.first, -s.last, s.name))),
        imports=tuple(dict.fromkeys(imports)),
        uses=used,
        terms=count(text),
        lines=text.count("\n") + 1,
        broken=root.has_error,
    )


class _Reader:
    """Walks the nodes that can hold definitions, never into the body of a function."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self.symbols: list[Symbol] = []
        self.names: set[int] = set()

    def visit(self, node: Node, parent: str) -> None:
        """Collect the definitions below a node."""
        pending = [(child, parent) for child in node.named_children]
        while pending:
            child, around = pending.pop()
            kind = kind_of(child, self._grammar)
            if kind is not None:
                around = self._define(child, kind, around)
                body = body_of(child)
                if around and body is not None:
                    pending.extend((inner, around) for inner in body.named_children)
            elif child.type in self._grammar.inside:
                around = owner_of(child) or around
                pending.extend((inner, around) for inner in child.named_children)

    def _define(self, node: Node, kind: SymbolKind, parent: str) -> str:
        """Add the symbol; the result is the parent of what stands inside of it, blank for functions."""
        named = name_node(node)
        if named is None:
            return ""
        self.names.add(named.start_byte)
        parent = owner_of(node) or parent
        name = text_of(named)
        if kind is SymbolKind.FUNCTION and parent:
            kind = SymbolKind.METHOD
        whole = outer(node)
        holds = kind.container or kind is SymbolKind.MODULE
        self.symbols.append(
            Symbol(
                path="",
                name=name,
                kind=kind,
                first=whole.start_point[0] + 1,
                last=_last_line(node),
                signature=header(node, kind),
                line=named.start_point[0] + 1,
                parent=parent,
                doc=doc_above(whole),
                members=members_of(node, self._grammar) if holds else (),
                bases=bases_of(node, self._grammar) if holds else (),
            )
        )
        return name if holds else ""


def _last_line(node: Node) -> int:
    row, column = node.end_point
    return row + 1 if column or row == node.start_point[0] else row


def _uses(loaded: _Loaded, root: Node, defined: set[int], imports: list[Node]) -> dict[str, tuple[int, ...]]:
    spans = sorted(
        (node.start_byte, node.end_byte) for node in imports if node.type not in ("call_expression", "call")
    )
    starts = [first for first, _ in spans]
    found: dict[str, set[int]] = defaultdict(set)
    for node in tree_sitter.QueryCursor(loaded.uses).captures(root).get("u", []):
        before = bisect_right(starts, node.start_byte) - 1
        if node.start_byte in defined or (before >= 0 and node.start_byte < spans[before][1]):
            continue
        found[text_of(node)].add(node.start_point[0] + 1)
    return {name: tuple(sorted(lines)) for name, lines in sorted(found.items())}


def _in_order(nodes: list[Node]) -> list[Node]:
    return sorted(nodes, key=lambda node: node.start_byte)
