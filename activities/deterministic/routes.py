"""Routes and commands that a symbol serves, where the source says so in a form that many frameworks share."""

import re
from collections.abc import Iterator

from activities.deterministic.signatures import parameters, stated
from activities.index.model import Index
from activities.index.records import Role, Symbol
from states.artifacts.contracts import ApiContract

_ROUTE = re.compile(
    r"^@?(?:[\w.]+\.)?(get|post|put|patch|delete|head|options|route|api_route|websocket)"
    r"\(\s*[rf]?[\"']([^\"']*)[\"']",
    re.I,
)
_METHODS = re.compile(r"methods\s*=\s*[\[(]([^\])]*)")
_COMMAND = re.compile(
    r"^@?(?:[\w.]+\.)?(?:command|callback)\b(?:\(\s*(?:name\s*=\s*)?(?:[\"']([\w:-]+)[\"'])?)?"
)
_REGISTERED = (
    r"\b(?:[\w.]+\.)?(?:(get|post|put|patch|delete|HandleFunc|Handle)\(\s*[\"'`](/[^\"'`]*)|"
    r"(path|re_path|url)\(\s*r?[\"']([^\"']*))[\"'`][^\n]*?\b{name}\b"
)
_ANY = ("route", "api_route", "handlefunc", "handle", "path", "re_path", "url")


def served(index: Index, symbol: Symbol, errors: tuple[str, ...]) -> tuple[ApiContract, ...]:
    """The interfaces behind which a symbol stands today. Schemas hold what its signature says, no more."""
    request = {p.name: p.type or "(not annotated)" for p in parameters(symbol.signature)}
    returns = stated(symbol.signature, symbol.path).rpartition("->")[2].strip()
    found = dict.fromkeys((*_decorated(symbol), *_registered(index, symbol)))
    return tuple(
        ApiContract(
            endpoint=endpoint,
            method=method,
            request_schema=request,
            response_schema={"returns": returns} if returns else {},
            error_responses=errors,
        )
        for endpoint, method in found
    )


def _decorated(symbol: Symbol) -> Iterator[tuple[str, str]]:
    for decorator in symbol.decorators:
        route, command = _ROUTE.match(decorator), _COMMAND.match(decorator)
        if route:
            listed = _METHODS.search(decorator)
            methods = re.findall(r"\w+", listed[1]) if listed else [_method(route[1])]
            yield from ((route[2] or "/", m.upper()) for m in methods)
        elif command:
            yield command[1] or symbol.name.replace("_", "-"), "CLI"


def _registered(index: Index, symbol: Symbol) -> Iterator[tuple[str, str]]:
    """Routes that name the symbol as their handler, in its own file and in those that import it."""
    if symbol.parent:
        return
    pattern = re.compile(_REGISTERED.format(name=re.escape(symbol.name)), re.I)
    for path in (symbol.path, *index.importers(symbol.path)[:10]):
        if index.files[path].role is Role.SOURCE:
            for match in pattern.finditer(index.text(path)):
                yield match[2] or match[4] or "/", _method(match[1] or match[3])


def _method(word: str) -> str:
    return "ANY" if word.lower() in _ANY else word.upper()
