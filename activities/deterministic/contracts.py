"""CONTRACTS without a model: what the interfaces are today, who relies on them, and what must be decided."""

from dataclasses import dataclass, field

from activities.brief import Brief
from activities.deterministic import errors, routes, symbols
from activities.deterministic.additions import Addition, additions
from activities.deterministic.assignment import Place, assign
from activities.deterministic.focus import Focus, Target, focus
from activities.deterministic.novelty import given_signatures
from activities.deterministic.reliance import callers, covering, relying
from activities.deterministic.responses import to_feedback
from activities.deterministic.signatures import parameters, stated
from activities.deterministic.voice import Voice, answering, hear
from activities.deterministic.wording import cut, joined, listed, prose
from activities.index.model import Index
from activities.index.records import Symbol
from states.artifacts.base import ModelDefinition, ModelField, OpenPoint
from states.artifacts.contracts import ApiContract, ContractDesignArtifact, MethodContract
from states.words import Operation

MOST_CONTRACTS = 60
MOST_POINTS_PER_FILE = 5


@dataclass
class _Draft:
    """What is found file by file."""

    methods: list[MethodContract] = field(default_factory=list)
    models: list[ModelDefinition] = field(default_factory=list)
    apis: list[ApiContract] = field(default_factory=list)
    points: list[OpenPoint] = field(default_factory=list)


def design(brief: Brief, index: Index) -> ContractDesignArtifact:
    """Current signatures of what changes, kept as they are where nobody said what they become."""
    voice = hear(brief)
    aim = focus(brief, voice, index)
    changed = select(index, aim, voice)
    fresh = additions(voice, index, aim)
    draft = _Draft()
    shares = assign(voice.requirements, [Place(t.path, changed.get(t.path, ())) for t in aim.targets]).by_path
    given = given_signatures((prose(voice.everything),))
    for target in aim.targets:
        _file(
            draft,
            target,
            changed.get(target.path, ()),
            tuple(shares.get(target.path, ())),
            given,
            voice,
            index,
        )
    _new(draft, fresh)
    _limits(draft, index, aim, changed, voice)
    _unplaced(draft, aim)
    draft.points += to_feedback(answering(brief), index)
    integrations = tuple(
        i
        for t in aim.targets
        for i in relying(index, t.path, changed.get(t.path, ()))
        if t.path in index.paths
    )
    return ContractDesignArtifact(
        feedback_answered=answering(brief),
        open_points=tuple(dict.fromkeys(draft.points)),
        method_contracts=tuple(draft.methods),
        data_models=tuple(draft.models),
        api_contracts=tuple(dict((f"{a.method} {a.endpoint}", a) for a in draft.apis).values()),
        integration_contracts=integrations,
        follows_patterns=_follows(brief, draft, aim, fresh),
    )


def select(index: Index, aim: Focus, voice: Voice) -> dict[str, tuple[Symbol, ...]]:
    """The symbols that change, by path; at most MOST_CONTRACTS, those of the weightiest files first."""
    chosen: dict[str, tuple[Symbol, ...]] = {}
    room = MOST_CONTRACTS
    for target in aim.targets:
        if target.operation is Operation.MODIFY:
            found = _once(symbols.affected(index, target.path, target.symbols, voice.said))[:room]
            chosen[target.path] = found
            room -= len(found)
    return chosen


