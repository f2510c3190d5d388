"""Names that a task writes as if they existed, and which do not."""

import builtins
import difflib
import keyword
import posixpath
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from activities.index.mentions import paths_named, symbols_named
from activities.index.model import Index
from activities.index.naming import named_in
from activities.index.records import Role

_CREATES = re.compile(
    r"\b(?:add(?:s|ed|ing)?|creat\w*|introduc\w*|implement\w*|provid\w*|expos\w*|writ(?:e|es|ing)|defin\w*|new|build|"
    r"generat\w*|allow\w*|accept\w*|support\w*|extract\w*|call(?:ed)?|name[ds]?|renam\w*\b.*\bto)\b[^.;\n]*$",
    re.I,
)
_CHANGES = re.compile(
    r"\b(?:fix\w*|chang\w*|updat\w*|refactor\w*|remov\w*|delet\w*|renam\w*|mov(?:e|es|ing)|improv\w*|optimi[sz]\w*|extend\w*|"
    r"modif\w*|deprecat\w*|replac\w*|mak(?:e|es|ing))\s+(?:\w+\s+){0,3}`?$",
    re.I,
)
_NEW_BEHIND = re.compile(
    r"^`?\s*(?:parameter|param|argument|arg|option|flag|field|attribute|keyword|column|key|header|setting|variable)",
    re.I,
)
_MIN_LENGTH = 4
_SIMILAR = 0.78
_LONG = 1_000


@dataclass(frozen=True)
class UnknownName:
    """A name without a definition, with what may be meant by it: (label, path) pairs, closest first.
    `path` says that it was written as a file."""

    name: str
    path: bool
    close: tuple[tuple[str, str], ...]


def unknown_names(index: Index, task: str) -> list[UnknownName]:
    """Names in backticks and paths that the repository has not, other than those the task wants made."""
    named = named_in(task)
    found = []
    for name in named.quoted:
        if not _to_make(task, name) and not _known(index, name):
            close = _close_symbols(index, name)
            if _asks(task, name, close):
                found.append(UnknownName(name, False, close))
    for name in named.paths:
        if name == posixpath.normpath(name) and not paths_named(index, name) and not _to_make(task, name):
            close = _close_paths(index, name)
            if _asks(task, name, close):
                found.append(UnknownName(name, True, close))
    return found


def _asks(task: str, name: str, close: tuple[tuple[str, str], ...]) -> bool:
    """A long task describes much that does not exist yet: there a name must both be misspelt and stand where
    something is to be changed."""
    wanted = _to_change(task, name)
    return (wanted and bool(close)) if len(task) > _LONG else (wanted or bool(close))


def _known(index: Index, name: str) -> bool:
    last = name.rsplit(".", 1)[-1]
    if len(last) < _MIN_LENGTH or hasattr(builtins, last) or keyword.iskeyword(last):
        return True
    if name.split(".")[0] in sys.stdlib_module_names or symbols_named(index, name):
        return True
    owner = name.split(".")[-2] if "." in name else ""
    if index.mentions(last) and not (owner[:1].isupper() and not index.mentions(owner)):
        return True
    if owner[:1].isupper():
        return False
    if paths_named(index, name) or any(f"/{name.replace('.', '/')}." in f"/{p}" for p in index.paths):
        return True
    return index.written(last)


def _context(task: str, name: str) -> Iterable[tuple[str, str]]:
    """What stands before and behind each mention, on its line."""
    for line in task.splitlines():
        for match in re.finditer(rf"(?<![\w.]){re.escape(name)}(?!\w)", line):
            yield line[: match.start()], line[match.end() :]


def _to_make(task: str, name: str) -> bool:
    return any(
        _CREATES.search(before.rstrip("`")) or _NEW_BEHIND.match(behind)
        for before, behind in _context(task, name)
    )


def _to_change(task: str, name: str) -> bool:
    return any(_CHANGES.search(before) for before, _ in _context(task, name))


def _close_symbols(index: Index, name: str) -> tuple[tuple[str, str], ...]:
    wanted = ".".join(name.split(".")[-2:])
    known: dict[str, str] = {}
    for entry in index.files.values():
        if entry.role is Role.SOURCE:
            for symbol in entry.symbols:
                label = symbol.qualified if "." in wanted else symbol.name
                known.setdefault(label, symbol.path)
    lowered: dict[str, str] = {}
    for label in known:
        lowered.setdefault(label.lower(), label)
    near = difflib.get_close_matches(
        wanted.lower(), _plausible(wanted.lower(), lowered), n=3, cutoff=_SIMILAR
    )
    near = _best(wanted.lower(), near)
    return tuple((lowered[match], known[lowered[match]]) for match in near)


def _best(wanted: str, near: list[str]) -> list[str]:
    """Those about as close as the closest."""
    ratios = {match: difflib.SequenceMatcher(None, wanted, match).ratio() for match in near}
    return [match for match in near if ratios[match] >= ratios[near[0]] - 0.05]


def _plausible(wanted: str, names: Iterable[str]) -> list[str]:
    """A cheap first pass: similar length and a common letter pair; `difflib` is slow on tens of thousands."""
    pairs = {wanted[i : i + 2] for i in range(len(wanted) - 1)}
    return [n for n in names if abs(len(n) - len(wanted)) <= 4 and any(pair in n for pair in pairs)][:20_000]


def _close_paths(index: Index, name: str) -> tuple[tuple[str, str], ...]:
    folder_and_base = name.rsplit("/", 1)
    base = folder_and_base[-1].lower()
    by_base: dict[str, list[str]] = {}
    for path, entry in index.files.items():
        if entry.role not in (Role.GENERATED, Role.TEST):
            by_base.setdefault(path.rsplit("/", 1)[-1].lower(), []).append(path)
    near = difflib.get_close_matches(base, _plausible(base, by_base), n=3, cutoff=_SIMILAR)
    paths = [p for match in _best(base, near) for p in by_base[match][:2]]
    return tuple((p, p) for p in paths[:3])
