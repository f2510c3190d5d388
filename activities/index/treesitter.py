"""Code of every language but Python through tree-sitter, driven by the tables in `grammars.py`."""

import importlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import tree_sitter
from tree_sitter import Node

from activities.index.allowance import Allowance, TookTooLong
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
from activities.index.records import Import, Parsed, Symbol, SymbolKind
from activities.index.words import count_parts

_PIECE = 512
"""bytes: the text of a node is put together from pieces, too, and most are short"""
_DEEPEST = 200
"""nodes around an import, which is called in functions, too; a search takes the square of its depth"""


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


def parse_code(text: str, language: str, allowance: Allowance) -> Parsed:
    """What a file says. Broken code gives what could be made out of it. Raises TookTooLong."""
    loaded = _load(language)
    root = _root(loaded, text, language, allowance)
    reader = _Reader(loaded.grammar, allowance)
    reader.visit(root, "")
    imported = _imports(loaded, root)
    imports: list[Import] = []
    for node in imported:
        allowance.check()
        imports += read_import(node, language)
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


def _root(loaded: _Loaded, text: str, language: str, allowance: Allowance) -> Node:
    short = outline(text, language)
    root = _parsed(loaded, short, allowance)
    return _parsed(loaded, text, allowance) if root.has_error and short != text else root


def _parsed(loaded: _Loaded, text: str, allowance: Allowance) -> Node:
    data = text.encode("utf-8", "replace")

    def piece(offset: int, _point: object) -> bytes:
        return data[offset : offset + _PIECE]

    def late(_offset: int, _has_error: bool) -> bool:
        return allowance.over()

    try:  # in pieces, as of a whole text the library would not tell its progress
        return tree_sitter.Parser(loaded.language).parse(piece, progress_callback=late).root_node
    except ValueError as error:  # all that the library says of a parse that its callback ends
        raise TookTooLong from error


def _imports(loaded: _Loaded, root: Node) -> list[Node]:
    cursor = tree_sitter.QueryCursor(loaded.imports)
    cursor.set_max_start_depth(_DEEPEST)
    return sorted(cursor.captures(root).get("i", []), key=lambda node: node.start_byte)


class _Reader:
    """Walks the nodes that can hold definitions, never into the body of a function."""

    def __init__(self, grammar: Grammar, allowance: Allowance) -> None:
        self._grammar, self._allowance = grammar, allowance
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
        self._allowance.check()
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


def _uses(lines: Mapping[str, list[int]], symbols: Iterable[Symbol]) -> dict[str, tuple[int, ...]]:
    """Lines of identifiers without the places that define them."""
    defined = Counter((symbol.name, symbol.line) for symbol in symbols)
    names = {name for name, _ in defined}
    uses = {}
    for name, places in sorted(lines.items()):
        if name in names:
            found = Counter(places)
            kept = tuple(line for line in found if found[line] > defined[name, line])
        else:
            kept = tuple(dict.fromkeys(places))
        if kept:
            uses[name] = kept
    return uses


def _lines_of(imports: Iterable[Node]) -> set[int]:
    """Lines of import statements; calls that import are code like any other."""
    spans = [(n.start_point[0], n.end_point) for n in imports if n.type not in ("call_expression", "call")]
    # C's include ends at the start of the next line
    return {row + 1 for first, last in spans for row in range(first, last[0] + (last[1] > 0))}
