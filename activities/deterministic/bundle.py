"""The context bundle of a subtask: everything that whoever works on a file would otherwise look up again."""

from pathlib import PurePosixPath

from activities.brief import Brief
from activities.deterministic import errors, testing
from activities.deterministic.models import model_of
from activities.deterministic.names import ONLY_REFERRED, lookup
from activities.deterministic.reliance import uses
from activities.deterministic.voice import Voice
from activities.deterministic.wording import named
from activities.deterministic.work import Work
from activities.index.model import Index
from activities.index.records import Role, Symbol
from states.artifacts.base import ModelDefinition
from states.artifacts.implementation import ContextBundle

WHOLE_FILE_LINES = 300
AROUND = 3
MOST_SNIPPETS = 10
MOST_MODELS = 10
MOST_HELPERS = 15
MOST_EXCERPT_LINES = 400
MOST_SNIPPET_LINES = 60


def bundle(work: Work, test: str, brief: Brief, voice: Voice, index: Index) -> ContextBundle:
    """What is known about one file; `test` is the file that proves it, blank when there is none."""
    return ContextBundle(
        existing_code=existing_code(index, work.path, (*work.symbols, *work.models)),
        related_code_snippets=_related(work, brief, voice, index),
        data_models=_models(work, brief, index),
        utility_functions=_helpers(work, index),
        testing_patterns=testing.example(index, test, work.symbols) if test else "",
        error_handling_patterns=errors.in_file(index, work.path) if work.path in index.paths else "",
    )


def existing_code(index: Index, path: str, symbols: tuple[Symbol, ...]) -> str:
    """A file of up to 300 lines whole; of a longer one its beginning and the symbols, each with its lines."""
    if path not in index.paths:
        return ""
    total = len(index.text(path).splitlines())
    if total <= WHOLE_FILE_LINES:
        return index.lines(path, 1, total)
    head = max((i.line for i in index.files[path].imports), default=20)
    spans = [(1, min(head, 60)), *((s.first - AROUND, s.last + AROUND) for s in symbols)]
    if not symbols:
        spans.append((1, WHOLE_FILE_LINES))
    parts, room = [], MOST_EXCERPT_LINES
    for first, last in merged(spans, total):
        last = min(last, first + room - 1)
        if room > 0:
            parts.append(f"--- lines {first}-{last} of {total} ---\n{index.lines(path, first, last)}")
            room -= last - first + 1
    outline = "\n".join(
        f"{s.line}: {s.signature}" for s in index.symbols_in(path) if s.kind.callable or s.kind.container
    )
    return "\n".join([*parts, f"--- everything that {path} defines ---", *outline.splitlines()[:120]])


def merged(spans: list[tuple[int, int]], total: int) -> list[tuple[int, int]]:
    """Line ranges inside a file, in order, those that overlap or touch made one."""
    found: list[tuple[int, int]] = []
    for first, last in sorted((max(1, a), min(total, b)) for a, b in spans):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        elif first <= last:
            found.append((first, last))
    return found


def _related(work: Work, brief: Brief, voice: Voice, index: Index) -> dict[str, str]:
    """Code elsewhere: what the text points at as a model, who calls what changes, what DISCOVERY kept."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for symbol in _models_to_follow(voice, index):
        if symbol not in work.symbols:
            spans.setdefault(symbol.path, []).append((symbol.first, symbol.first + MOST_SNIPPET_LINES - 1))
    for symbol in work.symbols:
        for use in uses(index, symbol):
            if use.path != work.path and index.files[use.path].role is not Role.TEST:
                spans.setdefault(use.path, []).append((use.line - AROUND, use.line + AROUND))
    found: dict[str, str] = {}
    for path, ranges in spans.items():
        for first, last in merged(ranges, len(index.text(path).splitlines()))[:3]:
            found[f"{path}:{first}-{last}"] = index.lines(path, first, last)
    near = {work.path, *index.imports_of(work.path), *index.importers(work.path)}
    for place, text in sorted(brief.found().extracted_context.code_snippets.items()):
        path = place.rpartition(":")[0]
        if path in near and path != work.path and path in index.paths and path not in spans:
            found[place] = text
    return dict(list(found.items())[:MOST_SNIPPETS])


def _models_to_follow(voice: Voice, index: Index) -> tuple[Symbol, ...]:
    """Symbols that the text names in passing: `like X`, `using X`, `raise X`."""
    names = [m.name for m in named(voice.said) if ONLY_REFERRED.search(m.before)]
    found = [s for name in names for s in lookup(index, name)[:1]]
    return tuple(dict.fromkeys(found))[:4]


def _models(work: Work, brief: Brief, index: Index) -> tuple[ModelDefinition, ...]:
    """Data models that the file defines or uses: those of the contracts and of DISCOVERY, else its own."""
    designed = brief.designed()
    known = [*(designed.data_models if designed else ()), *brief.found().extracted_context.data_models]
    entry = index.files.get(work.path)
    used = entry.uses if entry else {}
    found = {m.name: m for m in reversed(known) if m.path == work.path or m.name in used}
    own = [s for s in index.symbols_in(work.path) if s.kind.container and s.members]
    for symbol in own:
        found.setdefault(symbol.name, model_of(symbol, index))
    return tuple(found[name] for name in sorted(found))[:MOST_MODELS]


def _helpers(work: Work, index: Index) -> tuple[str, ...]:
    """Functions at hand: those of imported files that this one uses, then its own that do not change."""
    entry = index.files.get(work.path)
    if entry is None:
        folder = str(PurePosixPath(work.path).parent)
        near = [p for p in sorted(index.paths) if str(PurePosixPath(p).parent) == folder]
        pool = [
            s
            for p in near[:10]
            for s in index.symbols_in(p)
            if s.kind.callable and not s.private and not s.parent
        ]
        known = tuple(f"{s.place} {s.signature}" for s in pool[:MOST_HELPERS])
        return known or (f"No function stands next to {work.path} yet",)
    imported = [
        s
        for path in index.imports_of(work.path)
        for s in index.symbols_in(path)
        if s.kind.callable and s.name in entry.uses and not s.parent
    ]
    own = [
        s for s in index.symbols_in(work.path) if s.kind.callable and s not in work.symbols and not s.parent
    ]
    return tuple(f"{s.place} {s.signature}" for s in dict.fromkeys((*imported, *own)))[:MOST_HELPERS]
