"""Which files a task changes: those it names, those an answer chose, else the best of the ranking."""

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from activities.brief import Brief
from activities.deterministic import choices, symbols
from activities.deterministic.assignment import NAMED, Place, closeness
from activities.deterministic.names import MOST_PLACES, ONLY_REFERRED, lookup, resolve, symbols_named
from activities.deterministic.voice import Voice, ruled_out
from activities.deterministic.wording import cut, paths
from activities.index.languages import language_of
from activities.index.model import Index
from activities.index.records import Role, Symbol
from states.artifacts.base import Artifact
from states.artifacts.contracts import ContractDesignArtifact
from states.artifacts.discovery import Candidate
from states.artifacts.implementation import ImplementationPlanArtifact
from states.words import Operation

MOST_TARGETS = 25
MOST_GUESSED = 3
MOST_COMPARED = 8
"""ranked files that requirements are compared with"""
WELL = 4
"""closeness from which a requirement fits a file: two words of its names"""
_CREATES = re.compile(
    r"\b(?:add|create|write|introduce|put|new|generate|move|extract|split)\w*\b[^.;]*$", re.I
)
_DELETES = re.compile(
    r"\b(?:delete|remove|drop)\s+(?:the\s+)?(?:obsolete\s+|old\s+|unused\s+)?(?:file\s+|module\s+)?`?$", re.I
)
_DOCUMENT = re.compile(r"\b(README|CHANGELOG|CHANGES|CONTRIBUTING)\b(?!\.\w)")


@dataclass
class Target:
    """A file of the plan. `named` is false when only the ranking speaks for it; `symbols` are those that the
    text names, not yet those that change."""

    path: str
    operation: Operation = Operation.MODIFY
    reasons: list[str] = field(default_factory=list)
    named: bool = True
    symbols: list[Symbol] = field(default_factory=list)


@dataclass(frozen=True)
class Focus:
    """Targets by weight, what must not change, and how many targets were left out."""

    targets: tuple[Target, ...]
    excluded: tuple[str, ...] = ()
    left: int = 0


def focus(brief: Brief, voice: Voice, index: Index) -> Focus:
    """The files to change. Answers outweigh the ranking; what people ruled out never enters."""
    aim = _Aim(index)
    taken, refused = choices.decided(brief.found(), brief.clarified())
    ranked = brief.found().codebase_understanding.relevant_files
    for candidate in taken:
        aim.choose(candidate, ranked)
    aim.add_files(voice.said)
    told = (voice.task, *voice.requirements, *voice.known)
    for text, loosely in (*((t, False) for t in told), *((t, True) for t in voice.feedback)):
        for symbol in symbols_named(index, text, loosely):
            aim.enter(symbol.path, f"it defines `{symbol.qualified}`, which the text names", symbol=symbol)
    for artifact in _raw_material(brief):
        aim.reuse(artifact)
    excluded = aim.exclude(voice, refused)
    aim.fill(brief, voice, excluded)
    order = {path: place for place, path in enumerate(ranked)}
    targets = sorted(aim.found.values(), key=lambda t: (not t.named, order.get(t.path, len(order)), t.path))
    return Focus(tuple(targets[:MOST_TARGETS]), excluded, max(0, len(targets) - MOST_TARGETS))


def _raw_material(brief: Brief) -> tuple[Artifact, ...]:
    """Partial artifacts of a restart, and a refused version that a person or a model wrote."""
    previous = brief.previous
    foreign = previous is not None and previous.made_by != "planner:deterministic"
    return (*brief.partial.values(), *((previous,) if previous and foreign else ()))


