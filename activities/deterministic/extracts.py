"""The code that later phases need: snippets, signatures, data models, and what connects to what."""

from activities.deterministic.relevance import Relevant
from activities.index.model import Index
from activities.index.records import Role, Symbol, SymbolKind
from states.artifacts.base import MethodSignature, ModelDefinition, ModelField
from states.artifacts.discovery import Dependency, ExtractedContext, IntegrationPoint

_SNIPPET_LINES = 60
_PLAIN_LINES = 40
_LONG_CLASS = 25
_MOST_SNIPPETS = 20
_MOST_CHARACTERS = 40_000
_MOST_METHODS = 60
_MOST_MODELS = 20
_MOST_POINTS = 60
_MOST_CALLERS = 8
_MOST_DEPENDENCIES = 80


def extract(index: Index, relevant: Relevant) -> ExtractedContext:
    """Snippets, methods and models around the targets."""
    return ExtractedContext(
        code_snippets=_snippets(index, relevant),
        existing_methods=_methods(index, relevant),
        data_models=_models(index, relevant),
    )


def _snippets(index: Index, relevant: Relevant) -> dict[str, str]:
    places = [(s.path, s.first, _end(index, s)) for s in relevant.symbols]
    shown = {path for path, _, _ in places}
    for path in relevant.targets:
        if path not in shown:
            places.append((path, 1, min(max(index.files[path].lines, 1), _PLAIN_LINES)))
    found: dict[str, str] = {}
    size = 0
    kept: list[tuple[str, int, int]] = []
    for path, first, last in places:
        if len(found) >= _MOST_SNIPPETS or any(p == path and a <= first and last <= b for p, a, b in kept):
            continue
        text = index.lines(path, first, last)
        if text.strip() and size + len(text) <= _MOST_CHARACTERS:
            found[f"{path}:{first}-{last}"] = text
            kept.append((path, first, last))
            size += len(text)
    return found


def _end(index: Index, symbol: Symbol) -> int:
    """A long class is shown up to its first method: the methods that matter are snippets of their own."""
    last = symbol.last
    if symbol.kind.container and last - symbol.first >= _LONG_CLASS:
        inside = [
            s.first
            for s in index.symbols_in(symbol.path)
            if s.parent == symbol.name and s.first > symbol.first
        ]
        last = min(inside, default=last + 1) - 1
    return min(last, symbol.first + _SNIPPET_LINES - 1)


def _methods(index: Index, relevant: Relevant) -> tuple[MethodSignature, ...]:
    chosen = [s for s in relevant.symbols if s.kind.callable]
    for path in relevant.targets:
        chosen += [s for s in index.symbols_in(path) if s.kind.callable and not s.private]
    return tuple(signature_of(s) for s in list(dict.fromkeys(chosen))[:_MOST_METHODS])


def signature_of(symbol: Symbol) -> MethodSignature:
    """A function or method of the repository, as artifacts have it."""
    return MethodSignature(
        name=symbol.name,
        signature=symbol.signature,
        path=symbol.path,
        line=symbol.line,
        class_name=symbol.parent,
        doc=symbol.doc,
    )


def _models(index: Index, relevant: Relevant) -> tuple[ModelDefinition, ...]:
    """Containers with fields in the relevant files, those of the relevant symbols first."""
    wanted = [s for s in relevant.symbols if s.members]
    for path in relevant.paths:
        if index.files[path].role is Role.SOURCE:
            wanted += [s for s in index.symbols_in(path) if s.members and s.kind is not SymbolKind.MODULE]
    return tuple(model_of(index, s) for s in list(dict.fromkeys(wanted))[:_MOST_MODELS])


def model_of(index: Index, symbol: Symbol) -> ModelDefinition:
    """A class, struct or interface as a data model, with its fields as written."""
    fields = tuple(ModelField(name=m.name, type=m.type, default=m.default) for m in symbol.members if m.name)
    rules = tuple(
        f"{m.name}: {m.default}" for m in symbol.members if m.default.startswith(("Field(", "field("))
    )
    related = [f"extends {base}" for base in symbol.bases]
    for member in symbol.members:
        kinds = [s.name for word in _words(member.type) for s in index.find(word) if s.kind.container]
        related += [f"{member.name} is {name}" for name in dict.fromkeys(kinds)]
    return ModelDefinition(
        name=symbol.name,
        path=symbol.path,
        line=symbol.line,
        fields=fields,
        validation_rules=rules,
        relationships=tuple(related),
    )


def _words(kind: str) -> list[str]:
    return "".join(c if c.isalnum() or c == "_" else " " for c in kind).split()


def integration_points(index: Index, relevant: Relevant) -> tuple[IntegrationPoint, ...]:
    """Who calls the relevant symbols and imports the targets; tests stand with the files they cover."""
    points: list[IntegrationPoint] = []
    for symbol in relevant.symbols:
        uses = [u for u in index.callers(symbol) if u.path != symbol.path]
        for use in [u for u in uses if index.files[u.path].role is not Role.TEST][:_MOST_CALLERS]:
            points.append(
                IntegrationPoint(path=use.path, target=symbol.qualified, kind="call", line=use.line)
            )
    for path in relevant.targets:
        for user in index.importers(path):
            if index.files[user].role is not Role.TEST:
                line = next((i.line for i in index.files[user].imports if path in i.paths), 0)
                points.append(IntegrationPoint(path=user, target=path, kind="import", line=line))
    return tuple(dict.fromkeys(points))[:_MOST_POINTS]


def dependencies(index: Index, relevant: Relevant) -> tuple[Dependency, ...]:
    """What the targets import, and what imports them."""
    found: list[Dependency] = []
    for path in relevant.targets:
        found += [Dependency(source=path, target=target) for target in index.imports_of(path)]
        found += [Dependency(source=path, target=t, external=True) for t in index.externals_of(path)]
    for path in relevant.targets:
        users = [u for u in index.importers(path) if index.files[u].role is not Role.TEST]
        found += [Dependency(source=user, target=path) for user in users]
    return tuple(dict.fromkeys(found))[:_MOST_DEPENDENCIES]
