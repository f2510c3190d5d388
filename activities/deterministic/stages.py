"""What options are made from: the subtasks of a plan, what they build on, the documents that name them."""

import re
from dataclasses import dataclass

from activities.index.model import Index
from activities.index.records import Role
from states.artifacts.implementation import ImplementationPlanArtifact, Subtask

MOST_DOCUMENTS = 4
_SHORTEST = 4
"""characters of a name that counts as named in a document; shorter ones are words"""


@dataclass(frozen=True)
class Material:
    """One plan at one commit."""

    plan: ImplementationPlanArtifact
    index: Index

    @property
    def subtasks(self) -> tuple[Subtask, ...]:
        """All of them, in the plan's order."""
        return self.plan.subtasks

    @property
    def tests(self) -> tuple[str, ...]:
        """Test files of the plan."""
        planned = (*self.plan.test_plan.unit_tests, *self.plan.test_plan.integration_tests)
        return tuple(dict.fromkeys(test.path for test in planned))

    @property
    def open_points(self) -> int:
        """How many points of the plan are open."""
        return len(self.plan.open_points)

    def guesses(self) -> int:
        """Requirements whose place in the code is a guess."""
        return sum(point.subject.startswith("requirement") for point in self.plan.open_points)

    def needed(self) -> tuple[Subtask, ...]:
        """The fewest subtasks, sources before tests, that cover each requirement that any covers."""
        left = {text for subtask in self.subtasks for text in subtask.covers}
        order = sorted(self.subtasks, key=lambda s: (self.proves(s), -len(set(s.covers) & left)))
        chosen = []
        for subtask in order:
            if left & set(subtask.covers):
                chosen.append(subtask)
                left -= set(subtask.covers)
        return tuple(s for s in self.subtasks if s in chosen) or self.subtasks

    def stages(self) -> list[list[Subtask]]:
        """Layers: each subtask comes after those whose files its own file imports, or that it names."""
        waits = {s.subtask_id: self._builds_on(s) for s in self.subtasks}
        left, stages = list(self.subtasks), []
        while left:
            names = {s.subtask_id for s in left}
            # files that import each other make one stage
            stage = [s for s in left if not waits[s.subtask_id] & names] or list(left)
            stages.append(stage)
            left = [s for s in left if s not in stage]
        return stages

    def documents(self) -> list[tuple[str, list[str]]]:
        """Documents that name what changes and are no subtask themselves, with the names, most first."""
        taken = {path for s in self.subtasks for path in (s.location, *s.edits)}
        names = self._names()
        found = []
        for path, entry in self.index.files.items():
            if entry.role is Role.DOCS and path not in taken and path in self.index.paths:
                text = self.index.text(path)
                told = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
                if told:
                    found.append((path, told))
        return sorted(found, key=lambda each: (-len(each[1]), each[0]))[:MOST_DOCUMENTS]

    def _names(self) -> list[str]:
        """Symbols that change, as they are written: with their class, and alone."""
        methods = [m.method_name for s in self.subtasks for m in s.specification.method_implementations]
        bare = [name.rpartition(".")[2] for name in methods]
        return [n for n in dict.fromkeys((*methods, *bare)) if len(n) >= _SHORTEST and not n.startswith("_")]

    def proves(self, subtask: Subtask) -> bool:
        """Whether a subtask is about tests alone."""
        entry = self.index.files.get(subtask.location)
        is_test = entry is not None and entry.role is Role.TEST
        return is_test or subtask.location in self.tests

    def _builds_on(self, subtask: Subtask) -> set[str]:
        found = set(subtask.dependencies)
        for other in self.subtasks:
            if other is subtask:
                continue
            imports = subtask.location in self.index.importers(other.location)
            if imports or (self.proves(subtask) and not self.proves(other)):
                found.add(other.subtask_id)
        return found