class _Aim:
    """The targets found so far, by path."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.found: dict[str, Target] = {}

    def enter(
        self,
        path: str,
        reason: str,
        operation: Operation = Operation.MODIFY,
        named: bool = True,
        symbol: Symbol | None = None,
    ) -> None:
        """Add a file, or another reason for it."""
        target = self.found.setdefault(path, Target(path, operation, named=named))
        target.named = target.named or named
        if operation is Operation.DELETE:
            target.operation = operation
        if reason not in target.reasons:
            target.reasons.append(reason)
        if symbol is not None and symbol not in target.symbols:
            target.symbols.append(symbol)

    def choose(self, candidate: Candidate, ranked: tuple[str, ...]) -> None:
        """Add what an answer chose: a file, a symbol in a file, or a folder (its best file)."""
        reason = f"an answer chose `{candidate.label}`"
        defined = [
            s for s in lookup(self.index, candidate.label) if not candidate.path or s.path == candidate.path
        ]
        if len({s.path for s in defined}) <= MOST_PLACES:
            for symbol in defined:
                self.enter(symbol.path, reason, symbol=symbol)
        for path in resolve(self.index, candidate.path or candidate.label) or self._best_in(
            candidate.path, ranked
        ):
            self.enter(path, reason)

    def _best_in(self, folder: str, ranked: tuple[str, ...]) -> tuple[str, ...]:
        """The first source file of a folder, ranked ones first."""
        within = folder.rstrip("/") + "/"
        inside = [p for p in (*ranked, *sorted(self.index.paths)) if folder and p.startswith(within)]
        known = [p for p in inside if p in self.index.paths and self.index.files[p].role is Role.SOURCE]
        return tuple(known[:1])

    def add_files(self, text: str) -> None:
        """Add the files that a text names, wants created or deleted, and documents asked for by name."""
        for written, before in paths(text):
            existing = resolve(self.index, written)
            for path in existing:
                if not ONLY_REFERRED.search(before) and not self.index.files[path].skipped:
                    gone = Operation.DELETE if _DELETES.search(before) else Operation.MODIFY
                    self.enter(path, "the text names it", gone)
            if not existing and _CREATES.search(before) and self._creatable(written, before, text):
                self.enter(written, "the text names it and it does not exist", Operation.CREATE)
        for written in dict.fromkeys(_DOCUMENT.findall(text)):
            for path in sorted(p for p in self.index.paths if p.split(".")[0].upper() == written)[:1]:
                self.enter(path, f"the text asks for the {written}")

    def _creatable(self, written: str, before: str, text: str) -> bool:
        """Whether a path that does not exist is meant as a file to make and not as an example."""
        path = PurePosixPath(written)
        example = before[-1:] in ("'", '"', "=", "(")
        clear = bool(language_of(written)) and not example and ("/" in written or f"`{written}`" in text)
        above = any(str(parent) in self.index.paths for parent in path.parents)
        return clear and not above and ".." not in path.parts and written[0] not in "./~"

    def reuse(self, artifact: Artifact) -> None:
        """Add what an earlier artifact was about, as far as the repository still has it."""
        if isinstance(artifact, ContractDesignArtifact):
            for contract in artifact.method_contracts:
                for symbol in self.index.find(contract.qualified):
                    if symbol.path == contract.path:
                        self.enter(symbol.path, "it was part of earlier contracts", symbol=symbol)
        if isinstance(artifact, ImplementationPlanArtifact):
            for operation in artifact.file_operations:
                entry = self.index.files.get(operation.file_path)
                if entry and entry.role is not Role.TEST:
                    self.enter(entry.path, "it was part of an earlier plan")

    def exclude(self, voice: Voice, refused: tuple[Candidate, ...]) -> tuple[str, ...]:
        """Take out what people ruled out and the candidates that answers refused. Gives the paths taken out;
        a file of which only one symbol is ruled out stays for the others."""
        out: list[str] = []
        for name in ruled_out(voice):
            out += resolve(self.index, name)
            for symbol in lookup(self.index, name):
                out += self._without(symbol)
        fresh = "\n".join(voice.feedback)
        for candidate in refused:
            if candidate.label not in fresh and candidate.path not in fresh:
                out += self._refuse(candidate)
        for path in out:
            self.found.pop(path, None)
        return tuple(dict.fromkeys(out))

    def _refuse(self, candidate: Candidate) -> list[str]:
        """Take out a candidate that an answer refused; its file stays when something else speaks for it."""
        target = self.found.get(candidate.path)
        if target is None:
            return [candidate.path]
        gone = [s for s in target.symbols if candidate.label in (s.qualified, s.name, s.parent)]
        target.symbols = [s for s in target.symbols if s not in gone]
        target.reasons = [r for r in target.reasons if not any(f"`{s.qualified}`" in r for s in gone)]
        return [] if target.symbols or target.reasons else [candidate.path]

    def _without(self, symbol: Symbol) -> list[str]:
        target = self.found.get(symbol.path)
        if target is None:
            return []
        target.symbols = [s for s in target.symbols if s != symbol and s.parent != symbol.name]
        return [] if target.symbols else [symbol.path]

    def fill(self, brief: Brief, voice: Voice, excluded: tuple[str, ...]) -> None:
        """Fill up to the estimate of DISCOVERY with ranked sources that define something the task speaks of;
        when nothing was named at all, the best source enters whatever it defines."""
        understanding = brief.found().codebase_understanding
        roles = {r.path: r.role for r in understanding.ranking}
        further = {r.path for r in understanding.ranking if r.further}
        ranked = [
            path
            for path in understanding.relevant_files
            if path in self.index.paths
            and path not in excluded
            and path not in further
            and roles.get(path, self.index.files[path].role) == Role.SOURCE
        ]
        room = min(max(brief.found().estimate.files_affected, 1), MOST_GUESSED) - len(self.found)
        # what is named is better evidence than a rank: only what ranks as high joins it
        for path in [p for p in ranked[: len(self.found) + 1 if self.found else None] if p not in self.found]:
            if room > 0 and symbols.spoken_of(self.index, path, voice.said):
                self.enter(path, "it leads the ranking of DISCOVERY", named=False)
                room -= 1
        if not self.found and ranked:
            self.enter(ranked[0], "it leads the ranking of DISCOVERY", named=False)
        self._fit_requirements(voice, ranked[:MOST_COMPARED])
        self._fit_models(voice, ranked[:MOST_COMPARED])

    def _fit_requirements(self, voice: Voice, ranked: list[str]) -> None:
        """For a requirement that names nothing and fits no target, add the ranked file that it fits best."""
        places = {p: Place(p, self.index.symbols_in(p)) for p in dict.fromkeys((*ranked, *self.found))}
        for text in voice.requirements:
            fits = {p: closeness(text, place) for p, place in places.items()}
            here = max((fits[p] for p in self.found), default=0.0)
            best = max((p for p in ranked if p not in self.found), key=lambda p: fits[p], default="")
            if best and WELL <= fits[best] < NAMED and fits[best] > here and self._guesses() < MOST_GUESSED:
                self.enter(best, f'it fits best to "{cut(text, 80)}"', named=False)

    def _fit_models(self, voice: Voice, ranked: list[str]) -> None:
        """Add the ranked files of data structures that the text speaks of and a target uses."""
        for path in [p for p in ranked if p not in self.found]:
            spoken = symbols.models(self.index, path, [], voice.said)
            used = [
                s
                for s in spoken
                if any(s.name in self.index.files[t].uses for t in self.found if t in self.index.files)
            ]
            if used and self._guesses() < MOST_GUESSED:
                self.enter(
                    path,
                    f"it defines `{used[0].name}`, which the task speaks of and a target uses",
                    named=False,
                )

    def _guesses(self) -> int:
        return sum(1 for t in self.found.values() if not t.named)
