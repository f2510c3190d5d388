"""Which test file proves which file of the plan, and the tests that go there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from activities.deterministic import testing
from activities.deterministic.bundle import existing_code
from activities.deterministic.commands import TestCommands, read
from activities.deterministic.subtasks import Proof, title
from activities.deterministic.testing import Home
from activities.deterministic.wording import joined
from activities.deterministic.work import Work
from activities.index.model import Index
from states.artifacts.implementation import FileOperation, TestPlan, TestSpecification
from states.words import Operation

MOST_TESTS_PER_FILE = 12


@dataclass(frozen=True)
class Proofs:
    """Test files by the files they prove; `groups` the other way round."""

    homes: dict[str, Home]
    groups: dict[str, list[Work]]
    tests: dict[str, tuple[TestSpecification, ...]]
    commands: TestCommands

    def of(self, work: Work) -> Proof:
        """How one file is proven. A test file that several files share belongs to none of them."""
        home = self.homes.get(work.path)
        alone = home is not None and len(self.groups[home.path]) == 1
        return Proof(home, alone, self.commands, self.tests[home.path] if home and alone else ())

    def shared(self) -> Iterator[tuple[str, list[Work]]]:
        """Test files that prove two or more files."""
        return ((path, group) for path, group in self.groups.items() if len(group) > 1)

    def plan(self, index: Index) -> TestPlan:
        """Tests of one file are unit tests; those in a test file that several share are integration tests."""
        data = [f"fixture {f}" for path in self.groups for f in testing.fixtures(index, path)]
        shared = [path for path, _ in self.shared()]
        return TestPlan(
            unit_tests=tuple(t for path, tests in self.tests.items() if path not in shared for t in tests),
            integration_tests=tuple(t for path in shared for t in self.tests[path]),
            test_data_requirements=tuple(dict.fromkeys(data)),
        )

    def operations(self, index: Index) -> Iterator[FileOperation]:
        """What happens to the test files."""
        for path, group in self.groups.items():
            exists = path in index.paths
            names = joined([t.name for t in self.tests[path]])
            yield FileOperation(
                file_path=path,
                operation=Operation.MODIFY if exists else Operation.CREATE,
                existing_code_context=existing_code(index, path, ()),
                changes_description=f"{'Extend' if exists else 'Create'} the tests of "
                f"{', '.join(w.path for w in group)}: {names}",
            )


def proofs(work: Sequence[Work], index: Index) -> Proofs:
    """Find or place the tests of all files. A file without a test of its own joins that of another target."""
    homes: dict[str, Home] = {}
    for item in sorted(work, key=lambda w: not w.symbols):
        if item.operation is not Operation.DELETE:
            used = [h.path for h in homes.values() if h.path in index.tests_of(item.path)]
            found = None if item.symbols or not used else Home(used[0], True)
            found = found or testing.home(index, item.path, item.symbols)
            if found is not None:
                homes[item.path] = found
    groups: dict[str, list[Work]] = {}
    for item in work:
        if item.path in homes:
            groups.setdefault(homes[item.path].path, []).append(item)
    tests = {path: _tests(group, path, path in index.paths) for path, group in groups.items()}
    return Proofs(homes, groups, tests, read(index))


def _tests(group: Sequence[Work], path: str, exists: bool) -> tuple[TestSpecification, ...]:
    """One test per requirement that the files of a group cover; without requirements, one per file."""
    wanted = list(dict.fromkeys(r for w in group for r in w.covers)) or [title(w) for w in group]
    named: dict[str, str] = {}
    for text in wanted:
        named.setdefault(testing.name_for(text, path), text)
    specifications = [
        TestSpecification(path=path, name=name, proves=text, extends=exists) for name, text in named.items()
    ]
    return tuple(specifications[:MOST_TESTS_PER_FILE])
