"""Code of every language but Python through tree-sitter, driven by the tables in `grammars.py`."""

import importlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import tree_sitter
from tree_sitter import Node

from activities.index.grammars import GRAMMARS, Grammar
from activities.index.lexing import tokens
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
from activities.index.outline import outline
from activities.index.records import Parsed, Symbol, SymbolKind
from activities.index.words import count_parts


@dataclass(frozen=True)
class _Loaded:
    grammar: Grammar
    language: tree_sitter.Language
    imports: tree_sitter.Query


@lru_cache
def _load(name: str) -> _Loaded:
    grammar = GRAMMARS[name]
    language = tree_sitter.Language(getattr(importlib.import_module(grammar.package), grammar.function)())
    return _Loaded(grammar, language, tree_sitter.Query(language, grammar.imports))


def parse_code(text: str, language: str) -> Parsed:
    """What a file says. Broken code gives what could be made out of it."""
    loaded = _load(language)
    root = _root(loaded, text, language)
    reader = _Reader(loaded.grammar)
    reader.visit(root, "")
    imported = _in_order(tree_sitter.QueryCursor(loaded.imports).captures(root).get("i", []))
    imports = [item for node in imported for item in read_import(node, language)]
    symbols = sorted(reader.symbols, key=lambda s: (s.first, -s.last, s.name))
    found = tokens(text, language, _lines_of(imported))
    return Parsed(
        symbols=tuple(symbols),
        imports=tuple(dict.fromkeys(imports)),
        uses=_uses(found.lines, symbols),
        terms=count_parts(found.counts),
        lines=text.count("\n") + 1,
        broken=root.has_error,
    )


def _root(loaded: _Loaded, text: str, language: str) -> Node:
    parser = tree_sitter.Parser(loaded.language)
    short = outline(text, language)
    root = parser.parse(short.encode("utf-8", "replace")).root_node
    if root.has_error and short != text:
        root = parser.parse(text.encode("utf-8", "replace")).root_node
    return root


class _Reader:
    """Walks the nodes that can hold definitions, never into the body of a function."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self.symbols: list[Symbol] = []

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


def _uses(lines: dict[str, list[int]], symbols: Iterable[Symbol]) -> dict[str, tuple[int, ...]]:
    """Lines of identifiers without the places that define them."""
    for symbol in symbols:
        with suppress(ValueError):  # a name of several words, or one that stands in a literal
            lines.get(symbol.name, []).remove(symbol.line)
    return {name: tuple(dict.fromkeys(places)) for name, places in sorted(lines.items()) if places}


def _lines_of(imports: Iterable[Node]) -> set[int]:
    """Lines of import statements; calls that import are code like any other."""
    spans = [(n.start_point[0], n.end_point) for n in imports if n.type not in ("call_expression", "call")]
    # C's include ends at the start of the next line
    return {row + 1 for first, last in spans for row in range(first, last[0] + (last[1] > 0))}


def _in_order(nodes: list[Node]) -> list[Node]:
    return sorted(nodes, key=lambda node: node.start_byte)
