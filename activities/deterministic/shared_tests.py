"""The subtask of a test file that covers several files which change: one pair of hands for one file."""

from collections.abc import Sequence

from activities.deterministic import subtasks, testing
from activities.deterministic.bundle import existing_code
from activities.deterministic.signatures import stated
from activities.deterministic.work import Work
from activities.index.model import Index
from activities.index.records import Symbol
from states.artifacts.implementation import (
    ContextBundle,
    Specification,
    Subtask,
    TestingNeeds,
    TestSpecification,
)
from states.words import Operation


def shared_subtask(
    number: int,
    path: str,
    group: Sequence[Work],
    tests: tuple[TestSpecification, ...],
    command: str,
    index: Index,
) -> Subtask:
    """Write the tests of several files in one place. It needs their signatures, not their new bodies, so it
    can be done before, after or beside them."""
    symbols = tuple(s for w in group for s in w.symbols)
    verb = "Extend" if path in index.paths else "Create"
    signatures = tuple(f"{s.place} {_agreed(w, s)}" for w in group for s in w.symbols)
    return Subtask(
        subtask_id=f"S{number}",
        title=f"{verb} {path} for {', '.join(w.path for w in group)}",
        location=path,
        operation=Operation.MODIFY if path in index.paths else Operation.CREATE,
        context_bundle=ContextBundle(
            existing_code=existing_code(index, path, ()),
            related_code_snippets=_bodies(group, index),
            utility_functions=signatures,
            testing_patterns=testing.example(index, path, symbols),
        ),
        specification=Specification(
            exact_changes=tuple(f'Add {t.name}: it proves "{t.proves}"' for t in tests),
            integration_points=tuple(subtasks.title(w) for w in group),
        ),
        testing=TestingNeeds(
            unit_tests_to_create=tuple(f"{t.path}: {t.name}" for t in tests),
            test_data=tuple(f"fixture {f}" for f in testing.fixtures(index, path)),
            verification_steps=(f"Run `{command}`" if command else f"Run the tests in {path}",),
            expected_outcomes=(
                "the new tests fail before the change and pass after it",
                "the others pass throughout",
            ),
        ),
        acceptance_criteria=tuple(f"{t.name} proves: {t.proves}" for t in tests),
        covers=tuple(dict.fromkeys(r for w in group for r in w.covers)),
        edits={path: subtasks.end_of(index, path)},
    )


def _agreed(work: Work, symbol: Symbol) -> str:
    contract = work.contracts.get(symbol.qualified)
    return contract.signature if contract else stated(symbol.signature, symbol.path)


def _bodies(group: Sequence[Work], index: Index) -> dict[str, str]:
    found = {}
    for work in group:
        for symbol in work.symbols[:3]:
            last = min(symbol.last, symbol.first + 39)
            found[f"{symbol.path}:{symbol.first}-{last}"] = index.lines(symbol.path, symbol.first, last)
    return found
