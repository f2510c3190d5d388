"""Where the tests of a file live or should live, what they look like here, and how to call a new one."""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import PurePosixPath

from activities.deterministic.reliance import tests_using
from activities.deterministic.wording import STOP, pieces
from activities.index.model import Index
from activities.index.records import FileEntry, Role, Symbol
from activities.index.tests_map import subject

MOST_EXAMPLE_LINES = 30
_AFFIX = re.compile(r"^(test_|tests_)|(_test|_tests|\.test|\.spec|_spec|Test|Tests|Spec)$")
_FIXTURE = re.compile(r"@(?:pytest\.)?fixture\b")
_WORD = re.compile(r"[A-Za-z0-9]+")


@dataclass(frozen=True)
class Home:
    """A test file that exists, or is to be made."""

    path: str
    exists: bool


def home(index: Index, path: str, symbols: tuple[Symbol, ...]) -> Home | None:
    """The test file that uses most of the symbols, among equals one named after one of them; else one that
    covers the file; else a new one next to the existing tests. None for what is not source code, and where
    the repository has no test to go by."""
    entry = index.files.get(path)
    if entry is not None and (entry.role is not Role.SOURCE or not entry.code):
        return None
    using = Counter(p for s in symbols for p in dict.fromkeys(u.path for u in tests_using(index, s)))
    covering = index.tests_of(path)
    names = {s.name.lower().strip("_") for s in symbols}
    order = {test: at for at, test in enumerate(covering)}
    best = sorted(using, key=lambda p: (-using[p], subject(p) not in names, order.get(p, len(order)), p))
    existing = [
        p for p in (*best, *covering) if any(s.name.lower().startswith("test") for s in index.symbols_in(p))
    ]
    chosen = next(iter([*existing, *best, *covering]), "")
    if chosen:
        return Home(chosen, True)
    planned = _new_path(index, path)
    return Home(planned, planned in index.paths) if planned else None


def _new_path(index: Index, path: str) -> str:
    """A test file for `path`, named and placed as the nearest test of the same kind of file is."""
    target = PurePosixPath(path)
    tests = [
        e
        for e in index.files.values()
        if e.role is Role.TEST and e.path.endswith(target.suffix) and _AFFIX.search(_stem(e.path))
    ]
    if not tests:
        return ""
    sample = PurePosixPath(max(tests, key=lambda e: (_common(e.path, path), -len(e.path))).path)
    affix = _AFFIX.search(_stem(str(sample)))
    stem = _stem(path) if _stem(path) != "__init__" else target.parent.name
    name = f"{affix[1]}{stem}" if affix and affix[1] else f"{stem}{affix[2] if affix else ''}"
    beside = any(
        e.role is Role.SOURCE and e.code and e.path.rpartition("/")[0] == str(sample).rpartition("/")[0]
        for e in index.files.values()
        if not e.path.endswith("__init__.py")
    )
    folder = target.parent if beside else sample.parent
    return str(folder / f"{name}{target.suffix}")


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


def _common(a: str, b: str) -> int:
    parts = zip(a.split("/"), b.split("/"), strict=False)
    return sum(1 for x, y in parts if x == y)


def example(index: Index, test: str, symbols: tuple[Symbol, ...]) -> str:
    """A real test of a test file (or of its nearest relative), one that uses a symbol where there is one."""
    source = test if test in index.paths else _relative(index, test)
    if not source:
        return "The repository has no tests to look at."
    tests = [s for s in index.symbols_in(source) if s.kind.callable and s.name.lower().startswith("test")]
    lines = {u.line for s in symbols for u in tests_using(index, s) if u.path == source}
    using = [t for t in tests if any(t.first <= line <= t.last for line in lines)]
    chosen = next(iter([*using, *tests]), None)
    first, last = (chosen.first, chosen.last) if chosen else (1, MOST_EXAMPLE_LINES)
    last = min(last, first + MOST_EXAMPLE_LINES - 1)
    imports = _head(index.files[source])
    head = (
        f"{source} begins with:\n{index.lines(source, 1, imports)}\n\n"
        if chosen and 0 < imports < first
        else ""
    )
    last = min(last, index.files[source].lines)
    return f"{head}A test of {source} (lines {first}-{last}):\n{index.lines(source, first, last)}"


def _head(entry: FileEntry) -> int:
    return min(max((i.line for i in entry.imports), default=0), 20)


def _relative(index: Index, test: str) -> str:
    suffix = PurePosixPath(test).suffix
    tests = [
        e.path
        for e in index.files.values()
        if e.role is Role.TEST and PurePosixPath(e.path).suffix == suffix and e.symbols
    ]
    return max(tests, key=lambda p: (_common(p, test), -len(p)), default="")


def fixtures(index: Index, test: str) -> tuple[str, ...]:
    """Fixtures that a test file can use: its own and those of the conftest files above it."""
    folder = PurePosixPath(test).parent
    above = [str(parent / "conftest.py") for parent in (folder, *folder.parents)]
    return tuple(
        f"{s.name} ({s.path}:{s.line})"
        for path in (test, *above)
        for s in index.symbols_in(path)
        if any(_FIXTURE.match(f"@{d}") for d in s.decorators)
    )[:12]


def name_for(requirement: str, test: str) -> str:
    """What a test that proves a requirement is called, in the manner of the file's language."""
    words = [w.lower() for w in _WORD.findall(requirement) if w.lower() not in STOP and len(w) > 1][:8]
    words = words or list(pieces(PurePosixPath(test).stem)) or ["requirement"]
    suffix = PurePosixPath(test).suffix
    if suffix in (".go", ".java"):
        return ("Test" if suffix == ".go" else "test") + "".join(w.capitalize() for w in words)
    if suffix in (".py", ".rs", ".c", ".cpp", ".cc") or (suffix == ".rb" and not test.endswith("_spec.rb")):
        return "test_" + "_".join(words)[:70].rstrip("_")
    return " ".join(words)
