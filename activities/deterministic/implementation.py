"""IMPLEMENTATION_PLAN without a model: file operations and self-contained subtasks."""

from collections.abc import Sequence

from activities.brief import Brief
from activities.deterministic import commands, subtasks, testing
from activities.deterministic.assignment import Place, assign, closeness
from activities.deterministic.bundle import bundle, existing_code
from activities.deterministic.responses import to_feedback
from activities.deterministic.shared_tests import shared_subtask
from activities.deterministic.subtasks import Proof
from activities.deterministic.undecided import NOWHERE
from activities.deterministic.voice import Voice, answering, hear
from activities.deterministic.wording import cut
from activities.deterministic.work import Work, works
from activities.index.model import Index
from activities.index.records import Role
from states.artifacts.base import OpenPoint
from states.artifacts.implementation import (
    FileOperation,
    ImplementationPlanArtifact,
    Subtask,
    TestPlan,
    TestSpecification,
)
from states.words import Operation

MOST_TESTS_PER_FILE = 12


def plan(brief: Brief, index: Index) -> ImplementationPlanArtifact:
    """One subtask per file that changes, and one per test file that several of them share."""
    voice = hear(brief)
    points: list[OpenPoint] = []
    work = works(brief, voice, index, points)
    _share_out(work, voice, points)
    homes = {
        w.path: testing.home(index, w.path, w.symbols) for w in work if w.operation is not Operation.DELETE
    }
    groups: dict[str, list[Work]] = {}
    for item in work:
        if found := homes.get(item.path):
            groups.setdefault(found.path, []).append(item)
        elif item.operation is not Operation.DELETE and _is_code(item, index):
            points.append(
                OpenPoint(
                    subject=item.path, why="the repository has no test to go by; decide how this is proven"
                )
            )
    tests = {path: _tests(group, path, path in index.paths) for path, group in groups.items()}
    done: list[Subtask] = []
    for item in work:
        found = homes.get(item.path)
        alone = found is not None and len(groups[found.path]) == 1
        proof = Proof(found, alone, tests[found.path] if found is not None and alone else ())
        context = bundle(item, found.path if found else "", brief, voice, index)
        done.append(subtasks.of_file(len(done) + 1, item, proof, context, voice, index))
    for path, group in groups.items():
        if len(group) > 1:
            done.append(shared_subtask(len(done) + 1, path, group, tests[path], index))
    points += to_feedback(answering(brief), index)
    _nothing(work, points)
    _carried(brief, points)
    return ImplementationPlanArtifact(
        feedback_answered=answering(brief),
        open_points=tuple(dict.fromkeys(points)),
        file_operations=(*(_operation(w, index) for w in work), *_test_operations(groups, tests, index)),
        subtasks=tuple(done),
        test_plan=_test_plan(groups, tests, index),
        implementation_notes=_notes(brief, voice, index, work),
    )


def _share_out(work: Sequence[Work], voice: Voice, points: list[OpenPoint]) -> None:
    """Give every requirement to the files it belongs to, and no file nothing."""
    places = [Place(w.path, w.symbols, (*w.contracts, *(a.name for a in w.added))) for w in work]
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


def _tests(group: Sequence[Work], path: str, exists: bool) -> tuple[TestSpecification, ...]:
    """One test per requirement that the files of a group cover; without requirements, one per file."""
    wanted = list(dict.fromkeys(r for w in group for r in w.covers)) or [subtasks.title(w) for w in group]
    named = {testing.name_for(text, path): text for text in reversed(wanted)}
    specifications = [
        TestSpecification(path=path, name=name, proves=text, extends=exists)
        for name, text in reversed(named.items())
    ]
    return tuple(specifications[:MOST_TESTS_PER_FILE])


def _is_code(work: Work, index: Index) -> bool:
    return (
        work.path in index.paths
        and index.files[work.path].code
        and index.files[work.path].role is Role.SOURCE
    )


def _operation(work: Work, index: Index) -> FileOperation:
    new = [name for name, contract in work.contracts.items() if contract.change == "new"]
    return FileOperation(
        file_path=work.path,
        operation=work.operation,
        existing_code_context=existing_code(index, work.path, work.symbols),
        changes_description=subtasks.description(work),
        affected_methods=(*(s.qualified for s in work.symbols), *new),
    )


def _test_operations(
    groups: dict[str, list[Work]], tests: dict[str, tuple[TestSpecification, ...]], index: Index
) -> list[FileOperation]:
    return [
        FileOperation(
            file_path=path,
            operation=Operation.MODIFY if path in index.paths else Operation.CREATE,
            existing_code_context=existing_code(index, path, ()),
            changes_description=f"{'Extend' if path in index.paths else 'Create'} the tests of "
            f"{', '.join(w.path for w in group)}: {cut('; '.join(t.name for t in tests[path]), 240)}",
        )
        for path, group in groups.items()
    ]


def _test_plan(
    groups: dict[str, list[Work]], tests: dict[str, tuple[TestSpecification, ...]], index: Index
) -> TestPlan:
    """Tests of one file are unit tests; those in a file that several files share are integration tests."""
    data = [f"fixture {f}" for path in groups for f in testing.fixtures(index, path)]
    return TestPlan(
        unit_tests=tuple(t for path, group in groups.items() if len(group) == 1 for t in tests[path]),
        integration_tests=tuple(t for path, group in groups.items() if len(group) > 1 for t in tests[path]),
        test_data_requirements=tuple(dict.fromkeys(data)),
    )


def _nothing(work: Sequence[Work], points: list[OpenPoint]) -> None:
    if not work:
        points.append(NOWHERE)


def _carried(brief: Brief, points: list[OpenPoint]) -> None:
    """What is still open from the contracts is open for whoever implements, too. Without contracts the
    signatures themselves are."""
    designed = brief.designed()
    if designed is not None:
        points += [p for p in designed.open_points if not p.subject.startswith("feedback:")]
        return
    points.append(
        OpenPoint(
            subject="signatures",
            why="CONTRACTS was skipped; every signature stays as it is unless whoever implements decides",
        )
    )


def _notes(brief: Brief, voice: Voice, index: Index, work: Sequence[Work]) -> tuple[str, ...]:
    found = brief.found()
    notes = [
        "Made without a model: places, context and tests are read from the code, the new code is not designed"
    ]
    notes += [f"{w.path}: {'; '.join(w.reasons)}" for w in work if w.reasons]
    notes += [f"Constraint: {c}" for c in voice.constraints]
    notes += [f"Known from the dialogue: {cut(k, 300)}" for k in voice.known]
    notes += [f"Convention: {c}" for c in found.conventions[:10]]
    notes += [
        f"Pattern: {p.name} - {cut(p.description)}"
        for p in found.codebase_understanding.existing_patterns[:8]
    ]
    command = commands.suite(index)
    notes.append(f"All tests: `{command}`" if command else "No test command was recognised")
    return tuple(dict.fromkeys(notes))
