"""The work of a plan, file by file: what changes there, as the contracts or else the focus say it."""

from dataclasses import dataclass, field

from activities.brief import Brief
from activities.deterministic.additions import Addition, additions
from activities.deterministic.contracts import models_of_target, select
from activities.deterministic.focus import Focus, Target, focus
from activities.deterministic.names import files_named, symbols_named
from activities.deterministic.voice import Voice
from activities.index.model import Index
from activities.index.records import Symbol
from states.artifacts.base import OpenPoint
from states.artifacts.contracts import ContractDesignArtifact, MethodContract
from states.words import Operation


@dataclass
class Work:
    """One file to work on. `models` are data structures that may change; `contracts` are keyed by qualified
    name; `added` are names that get written."""

    path: str
    operation: Operation
    reasons: list[str] = field(default_factory=list)
    named: bool = True
    symbols: tuple[Symbol, ...] = ()
    models: tuple[Symbol, ...] = ()
    contracts: dict[str, MethodContract] = field(default_factory=dict)
    added: list[Addition] = field(default_factory=list)
    covers: list[str] = field(default_factory=list)


def works(brief: Brief, voice: Voice, index: Index, points: list[OpenPoint]) -> list[Work]:
    """The files of the plan in the order of their weight."""
    aim = focus(brief, voice, index)
    chosen = select(index, aim, voice)
    designed = brief.designed()
    found: dict[str, Work] = {}
    if designed is not None:
        _from_contracts(found, designed, index)
        asked = _asked(brief, index)
        _add_symbols(found, brief, index, aim)
        targets = [t for t in aim.targets if t.path in asked or t.path in found or not chosen.get(t.path)]
        _ruled_out_but_agreed(aim, found, points)
    else:
        targets = list(aim.targets)
    for target in targets:
        _from_target(found, target, () if target.path in found else chosen.get(target.path, ()))
    for addition in additions(voice, index, aim):
        if addition.path in found and addition.name not in found[addition.path].contracts:
            found[addition.path].added.append(addition)
    for target in aim.targets:
        if target.path in found:
            item = found[target.path]
            item.named = target.named
            item.models = models_of_target(index, target, voice)
    order = [t.path for t in aim.targets]
    return sorted(
        found.values(), key=lambda w: (order.index(w.path) if w.path in order else len(order), w.path)
    )


def _asked(brief: Brief, index: Index) -> tuple[str, ...]:
    """Files that the feedback on the plan itself names."""
    text = "\n".join(brief.feedback)
    return (*files_named(index, text), *(s.path for s in symbols_named(index, text, loosely=True)))


def _add_symbols(found: dict[str, Work], brief: Brief, index: Index, aim: Focus) -> None:
    """Symbols that the feedback on the plan names, in files that the contracts change anyway."""
    for symbol in symbols_named(index, "\n".join(brief.feedback), loosely=True):
        target = next((t for t in aim.targets if t.path == symbol.path and symbol in t.symbols), None)
        if symbol.path in found and symbol.kind.callable and target:
            work = found[symbol.path]
            work.symbols = tuple(sorted(dict.fromkeys((*work.symbols, symbol)), key=lambda s: s.first))


def _from_contracts(found: dict[str, Work], designed: ContractDesignArtifact, index: Index) -> None:
    for contract in designed.method_contracts:
        if contract.stays:
            continue
        operation = Operation.MODIFY if contract.path in index.paths else Operation.CREATE
        work = found.setdefault(contract.path, Work(contract.path, operation, ["the contracts name it"]))
        work.contracts[contract.qualified] = contract
        same = [s for s in index.find(contract.qualified) if s.path == contract.path]
        exact = [s for s in same if s.line == contract.line] or same[:1]
        work.symbols = tuple(sorted(dict.fromkeys((*work.symbols, *exact)), key=lambda s: s.first))


def _from_target(found: dict[str, Work], target: Target, symbols: tuple[Symbol, ...]) -> None:
    work = found.setdefault(
        target.path, Work(target.path, target.operation, named=target.named, symbols=symbols)
    )
    work.reasons += [r for r in target.reasons if r not in work.reasons]
    if target.operation is Operation.DELETE and not work.contracts:
        work.operation = Operation.DELETE


def _ruled_out_but_agreed(aim: Focus, found: dict[str, Work], points: list[OpenPoint]) -> None:
    points += [
        OpenPoint(
            subject=path,
            why="a message rules this file out, but the agreed contracts change it; revise the contracts",
        )
        for path in aim.excluded
        if path in found
    ]
