"""Who relies on a symbol or a file, and which tests watch over it."""

from pathlib import PurePosixPath

from activities.deterministic.signatures import stated
from activities.deterministic.wording import listed
from activities.index.model import Index
from activities.index.records import Role, Symbol, Use
from states.artifacts.contracts import IntegrationContract

MOST_CALLERS = 30
MOST_DEPENDANTS = 20


def uses(index: Index, symbol: Symbol) -> tuple[Use, ...]:
    """Uses of a symbol, those of sources before those of tests."""
    found = index.callers(symbol)
    return tuple(sorted(found, key=lambda u: (index.files[u.path].role is not Role.SOURCE, u.path, u.line)))


def callers(index: Index, symbol: Symbol) -> tuple[str, ...]:
    """Uses as `path:line`; past the limit the last entry says how many more there are."""
    places = [f"{u.path}:{u.line}" for u in uses(index, symbol)]
    if len(places) > MOST_CALLERS:
        return (*places[: MOST_CALLERS - 1], f"and {len(places) - MOST_CALLERS + 1} more")
    return tuple(places)


def tests_using(index: Index, symbol: Symbol) -> tuple[Use, ...]:
    """Uses of a symbol in tests."""
    return tuple(u for u in uses(index, symbol) if index.files[u.path].role is Role.TEST)


def covering(index: Index, symbol: Symbol) -> str:
    """In one sentence, which tests use a symbol today and which could."""
    using = tests_using(index, symbol)
    if using:
        first = using[0].path
        names = dict.fromkeys(u.enclosing for u in using if u.path == first and u.enclosing)
        more = tuple(dict.fromkeys(u.path for u in using if u.path != first))
        covered = f" (used today by {listed(list(names), 4)})" if names else ""
        return f"Extend {first}{covered}{f'; it is also used in {listed(more, 3)}' if more else ''}"
    tests = index.tests_of(symbol.path)
    if tests:
        return (
            f"Extend {tests[0]}: it covers {PurePosixPath(symbol.path).name}, but no test names {symbol.name}"
        )
    return f"No test covers {symbol.path} today"


def relying(index: Index, path: str, changed: tuple[Symbol, ...]) -> tuple[IntegrationContract, ...]:
    """What other files need of a file: the symbols that change, or else simply that it can be imported."""
    dependants = [p for p in index.importers(path) if index.files[p].role is not Role.TEST]
    dependants += [u.path for s in changed for u in uses(index, s) if index.files[u.path].role is Role.SOURCE]
    others = tuple(p for p in dict.fromkeys(dependants) if p != path)
    if not others:
        return ()
    kept = [stated(s.signature, s.path) for s in changed if not s.private]
    more = (f"and {len(others) - MOST_DEPENDANTS} more",) if len(others) > MOST_DEPENDANTS else ()
    return (
        IntegrationContract(
            component=path,
            interface="; ".join(kept) or "what it exports today",
            dependencies=(*others[:MOST_DEPENDANTS], *more),
        ),
    )
