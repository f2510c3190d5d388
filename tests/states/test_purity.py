"""states/ and workflows/ are the same in every process: no clock, no chance, no I/O, no order of sets."""

from pathlib import Path

import pytest

from tests.purity_guard import Known, impurities

ROOT = Path(__file__).resolve().parents[2]
PLAIN = {
    *(
        "__future__",
        "collections",
        "contextlib",
        "dataclasses",
        "datetime",
        "enum",
        "functools",
        "graphlib",
        "hashlib",
    ),
    *("itertools", "json", "math", "operator", "posixpath", "re", "shlex", "string", "textwrap", "typing"),
    "unicodedata",
}
"""modules of the standard library that are the same function of their arguments everywhere"""
MAY_IMPORT = {
    "states": PLAIN | {"pydantic", "states"},
    "workflows": PLAIN
    | {"asyncio", "logging", "pydantic", "structlog", "temporalio", "states", "activities", "workflows"},
}
EXCEPTIONS = {
    "states/machine.py": {"imports transitions": "the one file that may"},
    "states/diagram.py": {"imports pathlib": "in main(), the command that writes the docs"},
}


def modules(package: str, root: Path = ROOT) -> dict[str, str]:
    """Path below the root -> source text."""
    files = sorted((root / package).rglob("*.py"))
    return {file.relative_to(root).as_posix(): file.read_text(encoding="utf-8") for file in files}


def found_in(package: str, root: Path = ROOT) -> list[str]:
    """All that is impure in a package, the named exceptions apart."""
    sources = modules(package, root)
    known = Known.of(sources.values())
    return [
        f"{path}:{problem}"
        for path, source in sources.items()
        for problem in impurities(source, MAY_IMPORT[package], known)
        if problem.split(": ", 1)[1] not in EXCEPTIONS.get(path, {})
    ]


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_nothing_impure(package: str) -> None:
    assert len(modules(package)) > 5
    assert found_in(package) == [], "jobs are replayed: see tests/purity_guard.py for what is read as impure"


def test_every_exception_is_still_needed() -> None:
    for path, excused in EXCEPTIONS.items():
        source = (ROOT / path).read_text(encoding="utf-8")
        package = path.split("/")[0]
        problems = {p.split(": ", 1)[1] for p in impurities(source, MAY_IMPORT[package])}
        assert set(excused) <= problems


def test_only_the_engine_knows_its_library() -> None:
    everywhere = {path: text for package in MAY_IMPORT for path, text in modules(package).items()}
    assert [path for path, text in everywhere.items() if "from transitions import" in text] == [
        "states/machine.py"
    ]


