"""find_symbol, find_callers, find_importers, find_tests, find_similar: the index, asked by a model."""

import posixpath
from collections.abc import Iterable, Sequence

from activities.index.mentions import symbols_named
from activities.index.model import Index
from activities.index.records import Symbol, Use
from activities.index.words import parts, query_terms
from activities.plain_text import strip_line
from activities.tools.arguments import Described, Located, Named
from activities.tools.errors import ToolError, outside

MOST_SYMBOLS = 20
MOST_USES = 50
MOST_FILES = 50
MOST_TESTS = 20
MOST_SIMILAR = 8
_MOST_ALIKE = 5
_MOST_SHOWN = 3


def find_symbol(index: Index, asked: Named) -> str:
    """Definitions with place, kind, signature and the first line of their docs."""
    name, found = _named(index, asked.name)
    if not found:
        return f"No definition of '{name}' found{_alike(index, name)}"
    return _list(
        f"Found {len(found)} definitions of '{name}':", map(_definition, found), len(found), MOST_SYMBOLS
    )


def find_callers(index: Index, asked: Named) -> str:
    """Places that use a symbol of the repository, or a name that it takes from elsewhere."""
    name, found = _named(index, asked.name)
    if found:
        uses = {use for symbol in found[:MOST_SYMBOLS] for use in index.callers(symbol)}
        whose = f"'{name}' ({', '.join(symbol.place for symbol in found[:_MOST_SHOWN])})"
    else:
        uses = set(_foreign_uses(index, name))
        whose = f"'{name}' (not defined in this repository{_alike(index, name)})"
    if not uses:
        return f"No uses of {whose} found"
    rows = (_place(use) for use in sorted(uses, key=lambda u: (u.path, u.line, u.enclosing)))
    return _list(f"Found {len(uses)} uses of {whose}:", rows, len(uses), MOST_USES)


def find_importers(index: Index, asked: Located) -> str:
    """Files that import a file. Raises ToolError."""
    path = _known(index, asked.path)
    found = index.importers(path)
    if not found:
        return f"No file imports {strip_line(path)}"
    return _list(f"Found {len(found)} files that import {strip_line(path)}:", found, len(found), MOST_FILES)


def find_tests(index: Index, asked: Located) -> str:
    """Test files that cover a file, the closest first. Raises ToolError."""
    path = _known(index, asked.path)
    found = index.tests_of(path, MOST_TESTS)
    if not found:
        return f"No tests of {strip_line(path)} found"
    return _list(f"Found {len(found)} test files for {strip_line(path)}:", found, len(found), MOST_TESTS)


def find_similar(index: Index, asked: Described) -> str:
    """Files that are about a description, with the reasons and their closest definitions."""
    found = index.rank(asked.description, MOST_SIMILAR)
    if not found:
        return f"Nothing like '{strip_line(asked.description)}' found"
    terms = query_terms(asked.description)
    rows = []
    for ranked in found:
        rows.append(f"{ranked.path}: {'; '.join(ranked.reasons[:_MOST_SHOWN]) or 'shares words with it'}")
        rows += [f"  {s.line}: {s.signature or s.qualified}" for s in _closest(index, ranked.path, terms)]
    return _list(
        f"Found {len(found)} files like '{strip_line(asked.description)}':", rows, len(rows), len(rows)
    )


def _named(index: Index, written: str) -> tuple[str, tuple[Symbol, ...]]:
    """The name as the index writes it (`Foo::bar`, `Foo#bar` and `bar()` too), and what it means."""
    name = strip_line(written).strip().removesuffix("()").replace("::", ".").replace("#", ".").strip(".")
    return name, index.find(name) or symbols_named(index, name)


def _known(index: Index, written: str) -> str:
    """The path as the index writes it. Raises ToolError for one that leads out or is not in the commit."""
    path = posixpath.normpath(written)
    if path.startswith(("/", "../")) or path == "..":
        raise outside(written)
    if path not in index.paths:
        raise ToolError(f"File {strip_line(written)} not found")
    return path


def _alike(index: Index, name: str) -> str:
    same = sorted(known for known in index.symbol_names if known.lower() == name.lower())[:_MOST_ALIKE]
    return f"; there is {', '.join(same)}" if same else ""


def _definition(symbol: Symbol) -> str:
    lines = [
        f"{symbol.path}:{symbol.first}-{symbol.last} {symbol.kind}",
        f"  {symbol.signature or symbol.qualified}",
    ]
    return "\n".join([*lines, f"  {symbol.doc}"] if symbol.doc else lines)


def _foreign_uses(index: Index, name: str) -> Iterable[Use]:
    last = name.rpartition(".")[2]
    for path in index.used_in(last):
        for line in index.files[path].uses[last]:
            yield Use(path, line, index.enclosing(path, line))


def _place(use: Use) -> str:
    return f"{use.path}:{use.line}" + (f" in {use.enclosing}" if use.enclosing else "")


def _closest(index: Index, path: str, terms: dict[str, int]) -> Sequence[Symbol]:
    """The definitions of a file whose names share most words with the terms."""
    shared = [(len(terms.keys() & set(parts(s.name))), s) for s in index.symbols_in(path)]
    best = sorted((pair for pair in shared if pair[0]), key=lambda pair: (-pair[0], pair[1].line))
    return [symbol for _, symbol in best[:_MOST_SHOWN]]


def _list(head: str, rows: Iterable[str], total: int, most: int) -> str:
    shown = ["\n".join(strip_line(line, 400) for line in row.split("\n")) for row in list(rows)[:most]]
    rest = [f"... (first {most} of {total})"] if total > most else []
    return "\n".join([head, "", *shown, *rest])