def _once(found: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
    """One symbol per name and signature: conditional definitions say the same twice."""
    return tuple({(s.qualified, s.signature): s for s in reversed(found)}.values())[::-1]


def _file(
    draft: _Draft,
    target: Target,
    changed: tuple[Symbol, ...],
    wanted: tuple[str, ...],
    given: dict[str, str],
    voice: Voice,
    index: Index,
) -> None:
    """Everything about one file."""
    undecided: list[MethodContract] = []
    for symbol in changed:
        contract = _existing(symbol, wanted, given, voice, index)
        draft.methods.append(contract)
        draft.apis += routes.served(index, symbol, contract.error_handling)
        if contract.signature == contract.current:
            undecided.append(contract)
    draft.points += _to_decide(target, undecided, wanted)
    structures = symbols.models(index, target.path, target.symbols, voice.said)
    draft.models += [model_of(s, index) for s in structures]
    if structures:
        names = listed([f"`{s.name}`" for s in structures])
        draft.points.append(
            OpenPoint(
                subject=f"{target.path}: {names}",
                why="decide whether fields are added, changed or left as they are",
            )
        )
    if not changed and not structures:
        draft.points.append(_whereabouts(target))
    if not target.named:
        draft.points.append(
            OpenPoint(
                subject=target.path,
                why="nothing but the ranking speaks for this file; confirm it, or name the right one in a revision",
            )
        )


def _existing(
    symbol: Symbol, wanted: tuple[str, ...], given: dict[str, str], voice: Voice, index: Index
) -> MethodContract:
    current = stated(symbol.signature, symbol.path)
    written = given.get(symbol.qualified) or given.get(symbol.name)
    quoted = [cut(f, 300) for f in voice.feedback if symbol.name in f]
    doc = f"Today: {symbol.doc.strip()} " if symbol.doc.strip() else ""
    purpose = (
        f"{doc}To change for: {joined([cut(w, 200) for w in wanted[:6]], 900)}"
        if wanted
        else f"{doc}Affected by the task"
    )
    return MethodContract(
        class_name=symbol.parent,
        method_name=symbol.name,
        signature=stated(written, symbol.path) if written else current,
        purpose=purpose + "".join(f'. Asked for in review: "{q}"' for q in quoted),
        error_handling=errors.of_symbol(index, symbol),
        test_approach=covering(index, symbol),
        path=symbol.path,
        line=symbol.line,
        change="modify",
        current=current,
        callers=callers(index, symbol),
    )


def _to_decide(target: Target, undecided: list[MethodContract], wanted: tuple[str, ...]) -> list[OpenPoint]:
    """One point per signature, or one for the whole file when there are many."""
    purpose = f" for: {joined(wanted)}" if wanted else ""
    if len(undecided) > MOST_POINTS_PER_FILE:
        names = listed([f"`{m.qualified}`" for m in undecided], 12)
        return [
            OpenPoint(subject=target.path, why=f"decide which of {names} change their signature{purpose}")
        ]
    return [
        OpenPoint(
            subject=f"{m.path}: {m.qualified}",
            why=f"decide whether `{cut(m.current, 200)}` keeps its parameters and return value"
            f"{f' ({len(m.callers)} places use it)' if m.callers else ''} and what its body does differently{purpose}",
        )
        for m in undecided
    ]


def _whereabouts(target: Target) -> OpenPoint:
    if target.operation is Operation.CREATE:
        return OpenPoint(subject=target.path, why="the file is new; decide what it defines")
    if target.operation is Operation.DELETE:
        return OpenPoint(
            subject=target.path, why="the file goes; decide what takes the place of what others use of it"
        )
    reason = listed(target.reasons, 3)
    return OpenPoint(
        subject=target.path,
        why=f"it is affected ({reason}), but no function or class of it matches the task; decide where it changes",
    )


def model_of(symbol: Symbol, index: Index) -> ModelDefinition:
    """A data structure as it stands. Relationships are its bases and the repository's types in its fields."""
    kinds = [f"{m.name}: {m.type}" for m in symbol.members if _refers(m.type, symbol, index)]
    return ModelDefinition(
        name=symbol.name,
        path=symbol.path,
        line=symbol.line,
        fields=tuple(ModelField(name=m.name, type=m.type, default=m.default) for m in symbol.members),
        relationships=(*(f"extends {b}" for b in symbol.bases), *kinds),
    )


def _refers(written: str, symbol: Symbol, index: Index) -> bool:
    words = "".join(c if c.isalnum() or c == "_" else " " for c in written).split()
    return any(s.kind.container for w in words if w != symbol.name and w[:1].isupper() for s in index.find(w))


def _new(draft: _Draft, fresh: tuple[Addition, ...]) -> None:
    """New names: a contract where the text gives the signature, an open point where it does not."""
    for addition in fresh:
        if addition.signature and addition.path:
            owner, _, name = addition.name.rpartition(".")
            draft.methods.append(
                MethodContract(
                    class_name=owner,
                    method_name=name,
                    signature=stated(addition.signature, addition.path),
                    purpose=f"The text asks for it: {addition.sentence}",
                    test_approach=f"Write tests for `{addition.name}` next to those of {addition.path}",
                    path=addition.path,
                    change="new",
                )
            )
        open_parts = [] if addition.signature else ["its parameters and return value"]
        open_parts += [] if "->" in addition.signature else ["what it returns"] if addition.signature else []
        open_parts += (
            [] if addition.certain else [f"whether {addition.path or 'which file'} is the place for it"]
        )
        if open_parts:
            draft.points.append(
                OpenPoint(
                    subject=f"new {addition.kind} `{addition.name}`",
                    why=f'decide {" and ".join(open_parts)}; the text says: "{cut(addition.sentence, 200)}"',
                )
            )


def _limits(
    draft: _Draft, index: Index, aim: Focus, changed: dict[str, tuple[Symbol, ...]], voice: Voice
) -> None:
    """Say what the caps left out."""
    for target in aim.targets:
        if target.path in changed:
            all_of_it = _once(symbols.affected(index, target.path, target.symbols, voice.said))
            rest = [f"`{s.qualified}`" for s in all_of_it if s not in changed[target.path]]
            if rest:
                draft.points.append(
                    OpenPoint(
                        subject=target.path,
                        why=f"{len(rest)} more symbols match than the {MOST_CONTRACTS} that contracts are written "
                        f"for ({listed(rest, 10)}); narrow the task, or plan them in a second job",
                    )
                )
    if aim.left:
        draft.points.append(
            OpenPoint(
                subject="files", why=f"{aim.left} more files match than a plan can hold; narrow the task"
            )
        )


def _unplaced(draft: _Draft, aim: Focus) -> None:
    if not aim.targets:
        draft.points.append(
            OpenPoint(
                subject="where the change goes",
                why="no file of the repository matches the task; name one (with its path) in a revision",
            )
        )


def _follows(brief: Brief, draft: _Draft, aim: Focus, fresh: tuple[Addition, ...]) -> bool:
    """Whether only existing things change, within their signatures, in a repository with patterns to follow."""
    stays = all(m.change != "new" and m.signature == m.current for m in draft.methods)
    known = all(t.operation is Operation.MODIFY for t in aim.targets)
    patterns = bool(brief.found().codebase_understanding.existing_patterns)
    return bool(aim.targets) and patterns and stays and known and not fresh and not _adds_parameters(draft)


def _adds_parameters(draft: _Draft) -> bool:
    return any(parameters(m.signature) != parameters(m.current) for m in draft.methods if m.current)