PLANTED = {
    "from datetime import datetime\nAT = datetime.now()": "uses datetime.datetime.now",
    "import datetime as d\nAT = d.datetime.utcnow()": "uses datetime.datetime.utcnow",
    "from datetime import date as day\nAT = day.today()": "uses datetime.date.today",
    "from dataclasses import field\nfrom datetime import datetime\nx = field(default_factory=datetime.now)": (
        "uses datetime.datetime.now"
    ),
    "import time\nT = time.monotonic()": "imports time",
    "from time import time as now": "imports time",
    "def f() -> int:\n    import random\n    return random.randint(1, 2)": "imports random",
    "import uuid": "imports uuid",
    "from secrets import token_hex": "imports secrets",
    "import os\nHOME = os.environ['HOME']": "imports os",
    "from pathlib import Path": "imports pathlib",
    "text = open('x').read()": "uses open()",
    "n = hash('x') % 2": "uses hash()",
    "key = id(object())": "uses id()",
    "from temporalio import workflow": "imports temporalio",
    "import activities.orders": "imports activities.orders",
    "from workflows.job import Job": "imports workflows.job",
    "from phasegate.client import JobClient": "imports phasegate.client",
    "from . import words": "imports a relative module",
    "from transitions import Machine": "imports transitions",
    "for x in {1, 2}:\n    pass": "a loop over a set",
    "s = set('ab')\nfor x in s:\n    pass": "a loop over a set",
    "x = [y for y in set('ab')]": "a comprehension over a set",
    "def f(s: frozenset[str]) -> list[str]:\n    return [x for x in s]": "a comprehension over a set",
    "def f(s: 'set[str] | None') -> dict[str, int]:\n    return {x: 1 for x in s or ()}": (
        "a comprehension over a set"
    ),
    "def f(s: set[str]) -> list[str]:\n    return list(s)": "list() of a set",
    "def f(s: set[str]) -> str:\n    return ', '.join(s)": "join() of a set",
    "def f(s: set[str]) -> str:\n    return f'{s}'": "a set is handed on in its order",
    "def f(s: set[str]) -> tuple[str, ...]:\n    return (*s, 'x')": "a set is unpacked",
    "def f(s: set[str]) -> None:\n    print_all(*s)": "a set is unpacked",
    "first, second = {1, 2}": "a set is unpacked",
    "def f(s: set[str]) -> str:\n    return s.pop()": "pop() of a set",
    "def f(s: set[str]) -> object:\n    return sorted(s, key=len)": "sorted() where ties keep a set's order",
    "def f(s: set[str]) -> str:\n    return max(s, key=len)": "max() where ties keep a set's order",
    "def f(a: set[str], b: set[str]) -> list[str]:\n    return list(a - b)": "list() of a set",
    "def f(a: dict[str, int], b: dict[str, int]) -> list[str]:\n    return list(a.keys() & b.keys())": (
        "list() of a set"
    ),
    "def g() -> set[str]:\n    return {'a'}\nx = tuple(g())": "tuple() of a set",
    "class P(Piece):\n    tags: frozenset[str]": "the field tags is a set",
    "class P:\n    tags: frozenset[str]\n\ndef f(p: P) -> None:\n    list(p.tags)": "list() of a set",
    "def f(x: list[str]) -> list[str]:\n    y = set(x)\n    z = y\n    return list(z)": "list() of a set",
    "def f(x: list[str]) -> object:\n    if s := set(x):\n        return next(iter(s))": "iter() of a set",
    "def f(x: list[str]) -> list[str]:\n    y: list[str] = []\n    y.extend(set(x))\n    return y": (
        "extend() of a set"
    ),
    "def f(x: list[str]) -> dict[str, None]:\n    return dict.fromkeys(set(x))": "fromkeys() of a set",
}

INNOCENT = [
    "from datetime import datetime, timedelta\n\ndef f(at: datetime) -> None:\n    at + timedelta(1)",
    "def f(s: set[str]) -> list[str]:\n    return sorted(s)",
    "def f(s: set[str]) -> list[str]:\n    return sorted(x.upper() for x in s)",
    "def f(s: set[str]) -> bool:\n    return any(x for x in s) and len(s) > 1 and 'a' in s",
    "def f(s: set[str]) -> set[str]:\n    return {x.upper() for x in s} | frozenset(x for x in s)",
    "def f(x: list[str]) -> list[str]:\n    known = set(x)\n    return [y for y in x if y not in known]",
    "def f(x: list[str]) -> list[str]:\n    return list(dict.fromkeys(x))",
    "def f(n: int, m: int) -> list[int]:\n    return list(range(n - m))",
    "def f(x: list[str]) -> str:\n    return x.pop()",
    "class Inner:\n    tags: frozenset[str]",
]


@pytest.mark.parametrize("source", PLANTED)
def test_what_is_planted_is_found(source: str, tmp_path: Path) -> None:
    (tmp_path / "states").mkdir()
    (tmp_path / "states" / "planted.py").write_text(source, encoding="utf-8")
    found = found_in("states", tmp_path)
    assert any(problem.endswith(PLANTED[source]) for problem in found), found


@pytest.mark.parametrize("source", INNOCENT)
def test_what_is_innocent_passes(source: str) -> None:
    assert impurities(source, MAY_IMPORT["states"]) == []
