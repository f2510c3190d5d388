"""Which files and symbols the task is about, and which of the files look like targets."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from activities.deterministic.asked import Asked
from activities.deterministic.unknown_names import unknown_names
from activities.index.mentions import paths_named, symbols_named
from activities.index.model import Index
from activities.index.naming import named_in
from activities.index.reasons import is_weak
from activities.index.records import Ranked, Role, Symbol, SymbolKind
from activities.index.words import parts, query_terms

MOST_FILES = 14
LEAST_FILES = 12
"""files that a ranking shows when the repository has them, however far the first stand out"""
MOST_SYMBOLS = 24
MOST_TARGETS = 8
_MOST_NAMED_BY_FEEDBACK = 8
_LEAST_SHARE = 0.22
_TARGET_SHARE = 0.6
_NAMED_SHARE = 0.45
_TARGET_ROLES = (Role.SOURCE, Role.CONFIG, Role.DOCS)


@dataclass(frozen=True)
class Relevant:
    """Files by weight; `targets` among them look as if the task changed them; `matched` is false when the
    files are only the middle of the repository, because nothing in it matches the task. `further` are the
    sources that rank next: they are shown, and nothing else is made of them."""

    files: tuple[Ranked, ...]
    targets: tuple[str, ...]
    symbols: tuple[Symbol, ...]
    matched: bool
    scores: Mapping[str, float]
    further: tuple[Ranked, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the files."""
        return tuple(file.path for file in self.files)


def find_relevant(index: Index, asked: Asked) -> Relevant:
    """Read the ranking for a task. Whatever feedback names is part of the result."""
    ranked = index.rank(asked.query, limit=60)
    usable = [r for r in ranked if index.files[r.path].role is not Role.GENERATED]
    best = usable[0].score if usable else 0.0
    chosen = [r for r in usable if r.score >= _LEAST_SHARE * best or _is_named(r)][:MOST_FILES]
    forced = _pointed_at(index, asked, {r.path: r for r in usable})
    files = [*forced, *(r for r in chosen if r.path not in {f.path for f in forced})]
    matched = bool(forced) or _matches(index, chosen, asked)
    if not files:
        files = _middle(index)
    pointed = {f.path for f in forced}
    return Relevant(
        files=tuple(files),
        targets=_targets(index, files, pointed) if matched else (),
        symbols=_symbols(index, files, asked),
        matched=matched,
        scores={r.path: r.score for r in usable},
        further=_further(index, usable, files) if matched else (),
    )


def with_candidates(relevant: Relevant, asked_about: Iterable[str]) -> Relevant:
    """The same with every file that a question is about: its answer may lead there."""
    missing = [p for p in dict.fromkeys(asked_about) if p in relevant.scores and p not in relevant.paths]
    added = tuple(
        Ranked(p, relevant.scores[p], ("one reading of the task, which is asked about",)) for p in missing
    )
    further = tuple(f for f in relevant.further if f.path not in missing)
    return replace(relevant, files=(*relevant.files, *added), further=further)


def _further(index: Index, usable: list[Ranked], files: list[Ranked]) -> tuple[Ranked, ...]:
    shown = {file.path for file in files}
    rest = [r for r in usable if r.path not in shown and index.files[r.path].role is Role.SOURCE]
    return tuple(rest[: max(LEAST_FILES - len(files), 0)])


def _is_named(file: Ranked) -> bool:
    return any("named in the task" in reason for reason in file.reasons)


def _pointed_at(index: Index, asked: Asked, ranked: dict[str, Ranked]) -> list[Ranked]:
    named = named_in(asked.fresh)
    found: dict[str, str] = {}
    for unknown in unknown_names(index, asked.task):
        for _, path in unknown.close[:1]:
            found[path] = f"closest to `{unknown.name}`, which the task names and which does not exist"
    for name in named.paths:
        for path in paths_named(index, name)[:_MOST_NAMED_BY_FEEDBACK]:
            found.setdefault(path, f"`{name}` is named in the feedback")
    for name in named.symbols:
        for symbol in symbols_named(index, name)[:_MOST_NAMED_BY_FEEDBACK]:
            found.setdefault(symbol.path, f"defines `{symbol.qualified}`, named in the feedback")
    files = []
    for path, reason in found.items():
        if not index.files[path].skipped:
            known = ranked.get(path, Ranked(path, 0.0))
            told = reason.replace("the feedback", "the task")
            files.append(replace(known, reasons=(reason, *(r for r in known.reasons if r != told))))
    return sorted(files, key=lambda r: (-r.score, r.path))


