"""IMPLEMENTATION_PLAN without a model: file operations and self-contained subtasks."""

from collections.abc import Iterator, Sequence

from activities.brief import Brief
from activities.deterministic import subtasks
from activities.deterministic.assignment import Place, assign, closeness
from activities.deterministic.bundle import bundle, existing_code
from activities.deterministic.options import with_options
from activities.deterministic.proofs import Proofs, proofs
from activities.deterministic.responses import to_feedback
from activities.deterministic.shared_tests import shared_subtask
from activities.deterministic.undecided import NOWHERE
from activities.deterministic.voice import Voice, answering, hear
from activities.deterministic.wording import cut
from activities.deterministic.work import Work, works
from activities.index.model import Index
from activities.index.records import Role
from states.amounts import counted
from states.artifacts.base import OpenPoint
from states.artifacts.implementation import (
    FileOperation,
    ImplementationPlanArtifact,
    Subtask,
)
from states.words import Operation


def plan(brief: Brief, index: Index) -> ImplementationPlanArtifact:
    """One subtask per file that changes, and one per test file that several of them share."""
    voice = hear(brief)
    points: list[OpenPoint] = []
    work = works(brief, voice, index, points)
    _share_out(work, voice, index, points)
    proven = proofs(work, index)
    points += _unproven(work, proven, index)
    done: list[Subtask] = []
    for item in work:
        proof = proven.of(item)
        context = bundle(item, proof.home.path if proof.home else "", brief, voice, index)
        done.append(subtasks.of_file(len(done) + 1, item, proof, context, voice, index))
    for path, group in proven.shared():
        done.append(
            shared_subtask(
                len(done) + 1, path, group, proven.tests[path], proven.commands.for_file(path), index
            )
        )
    brief.progress(f"{counted(len(done), 'subtask')} in {counted(len(work), 'file')}")
    points += to_feedback(answering(brief), index)
    points += () if work else (NOWHERE,)
    points += _carried(brief)
    planned = ImplementationPlanArtifact(
        feedback_answered=answering(brief),
        open_points=tuple(dict.fromkeys(points)),
        file_operations=(*(_operation(w, index) for w in work), *proven.operations(index)),
        subtasks=tuple(done),
        test_plan=proven.plan(index),
        implementation_notes=_notes(brief, voice, proven, work),
    )
    return with_options(planned, brief, index)


def _share_out(work: Sequence[Work], voice: Voice, index: Index, points: list[OpenPoint]) -> None:
    """Give every requirement to the files it belongs to, and no file nothing."""
    places = [
        Place(
            w.path,
            (*w.symbols, *w.models) or index.symbols_in(w.path),
            (*w.contracts, *(a.name for a in w.added)),
        )
        for w in work
    ]
    given = assign(voice.requirements, places)
    for item, place in zip(work, places, strict=True):
        item.covers = list(given.by_path[item.path])
        if not item.covers and voice.requirements:
            item.covers = [max(voice.requirements, key=lambda r: closeness(r, place))]
    points += [
        OpenPoint(
            subject=f'requirement "{cut(text, 200)}"',
            why=f"no file of the plan speaks of it; it went to {work[0].path}, the weightiest: confirm that",
        )
        for text in given.by_default
    ]


def _unproven(work: Sequence[Work], proven: Proofs, index: Index) -> Iterator[OpenPoint]:
    for item in work:
        entry = index.files.get(item.path)
        code = entry is not None and entry.code and entry.role is Role.SOURCE
        if code and item.operation is not Operation.DELETE and item.path not in proven.homes:
            yield OpenPoint(
                subject=item.path, why="the repository has no test to go by; decide how this is proven"
            )


def _operation(work: Work, index: Index) -> FileOperation:
    new = [name for name, contract in work.contracts.items() if contract.is_new]
    return FileOperation(
        file_path=work.path,
        operation=work.operation,
        existing_code_context=existing_code(index, work.path, (*work.symbols, *work.models)),
        changes_description=subtasks.description(work),
        affected_methods=(*(s.qualified for s in work.symbols), *(m.name for m in work.models), *new),
    )


def _carried(brief: Brief) -> tuple[OpenPoint, ...]:
    """What the contracts left open stays open. Without contracts the signatures are."""
    designed = brief.designed()
    if designed is not None:
        return tuple(p for p in designed.open_points if not p.subject.startswith("feedback:"))
    why = "CONTRACTS was skipped; every signature stays as it is unless whoever implements decides"
    return (OpenPoint(subject="signatures", why=why),)


def _notes(brief: Brief, voice: Voice, proven: Proofs, work: Sequence[Work]) -> tuple[str, ...]:
    found = brief.found()
    notes = [
        "Made without a model: places, context and tests are read from the code, the new code is not designed"
    ]
    notes += [f"{w.path}: {'; '.join(w.reasons)}" for w in work if w.reasons]
    notes += [f"Constraint: {c}" for c in voice.constraints]
    notes += [f"Known from the dialogue: {cut(k, 300)}" for k in voice.known]
    notes += [f"Convention: {c}" for c in found.conventions[:10]]
    patterns = found.codebase_understanding.existing_patterns
    notes += [f"Pattern: {p.description}" for p in patterns[:8] if p.description not in found.conventions]
    command = proven.commands.suite
    notes.append(f"All tests: `{command}`" if command else "No test command was recognised")
    return tuple(dict.fromkeys(notes))
