"""How this repository does things: tests, errors, logging, types and names, each with a place to see it."""

import re
from collections import Counter
from collections.abc import Iterator

from activities.deterministic.relevance import Relevant
from activities.index.model import Index
from activities.index.records import FileEntry, Role, Symbol, SymbolKind
from states.amounts import counted
from states.artifacts.discovery import CodePattern

_TEST_PACKAGES = {
    "pytest": "pytest",
    "unittest": "unittest",
    "vitest": "vitest",
    "jest": "jest",
    "@jest/globals": "jest",
    "mocha": "mocha",
    "chai": "mocha with chai",
    "node:test": "node:test",
    "rspec": "RSpec",
    "minitest": "minitest",
    "testing": "go test",
    "org.junit": "JUnit",
    "gtest": "GoogleTest",
}
_LOGGERS = {
    "structlog": "structlog",
    "loguru": "loguru",
    "logging": "the standard `logging` module",
    "winston": "winston",
    "pino": "pino",
    "log/slog": "log/slog",
    "go.uber.org/zap": "zap",
    "tracing": "tracing",
    "org.slf4j": "SLF4J",
}
_MODEL_STYLES = {
    "dataclass": "dataclasses",
    "dataclasses.dataclass": "dataclasses",
    "attr.s": "attrs",
    "define": "attrs",
    "attrs.define": "attrs",
}
_MODEL_BASES = {"BaseModel": "pydantic models", "TypedDict": "TypedDicts", "NamedTuple": "NamedTuples"}
_ENOUGH = 0.6
_SAMPLE = 4_000


def patterns(index: Index, relevant: Relevant) -> tuple[CodePattern, ...]:
    """What a change should follow, the relevant files before the rest of the repository."""
    sources = _sources(index, relevant)
    symbols = [s for entry in sources for s in entry.symbols][:_SAMPLE]
    found = [
        *_tests(index, relevant),
        *_errors(index, symbols),
        *_libraries(sources, _LOGGERS, "logging", "Log through {}"),
        *_models(symbols),
        *_types(sources, symbols),
        *_naming(symbols),
        *_docs(symbols),
        *_families(symbols, relevant),
    ]
    return tuple(found)


def _sources(index: Index, relevant: Relevant) -> list[FileEntry]:
    """All source files, the relevant ones first and generated ones never."""
    first = [index.files[p] for p in relevant.paths if index.files[p].role is Role.SOURCE]
    known = {entry.path for entry in first}
    rest = (e for e in index.files.values() if e.role is Role.SOURCE and e.code and e.path not in known)
    return [*first, *rest]


def _tests(index: Index, relevant: Relevant) -> Iterator[CodePattern]:
    tests = [e for e in index.files.values() if e.role is Role.TEST and e.code]
    if not tests:
        return
    near = [t for path in relevant.paths for t in index.tests_of(path)[:2]]
    example = near[0] if near else tests[0].path
    frameworks = Counter(name for entry in tests for name in _used(entry, _TEST_PACKAGES))
    if not frameworks and any(e.language == "python" for e in tests):
        plain = any(s.name.startswith("test_") and not s.parent for e in tests for s in e.symbols)
        frameworks["pytest" if plain or "conftest.py" in index.paths else "unittest"] += 1
    if not frameworks and any(e.language == "rust" for e in tests):
        frameworks["cargo test"] += 1
    framework = max(sorted(frameworks), key=lambda name: frameworks[name], default="")
    folders = Counter(e.path.split("/")[0] if "/" in e.path else "." for e in tests)
    where = max(sorted(folders), key=lambda name: folders[name])
    with_framework = f"with {framework} " if framework else ""
    yield CodePattern(
        name="tests",
        description=f"{counted(len(tests), 'test file')} {with_framework}under `{where}/`, e.g. `{example}`",
        example=example,
    )


def _used(entry: FileEntry, known: dict[str, str]) -> set[str]:
    asked = {item.external or item.module for item in entry.imports} | {i.module for i in entry.imports}
    return {
        label
        for name, label in known.items()
        if any(a == name or a.startswith((f"{name}.", f"{name}/")) for a in asked)
    }


