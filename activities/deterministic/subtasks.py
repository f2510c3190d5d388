"""From the work on one file to a subtask that someone can do who has read nothing else."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from activities.deterministic import errors, testing
from activities.deterministic.commands import TestCommands
from activities.deterministic.reliance import uses
from activities.deterministic.signatures import parameters, stated
from activities.deterministic.voice import Voice
from activities.deterministic.wording import cut, joined, listed
from activities.deterministic.work import Work
from activities.index.model import Index
from activities.index.records import Role, Symbol
from states.amounts import counted
from states.artifacts.implementation import (
    ContextBundle,
    MethodImplementation,
    Specification,
    Subtask,
    TestingNeeds,
    TestSpecification,
)
from states.words import Operation

MOST_NAMES_IN_TITLE = 3


@dataclass(frozen=True)
class Proof:
    """How a file is proven: its test file, whether only this subtask edits that, and the tests in it."""

    home: testing.Home | None
    own: bool
    commands: TestCommands
    tests: tuple[TestSpecification, ...] = ()


def of_file(
    number: int, work: Work, proof: Proof, context: ContextBundle, voice: Voice, index: Index
) -> Subtask:
    """The subtask of one source, document or configuration file, with its own tests."""
    return Subtask(
        subtask_id=f"S{number}",
        title=title(work),
        location=work.path,
        operation=work.operation,
        context_bundle=context,
        specification=Specification(
            exact_changes=(*_changes(work, voice, index), *_test_changes(proof)),
            method_implementations=tuple(_methods(work, index)),
            integration_points=_integration(work, index),
        ),
        testing=_testing(proof, index),
        acceptance_criteria=(*work.covers, *_criteria(work, proof, index)),
        covers=tuple(work.covers),
        edits=_edits(work, proof, index),
    )


def title(work: Work) -> str:
    """What is done where."""
    if work.operation is not Operation.MODIFY:
        return f"{work.operation.capitalize()} {work.path}"
    names = [s.qualified for s in work.symbols] or [s.name for s in work.models]
    names += [a.name for a in work.added]
    return f"Change {listed(names, MOST_NAMES_IN_TITLE)} in {work.path}" if names else f"Change {work.path}"


def description(work: Work) -> str:
    """The same for the file operation, with what it is for."""
    purpose = f" so that: {joined(work.covers, 300)}" if work.covers else ""
    return f"{title(work)}{purpose}"


def _changes(work: Work, voice: Voice, index: Index) -> tuple[str, ...]:
    """In words, in the order of the file."""
    goals = "; ".join(f'"{r}"' for r in work.covers) or "the task"
    changes: list[str] = []
    if work.operation is Operation.DELETE:
        left = listed(list(index.importers(work.path)), 8)
        changes.append(f"Delete {work.path}" + (f"; it is still imported by {left}" if left else ""))
    elif work.operation is Operation.CREATE:
        changes.append(f"Create {work.path} so that {goals} holds")
    changes += [_change(s, work, goals, index) for s in work.symbols]
    changes += [
        f"Decide which fields of `{m.name}` (lines {m.first}-{m.last}) change: {_fields(m)}"
        for m in work.models
    ]
    changes += [
        f"Add {a.kind} `{a.name}`{f' as `{a.signature}`' if a.signature else ''}: {a.sentence}"
        for a in work.added
    ]
    changes += [
        f"Add `{name}` as `{contract.signature}`: {cut(contract.purpose)}"
        for name, contract in work.contracts.items()
        if contract.is_new
    ]
    if not changes:
        changes.append(f"Change {work.path} so that {goals} holds; where in the file is open")
    quoted = [f for f in voice.feedback if work.path in f or any(s.name in f for s in work.symbols)]
    changes += [f'Take up the review: "{cut(f, 300)}"' for f in quoted]
    changes += [f"Keep to: {c}" for c in voice.constraints[:12]]
    return tuple(changes)


def _change(symbol: Symbol, work: Work, goals: str, index: Index) -> str:
    contract = work.contracts.get(symbol.qualified)
    current = stated(symbol.signature, symbol.path)
    where = f"`{symbol.qualified}` (lines {symbol.first}-{symbol.last})"
    if contract and contract.signature != current:
        head = f"Change {where} from `{current}` to `{contract.signature}`"
    else:
        head = f"Change {where}, today `{current}`"
    callers = [f"{u.path}:{u.line}" for u in uses(index, symbol) if index.files[u.path].role is not Role.TEST]
    keep = f"; {listed(callers, 5)} must keep working" if callers else ""
    return f"{head}, so that {goals} holds{keep}"


def _fields(model: Symbol) -> str:
    return listed([m.name + (f": {m.type}" if m.type else "") for m in model.members], 12)


def _test_changes(proof: Proof) -> tuple[str, ...]:
    if proof.home is None or not proof.own:
        return ()
    verb = "Extend" if proof.home.exists else "Create"
    return (
        (f"{verb} {proof.home.path} with: {'; '.join(t.name for t in proof.tests)}",) if proof.tests else ()
    )


def _methods(work: Work, index: Index) -> list[MethodImplementation]:
    found = []
    for symbol in work.symbols:
        contract = work.contracts.get(symbol.qualified)
        current = stated(symbol.signature, symbol.path)
        signature = contract.signature if contract else current
        found.append(
            MethodImplementation(
                method_name=symbol.qualified,
                signature=signature,
                implementation_approach=(
                    f"Rework the body at {symbol.path}:{symbol.first}-{symbol.last}; "
                    + (
                        "the new signature is agreed"
                        if signature != current
                        else "no new signature was agreed"
                    )
                    + ". How the body does it is for whoever implements"
                ),
                edge_cases=_edge_cases(symbol, signature, index),
            )
        )
    for name, contract in work.contracts.items():
        if contract.is_new:
            found.append(
                MethodImplementation(
                    method_name=name,
                    signature=contract.signature,
                    implementation_approach=f"Write it as agreed: {cut(contract.purpose, 240)}",
                    edge_cases=tuple(
                        f"{p.name} left at {p.default}" for p in parameters(contract.signature) if p.default
                    ),
                )
            )
    return found


def _edge_cases(symbol: Symbol, signature: str, index: Index) -> tuple[str, ...]:
    """What the code itself shows: defaults, values that may be missing, errors that are reported today."""
    cases = []
    for parameter in parameters(signature):
        if parameter.default:
            cases.append(f"{parameter.name} left at its default {parameter.default}")
        elif "None" in parameter.type or "Optional" in parameter.type or parameter.type.endswith("?"):
            cases.append(f"{parameter.name} missing ({parameter.type})")
    cases += [f"still reports: {line}" for line in errors.of_symbol(index, symbol)[:6]]
    return tuple(cases)


def _integration(work: Work, index: Index) -> tuple[str, ...]:
    found = []
    for symbol in work.symbols:
        for use in uses(index, symbol)[:12]:
            inside = f" in `{use.enclosing}`" if use.enclosing else ""
            found.append(f"`{symbol.qualified}` is used at {use.path}:{use.line}{inside}")
    if not work.symbols:
        found += [f"{path} imports it" for path in index.importers(work.path)[:12]]
    return tuple(found)


def _testing(proof: Proof, index: Index) -> TestingNeeds:
    home, whole = proof.home, proof.commands.suite
    steps = []
    if home is not None:
        command = proof.commands.for_file(home.path)
        steps.append(f"Run `{command}`" if command else f"Run the tests in {home.path}")
    if whole and f"Run `{whole}`" not in steps:
        steps.append(f"Run `{whole}`")
    elif not whole and home is None:
        steps.append(
            "No test command was recognised in the repository; check the acceptance criteria by hand"
        )
    outcomes = (
        ["every command ends with exit status 0"] if whole or home else ["every acceptance criterion holds"]
    )
    if proof.tests:
        outcomes.append(
            f"before the change {listed([t.name for t in proof.tests], 4)} fail, afterwards they pass"
        )
    return TestingNeeds(
        unit_tests_to_create=tuple(f"{t.path}: {t.name}" for t in proof.tests),
        test_data=tuple(f"fixture {f}" for f in testing.fixtures(index, home.path)) if home else (),
        verification_steps=tuple(steps),
        expected_outcomes=tuple(outcomes),
    )


def _criteria(work: Work, proof: Proof, index: Index) -> tuple[str, ...]:
    found = []
    existing = index.tests_of(work.path)
    if existing:
        found.append(f"the tests in {listed(list(existing), 3)} still pass")
    sources = [u for s in work.symbols for u in uses(index, s) if index.files[u.path].role is not Role.TEST]
    if sources:
        found.append(
            f"the {counted(len(sources), 'place that uses', 'places that use')} what changes still "
            f"{'works' if len(sources) == 1 else 'work'}, unless a requirement says otherwise"
        )
    if work.operation is Operation.DELETE:
        found.append(f"nothing imports {PurePosixPath(work.path).name} any more")
    if not found and not work.covers and proof.home is None:
        found.append(f"{work.path} says what the task asks for")
    return tuple(found)


def _edits(work: Work, proof: Proof, index: Index) -> dict[str, tuple[tuple[float, float], ...]]:
    """Old lines that the subtask touches; an insertion after line n is n + 0.5, a new file has none."""
    edits: dict[str, tuple[tuple[float, float], ...]] = {work.path: _ranges(work, index)}
    if proof.home is not None and proof.own and proof.tests:
        edits[proof.home.path] = end_of(index, proof.home.path)
    return edits


def end_of(index: Index, path: str) -> tuple[tuple[float, float], ...]:
    """An insertion at the end of a file; nothing for a file that does not exist."""
    if path not in index.paths:
        return ()
    last = len(index.text(path).splitlines()) + 0.5
    return ((last, last),)


def _ranges(work: Work, index: Index) -> tuple[tuple[float, float], ...]:
    if work.path not in index.paths:
        return ()
    found: list[tuple[float, float]] = []
    for symbol in sorted((*work.symbols, *work.models), key=lambda s: (s.first, s.last)):
        if found and symbol.first <= found[-1][1] + 0.5:
            found[-1] = (found[-1][0], max(found[-1][1], float(symbol.last)))
        else:
            found.append((float(symbol.first), float(symbol.last)))
    adds = bool(work.added) or any(c.is_new for c in work.contracts.values())
    if adds:
        found += end_of(index, work.path)
    total = float(len(index.text(work.path).splitlines()))
    return tuple(found) or (((1.0, total),) if total else ((0.5, 0.5),))
