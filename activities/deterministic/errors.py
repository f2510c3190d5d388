"""How code reports errors today: what is raised, thrown or returned, line by line."""

import re
from pathlib import PurePosixPath

from activities.deterministic.wording import cut
from activities.index.model import Index
from activities.index.records import Role, Symbol

_BY_SUFFIX: dict[str, str] = {
    ".py": r"^\s*raise\b",
    ".rb": r"^\s*(?:raise|fail)\b",
    ".go": r"\b(?:errors\.New|fmt\.Errorf|panic)\(|\breturn\b.*\berr\b",
    ".rs": r"\bErr\(|\bpanic!|\bbail!|\breturn Err",
}
_C_LIKE = r"\bthrow\b|\breject\(|\breturn\s+-1\b|\babort\("
MOST_LINES = 12


def raised(index: Index, path: str, first: int, last: int) -> tuple[str, ...]:
    """Lines between two lines of a file that report an error, each with its place. Empty when none does."""
    pattern = re.compile(_BY_SUFFIX.get(PurePosixPath(path).suffix.lower(), _C_LIKE))
    lines = index.lines(path, first, last).splitlines()
    found = [(first + n, cut(line, 140)) for n, line in enumerate(lines) if pattern.search(line)]
    return tuple(f"{path}:{number}: {line}" for number, line in found[:MOST_LINES])


def of_symbol(index: Index, symbol: Symbol) -> tuple[str, ...]:
    """Error lines in a symbol's own body."""
    return raised(index, symbol.path, symbol.first, symbol.last)


def in_file(index: Index, path: str) -> str:
    """How a file and, where it reports none, its package handle errors; a sentence with real lines."""
    own = raised(index, path, 1, index.files[path].lines) if path in index.files else ()
    if own:
        return "This file reports errors like this:\n" + "\n".join(own[:6])
    folder = path.rpartition("/")[0]
    near = [p for p in index.files if p.startswith(folder) and p.rpartition("/")[0] == folder and p != path]
    for neighbour in [p for p in near if index.files[p].code and index.files[p].role is Role.SOURCE][:20]:
        lines = raised(index, neighbour, 1, index.files[neighbour].lines)
        if lines:
            return "This file reports no errors; one next to it does it like this:\n" + "\n".join(lines[:4])
    return "No error is raised or returned in this file or next to it."