def _errors(index: Index, symbols: list[Symbol]) -> Iterator[CodePattern]:
    errors = [s for s in symbols if s.kind.container and re.search(r"(Error|Exception)$", s.name)]
    if errors:
        used = sorted(errors, key=lambda s: (-len(index.callers(s)), s.path, s.line))[:4]
        names = ", ".join(f"`{s.name}`" for s in used)
        yield CodePattern(
            name="errors", description=f"Errors are classes of their own: {names}", example=used[0].place
        )


def _libraries(
    sources: list[FileEntry], known: dict[str, str], name: str, text: str
) -> Iterator[CodePattern]:
    counts: Counter[str] = Counter()
    example: dict[str, str] = {}
    for entry in sources:
        for label in _used(entry, known):
            counts[label] += 1
            example.setdefault(label, entry.path)
    if counts:
        best = max(sorted(counts), key=lambda label: counts[label])
        yield CodePattern(name=name, description=text.format(best), example=example[best])


def _models(symbols: list[Symbol]) -> Iterator[CodePattern]:
    counts: Counter[str] = Counter()
    example: dict[str, str] = {}
    for symbol in symbols:
        if symbol.kind is SymbolKind.CLASS:
            heads = [_MODEL_STYLES.get(d.split("(")[0].lstrip("@")) for d in symbol.decorators]
            bases = [_MODEL_BASES.get(base.rsplit(".", 1)[-1]) for base in symbol.bases]
            for style in {s for s in (*heads, *bases) if s}:
                counts[style] += 1
                example.setdefault(style, symbol.place)
    for style in sorted(counts, key=lambda s: (-counts[s], s))[:2]:
        yield CodePattern(
            name="data models",
            description=f"Data is held in {style} ({counts[style]} of them)",
            example=example[style],
        )


def _types(sources: list[FileEntry], symbols: list[Symbol]) -> Iterator[CodePattern]:
    python = {entry.path for entry in sources if entry.language == "python"}
    functions = [s for s in symbols if s.kind.callable and s.path in python]
    if functions:
        typed = [s for s in functions if "->" in s.signature]
        share = len(typed) / len(functions)
        verdict = "are" if share >= _ENOUGH else "are mostly not" if share < 0.2 else "are partly"
        of_all = f"{len(typed)} of {counted(len(functions), 'return type')}"
        yield CodePattern(
            name="type hints",
            description=f"Functions {verdict} annotated ({of_all})",
            example=(typed or functions)[0].place,
        )


def _naming(symbols: list[Symbol]) -> Iterator[CodePattern]:
    names = [s for s in symbols if s.kind.callable and len(s.name) > 3 and not s.name.startswith("__")]
    styles = {
        "snake_case": [s for s in names if "_" in s.name.strip("_") and s.name.islower()],
        "camelCase": [s for s in names if re.fullmatch(r"[a-z]+(?:[A-Z][a-z0-9]*)+", s.name)],
        "PascalCase": [s for s in names if re.fullmatch(r"(?:[A-Z][a-z0-9]+){2,}", s.name)],
    }
    style = max(styles, key=lambda name: len(styles[name]))
    if styles[style]:
        yield CodePattern(
            name="naming", description=f"Functions are named in {style}", example=styles[style][0].place
        )


def _docs(symbols: list[Symbol]) -> Iterator[CodePattern]:
    public = [s for s in symbols if s.kind.callable and not s.name.startswith("_")]
    told = [s for s in public if s.doc]
    if told and len(told) >= _ENOUGH * len(public):
        yield CodePattern(
            name="documentation",
            description=f"Public functions are documented ({len(told)} of {len(public)})",
            example=told[0].place,
        )


def _families(symbols: list[Symbol], relevant: Relevant) -> Iterator[CodePattern]:
    """Classes that end alike, such as `...Service`, when the task is near one of them."""
    families: dict[str, list[Symbol]] = {}
    for symbol in symbols:
        ending = re.search(r"[A-Z][a-z]{3,}$", symbol.name)
        if symbol.kind.container and ending and ending.group() not in ("Error", "Exception", symbol.name):
            families.setdefault(ending.group(), []).append(symbol)
    near = set(relevant.paths)
    for head in sorted(families, key=lambda h: (-len(families[h]), h)):
        members = families[head]
        if len(members) >= 2 and any(s.path in near for s in members):
            names = ", ".join(f"`{s.name}`" for s in members[:4])
            yield CodePattern(
                name=f"{head.lower()} classes",
                description=f"{len(members)} classes are named `...{head}`: {names}",
                example=members[0].place,
            )
