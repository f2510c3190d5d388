"""Which symbols of a file a text speaks of, and which of them change."""

from activities.deterministic.wording import pieces, terms
from activities.index.model import Index
from activities.index.records import Symbol, SymbolKind

MOST_PER_FILE = 4
COMMON = terms(
    "get set add create update delete remove run init main test list load save read write call handle "
    "process "
    "build parse check find value data item name type file path key id info result str repr eq hash len iter "
    "enter exit string object"
)


def overlap(symbol: Symbol, heard: frozenset[str]) -> float:
    """How much of a symbol's name a text says, 0 to 1; 0 unless it says a word that is not in every program.
    A method counts with its class, half as much."""
    own = [p for p in pieces(symbol.name) if len(p) > 1]
    if not own:
        return 0
    said = [p for p in own if p in heard]
    parent = [p for p in pieces(symbol.parent) if p not in COMMON]
    context = [p for p in parent if p in heard]
    telling = [p for p in said if p not in COMMON]
    # an everyday name like `add` needs its whole class to be spoken of
    if not telling and not (said and parent and context == parent):
        return 0
    share = len(said) / len(own)
    return min(1.0, share + 0.25 * bool(context)) if share >= 0.5 else 0


def spoken_of(index: Index, path: str, text: str) -> tuple[Symbol, ...]:
    """Callables of a file whose names the text says, best first."""
    heard = terms(text)
    scored = [(overlap(s, heard), s) for s in index.symbols_in(path) if s.kind.callable]
    return tuple(s for score, s in sorted(scored, key=lambda p: (-p[0], p[1].first)) if score > 0)


def affected(index: Index, path: str, named: list[Symbol], text: str) -> tuple[Symbol, ...]:
    """The callables of a file that change: those named, the methods of a named class that the text speaks of
    (else its constructor), and when nothing is named, the best few by their names. Top to bottom."""
    found: list[Symbol] = [s for s in named if s.kind.callable and s.path == path]
    for container in (s for s in named if s.kind.container and s.path == path):
        methods = [s for s in index.symbols_in(path) if s.kind.callable and s.parent == container.name]
        heard = terms(text)
        spoken = sorted(
            (m for m in methods if overlap(m, heard)), key=lambda m: (-overlap(m, heard), m.first)
        )
        found += spoken[:MOST_PER_FILE] or [
            m for m in methods if m.name in ("__init__", "constructor", "new")
        ]
    if not found:
        found = list(spoken_of(index, path, text)[:MOST_PER_FILE])
    return tuple(sorted(dict.fromkeys(found), key=lambda s: s.first))


def models(index: Index, path: str, named: list[Symbol], text: str) -> tuple[Symbol, ...]:
    """The data structures of a file that the text names or speaks of: containers that have fields."""
    heard = terms(text)
    return tuple(
        s
        for s in index.symbols_in(path)
        if s.kind in (SymbolKind.CLASS, SymbolKind.STRUCT, SymbolKind.INTERFACE, SymbolKind.ENUM)
        and s.members
        and (s in named or overlap(s, heard) >= 0.75)
    )