def _matches(index: Index, files: list[Ranked], asked: Asked) -> bool:
    """Whether the repository is about the task at all: names and paths speak of it, or much of its text."""
    terms = set(query_terms(asked.query))
    for file in files:
        entry = index.files[file.path]
        telling = {p for s in entry.symbols for p in parts(s.name)} | set(parts(file.path))
        if _is_named(file) or terms & telling or len(terms & entry.terms.keys()) >= max(2, len(terms) // 3):
            return True
    return False


def _middle(index: Index) -> list[Ranked]:
    """Something to start from when no word of the task occurs: what most files import, and the README."""
    readable = [e for e in index.files.values() if not e.skipped and e.role is not Role.GENERATED]
    order = sorted(
        readable,
        key=lambda e: (e.role is not Role.SOURCE, -len(index.importers(e.path)), e.path.count("/"), e.path),
    )
    reason = "nothing in the repository matches the task; this file is at its centre"
    return [Ranked(entry.path, 0.0, (reason,)) for entry in order[:3]]


def _targets(index: Index, files: list[Ranked], pointed: set[str]) -> tuple[str, ...]:
    eligible = [f for f in files if index.files[f.path].role in _TARGET_ROLES]
    sources = [f for f in eligible if index.files[f.path].role is Role.SOURCE and not _is_front(f.path)]
    best = max((f.score for f in sources), default=0.0)
    strong = [f for f in sources if best and f.score >= _TARGET_SHARE * best]
    strong = [f for f in strong if _has_evidence(f)] or strong[:1]
    named = [
        f.path for f in eligible if f.path in pointed or (_is_named(f) and f.score >= _NAMED_SHARE * best)
    ]
    return tuple(dict.fromkeys([*named, *(f.path for f in strong)]))[:MOST_TARGETS]


def _has_evidence(file: Ranked) -> bool:
    """Whether more than everyday words speak for a file."""
    return any(not is_weak(reason) for reason in file.reasons)


def _is_front(path: str) -> bool:
    return path.rsplit("/", 1)[-1] in ("__init__.py", "index.ts", "index.js", "mod.rs")


def _symbols(index: Index, files: list[Ranked], asked: Asked) -> tuple[Symbol, ...]:
    """Symbols of the relevant files that the task names or speaks of, best first."""
    terms = set(query_terms(asked.query))
    named = {s for name in named_in(asked.query).symbols for s in symbols_named(index, name)}
    candidates = [
        s
        for f in files
        if index.files[f.path].role in (Role.SOURCE, Role.EXAMPLE, Role.CONFIG)
        for s in index.symbols_in(f.path)
    ]
    spread = Counter(part for s in candidates for part in set(parts(s.name)))
    place = {file.path: position for position, file in enumerate(files)}
    scored = []
    for symbol in candidates:
        own = set(parts(symbol.name)) | (set(parts(symbol.parent)) if symbol.parent else set())
        telling = sum(1 / spread[p] if p in spread else 0.1 for p in terms & own)
        score = telling + 0.2 * len(terms & set(parts_of_doc(symbol.doc))) + 5.0 * (symbol in named)
        if score > 0 and not (symbol.kind is SymbolKind.CONSTANT and symbol not in named and score < 0.5):
            scored.append((-round(score, 4), place[symbol.path], symbol.first, symbol))
    return tuple(item[-1] for item in sorted(scored, key=lambda item: item[:3])[:MOST_SYMBOLS])


def parts_of_doc(doc: str) -> tuple[str, ...]:
    """The comparable words of a doc line."""
    return tuple(query_terms(doc))
