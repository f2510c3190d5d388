"""Python files through `ast`: symbols, imports and uses."""

import ast
import io
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from activities.index.allowance import Allowance
from activities.index.records import Import, Member, Parsed, Symbol, SymbolKind
from activities.index.words import count

_MODEL_BASES = ("Enum", "StrEnum", "IntEnum", "Flag", "IntFlag")
_SIGNATURE_LIMIT = 1_000
_LONG_LINE = 5_000
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def parse_python(text: str, allowance: Allowance) -> Parsed:
    """What a Python file says. Raises what `ast` does (SyntaxError, ValueError, RecursionError, MemoryError),
    and TookTooLong."""
    lines = text.split("\n")
    tree = ast.parse(text)
    allowance.check()
    imports, uses = _nodes(tree)
    return Parsed(
        symbols=tuple(_symbols(tree.body, "", lines)),
        imports=tuple(imports),
        uses=uses,
        terms=count(text),
        lines=len(lines),
    )


def _symbols(body: list[ast.stmt], parent: str, lines: list[str]) -> Iterator[Symbol]:
    for node in body:
        if isinstance(node, Definition):
            if not _is_repetition(node):
                yield _definition(node, parent, lines)
            if isinstance(node, ast.ClassDef):
                yield from _symbols(node.body, node.name, lines)
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from _symbols(_inner(node), parent, lines)
        elif not parent and isinstance(node, ast.Assign | ast.AnnAssign):
            yield from _constants(node, lines)


def _inner(node: ast.If | ast.Try | ast.With) -> list[ast.stmt]:
    inner = list(node.body)
    if isinstance(node, ast.Try):
        for handler in node.handlers:
            inner += handler.body
    if isinstance(node, ast.If | ast.Try):
        inner += node.orelse
    return inner


def _is_repetition(node: Definition) -> bool:
    """Overloads and property setters define a name that another definition already stands for."""
    names = [_dotted(decorator).rsplit(".", 1)[-1] for decorator in node.decorator_list]
    return bool({"overload", "setter", "deleter"} & set(names))


def _definition(node: Definition, parent: str, lines: list[str]) -> Symbol:
    decorators = tuple(_source(d, lines) for d in node.decorator_list)
    doc = (ast.get_docstring(node, clean=False) or "").strip().split("\n", 1)[0].expandtabs()
    is_class = isinstance(node, ast.ClassDef)
    kind = SymbolKind.CLASS if is_class else SymbolKind.METHOD if parent else SymbolKind.FUNCTION
    return Symbol(
        path="",
        name=node.name,
        kind=kind,
        first=min([node.lineno, *(d.lineno for d in node.decorator_list)]),
        last=node.end_lineno or node.lineno,
        signature=_signature(node, lines),
        line=node.lineno,
        parent=parent,
        doc=doc,
        members=tuple(_members(node, lines)) if isinstance(node, ast.ClassDef) else (),
        bases=tuple(_source(b, lines) for b in node.bases) if isinstance(node, ast.ClassDef) else (),
        decorators=decorators,
    )


def _signature(node: Definition, lines: list[str]) -> str:
    first = node.body[0]
    starts = [first.lineno, *(d.lineno for d in getattr(first, "decorator_list", []))]
    header = "\n".join(lines[node.lineno - 1 : max(min(starts) - 1, node.lineno)])
    if min(starts) == node.lineno or "\n" in header.strip() or "#" in header:
        header = _tokens_until_colon(header)
    return header.strip().removesuffix(":").rstrip()[:_SIGNATURE_LIMIT]


