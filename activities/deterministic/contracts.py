"""CONTRACTS without a model: what the interfaces are today, who relies on them, and what must be decided."""

from collections.abc import Iterator
from dataclasses import dataclass

from activities.brief import Brief
from activities.deterministic import errors, routes, symbols, undecided
from activities.deterministic.additions import Addition, additions
from activities.deterministic.assignment import Place, assign
from activities.deterministic.focus import Focus, Target, focus
from activities.deterministic.models import model_of
from activities.deterministic.novelty import given_signatures
from activities.deterministic.reliance import callers, covering, relying
from activities.deterministic.responses import to_feedback
from activities.deterministic.signatures import stated
from activities.deterministic.voice import Voice, answering, hear
from activities.deterministic.wording import cut, joined, prose
from activities.index.model import Index
from activities.index.records import Symbol
from states.amounts import counted
from states.artifacts.base import OpenPoint
from states.artifacts.contracts import ApiContract, ContractDesignArtifact, MethodContract
from states.words import MethodChange, Operation

MOST_CONTRACTS = 60


@dataclass(frozen=True)
class _FileDesign:
    """What is found about one file."""

    methods: tuple[MethodContract, ...] = ()
    models: tuple[Symbol, ...] = ()
    apis: tuple[ApiContract, ...] = ()
    points: tuple[OpenPoint, ...] = ()


def design(brief: Brief, index: Index) -> ContractDesignArtifact:
    """Current signatures of what changes, kept as they are where nobody said what they become."""
    voice = hear(brief)
    aim = focus(brief, voice, index)
    changed = select(index, aim, voice)
    fresh = additions(voice, index, aim)
    shares = assign(voice.requirements, [Place(t.path, changed.get(t.path, ())) for t in aim.targets]).by_path
    files = [_file(t, changed.get(t.path, ()), tuple(shares[t.path]), voice, index) for t in aim.targets]
    new = tuple(_new(a) for a in fresh if a.signature and a.path)
    methods = (*(m for f in files for m in f.methods), *new)
    brief.progress(f"{counted(len(methods), 'method')} in {counted(len(files), 'file')}")
    points = [p for f in files for p in f.points]
    points += [p for a in fresh for p in undecided.added(a)]
    points += undecided.unnamed(voice.requirements)
    points += undecided.left_out(aim, _rest(index, aim, changed, voice), MOST_CONTRACTS)
    points += to_feedback(answering(brief), index)
    return ContractDesignArtifact(
        feedback_answered=answering(brief),
        open_points=tuple(dict.fromkeys(points)),
        method_contracts=methods,
        data_models=tuple(model_of(s, index) for f in files for s in f.models),
        api_contracts=tuple({(a.method, a.endpoint): a for f in files for a in f.apis}.values()),
        integration_contracts=tuple(
            i
            for t in aim.targets
            if t.path in index.paths
            for i in relying(index, t.path, changed.get(t.path, ()))
        ),
        follows_patterns=_follows(brief, methods, aim, fresh),
    )


def select(index: Index, aim: Focus, voice: Voice) -> dict[str, tuple[Symbol, ...]]:
    """The symbols that change, by path; at most MOST_CONTRACTS, those of the weightiest files first."""
    chosen: dict[str, tuple[Symbol, ...]] = {}
    room = MOST_CONTRACTS
    for target in aim.targets:
        if target.operation is Operation.MODIFY:
            chosen[target.path] = _matching(index, target, voice)[:room]
            room -= len(chosen[target.path])
    return chosen


def models_of_target(index: Index, target: Target, voice: Voice) -> tuple[Symbol, ...]:
    """Data structures of a target that the text names or speaks of."""
    return symbols.models(index, target.path, target.symbols, voice.said)


def _matching(index: Index, target: Target, voice: Voice) -> tuple[Symbol, ...]:
    """Affected symbols of a file, one per name and signature: conditional definitions say the same twice."""
    found = symbols.affected(index, target.path, target.symbols, voice.said)
    once: dict[tuple[str, str], Symbol] = {}
    for symbol in found:
        once.setdefault((symbol.qualified, symbol.signature), symbol)
    return tuple(once.values())


def _rest(
    index: Index, aim: Focus, changed: dict[str, tuple[Symbol, ...]], voice: Voice
) -> dict[str, list[str]]:
    """What matches but found no room, by path."""
    return {
        t.path: [f"`{s.qualified}`" for s in _matching(index, t, voice)[len(changed[t.path]) :]]
        for t in aim.targets
        if t.path in changed
    }


def _file(
    target: Target, changed: tuple[Symbol, ...], wanted: tuple[str, ...], voice: Voice, index: Index
) -> _FileDesign:
    given = given_signatures((prose(voice.everything),))
    methods = tuple(_existing(s, wanted, given, voice, index) for s in changed)
    models = models_of_target(index, target, voice)
    return _FileDesign(
        methods=methods,
        models=models,
        apis=tuple(
            a
            for s, m in zip(changed, methods, strict=True)
            for a in routes.served(index, s, m.error_handling)
        ),
        points=(
            *undecided.signatures(target, methods, wanted),
            *undecided.fields(target, models),
            *undecided.place(target, bool(methods or models)),
        ),
    )


def _existing(
    symbol: Symbol, wanted: tuple[str, ...], given: dict[str, str], voice: Voice, index: Index
) -> MethodContract:
    current = stated(symbol.signature, symbol.path)
    written = given.get(symbol.qualified) or given.get(symbol.name)
    return MethodContract(
        class_name=symbol.parent,
        method_name=symbol.name,
        signature=stated(written, symbol.path) if written else current,
        purpose=" ".join(_purpose(symbol, wanted, voice)),
        error_handling=errors.of_symbol(index, symbol),
        test_approach=covering(index, symbol),
        path=symbol.path,
        line=symbol.line,
        change=MethodChange.MODIFY,
        current=current,
        callers=callers(index, symbol),
    )


def _purpose(symbol: Symbol, wanted: tuple[str, ...], voice: Voice) -> Iterator[str]:
    if symbol.doc.strip():
        yield f"Today: {symbol.doc.strip()}"
    if wanted:
        yield f"To change for: {joined([cut(w, 200) for w in wanted[:6]], 900)}"
    else:
        yield "Affected by the task"
    for text in voice.feedback:
        if symbol.name in text:
            yield f'(asked for in review: "{cut(text, 300)}")'


def _new(addition: Addition) -> MethodContract:
    """A new name whose signature the text gives."""
    owner, _, name = addition.name.rpartition(".")
    return MethodContract(
        class_name=owner,
        method_name=name,
        signature=stated(addition.signature, addition.path),
        purpose=f"The text asks for it: {addition.sentence}",
        test_approach=f"Write tests for `{addition.name}` next to those of {addition.path}",
        path=addition.path,
        change=MethodChange.NEW,
    )


def _follows(
    brief: Brief, methods: tuple[MethodContract, ...], aim: Focus, fresh: tuple[Addition, ...]
) -> bool:
    """Whether only existing things change, as they are called today, where there are patterns to follow."""
    stays = all(not m.is_new and m.signature == m.current for m in methods)
    known = all(t.operation is Operation.MODIFY for t in aim.targets)
    patterns = bool(brief.found().codebase_understanding.existing_patterns)
    return bool(aim.targets) and patterns and stays and known and not fresh