def _tokens_until_colon(header: str) -> str:
    """The header without comments and line breaks, up to the colon that ends it."""
    pieces: list[str] = []
    depth, end = 0, (1, 0)
    try:
        for token in tokenize.generate_tokens(io.StringIO(header.lstrip() + "\n").readline):
            if token.type in (
                tokenize.COMMENT,
                tokenize.NL,
                tokenize.NEWLINE,
                tokenize.INDENT,
                tokenize.DEDENT,
            ):
                continue
            depth += (token.string in "([{") - (token.string in ")]}") if token.type == tokenize.OP else 0
            if depth == 0 and token.type == tokenize.OP and token.string == ":":
                break
            wrapped = token.start[0] > end[0]
            if wrapped and pieces[-1:] == [","] and token.string == ")":
                pieces.pop()
            if pieces and token.start != end and not (wrapped and _hugs(pieces[-1], token.string)):
                pieces.append(" ")
            pieces.append(token.string)
            end = token.end
    except (tokenize.TokenError, IndentationError):  # the slice ends inside the body; the header came before
        pass
    return "".join(pieces)


def _hugs(before: str, after: str) -> bool:
    return before in ("(", "[", "{") or after in (")", "]", "}")


def _members(node: ast.ClassDef, lines: list[str]) -> Iterator[Member]:
    is_enum = any(_dotted(base).rsplit(".", 1)[-1] in _MODEL_BASES for base in node.bases)
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            default = _source(item.value, lines) if item.value else ""
            yield Member(item.target.id, _source(item.annotation, lines), default)
        elif is_enum and isinstance(item, ast.Assign):
            yield from (
                Member(t.id, "", _source(item.value, lines)) for t in item.targets if isinstance(t, ast.Name)
            )


def _constants(node: ast.Assign | ast.AnnAssign, lines: list[str]) -> Iterator[Symbol]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        if isinstance(target, ast.Name):
            yield Symbol(
                path="",
                name=target.id,
                kind=SymbolKind.CONSTANT,
                first=node.lineno,
                last=node.end_lineno or node.lineno,
                signature=lines[node.lineno - 1][:400].strip()[:200],
                line=node.lineno,
            )


# Fields that never hold nodes worth a visit. Others may hold texts and numbers, too: those have no fields.
_LEAVES = frozenset(
    ("ctx", "op", "ops", "id", "attr", "arg", "module", "level", "asname", "kind", "conversion")
)
_FIELDS: dict[type, tuple[str, ...]] = {
    kind: tuple(field for field in kind._fields if field not in _LEAVES)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST) and kind.__module__ in ("ast", "_ast")
} | {ast.Constant: ()}


def _nodes(tree: ast.Module) -> tuple[list[Import], dict[str, tuple[int, ...]]]:
    """Imports, and names and attributes with their lines. One loop: `ast.walk` takes far longer."""
    imports: list[Import] = []
    found: dict[str, set[int]] = defaultdict(set)
    stack: list[Any] = [tree]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is ast.Name:
            found[node.id].add(node.lineno)
            continue
        if kind is ast.Import or kind is ast.ImportFrom:
            imports += _imported(node)
            continue
        if kind is ast.Attribute:
            found[node.attr].add(node.end_lineno or node.lineno)
        for field in _FIELDS.get(kind, ()):
            value = getattr(node, field, None)
            if type(value) is list:
                stack += value
            elif value is not None:
                stack.append(value)
    imports.sort(key=lambda item: (item.line, item.module))
    return imports, {name: tuple(sorted(lines)) for name, lines in sorted(found.items())}


def _imported(node: ast.Import | ast.ImportFrom) -> list[Import]:
    if isinstance(node, ast.Import):
        return [Import(alias.name, node.lineno) for alias in node.names]
    module = "." * node.level + (node.module or "")
    return [Import(module, node.lineno, tuple(alias.name for alias in node.names))]


def _source(node: ast.AST, lines: list[str]) -> str:
    """A small expression as written; long or broken ones are printed anew, cut at 120 characters."""
    place = getattr(node, "lineno", 0)
    # columns are those of the line's bytes, and a line may hold a hundred thousand nodes
    if place == getattr(node, "end_lineno", -1) and len(lines[place - 1]) < _LONG_LINE:
        line = lines[place - 1].encode()
        return line[node.col_offset : node.end_col_offset].decode("utf-8", "replace")[:120]  # type: ignore[attr-defined]
    return ast.unparse(node)[:120]


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Call):
        return _dotted(node.func)
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""
