"""Whether DISCOVERY asks which place is meant where, and only where, a task leaves it open.

    python -m benchmarks.ambiguity [--repos DIR] [--tasks FILE] [--features FILE] [--misses] [--json]

FILE is {"tune": [repository, ...], "test": [...], "unseen": [...], "tasks": [{"id", "repository", "base",
"text", "ambiguous", "candidates": ["path" or "path::symbol", ...]}, ...]}; the shipped one has half of its
tasks ambiguous by construction. DIR holds a clone of each repository as DIR/owner/name, bare or not, which is
only read. The sample is always there; a repository without a clone is left out, and named. --features counts
the questions about the descriptions of a features file, which mostly say where.

A question about the place is right when the task is ambiguous and two of its candidates or more are offered.
precision = right questions / questions about the place; recall = ambiguous tasks with a right question /
ambiguous tasks. Other questions (a name that does not exist, nothing that matches) are counted apart.
"""

import json
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

from activities.brief import Brief
from activities.deterministic.ambiguities import about_place
from activities.deterministic.planner import DeterministicPlanner
from activities.index.shelf import IndexShelf
from benchmarks.features import Wanted, find_bases, read_features
from benchmarks.planner import sample_clone
from benchmarks.table import Table, arguments, show
from phasegate.problems import Exit, WrongUse
from states.artifacts.discovery import Ambiguity
from states.wrong_input import first_wrong

SHIPPED = Path(__file__).with_name("ambiguity_tasks.json")
SAMPLE = "phasegate/sample"


class Task(Wanted):
    """A task; `candidates` are the places that fit it equally, none when it is not ambiguous."""

    ambiguous: bool
    candidates: tuple[str, ...] = ()


class TasksFile(BaseModel):
    """The whole file. Rules are worked out on the repositories of `tune`; the others were measured blind
    first, `unseen` after `test`."""

    tune: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    tasks: tuple[Task, ...] = Field(min_length=1)


@dataclass(frozen=True)
class Asked:
    """A task with what was asked about it: `places` are the questions about the place."""

    task: Wanted
    places: tuple[Ambiguity, ...]
    others: tuple[Ambiguity, ...]

    @property
    def right(self) -> int:
        """How many questions about the place are right."""
        wanted = self.task.candidates if isinstance(self.task, Task) else ()
        return sum(_offered(question, wanted) >= 2 for question in self.places)


@dataclass(frozen=True)
class Score:
    """Counts of a group of tasks and the two figures made of them; None where nothing is to be divided by."""

    tasks: int
    ambiguous: int
    asked: int
    right: int
    precision: float | None
    recall: float | None
    others: int


def _offered(question: Ambiguity, wanted: Sequence[str]) -> int:
    """How many of the wanted places a question offers; a file that is offered whole offers what is in it."""
    offered = {(c.path, c.label.partition(" in ")[0]) for c in question.candidates if c.path}
    found = 0
    for place in wanted:
        path, _, symbol = place.partition("::")
        found += any(path == p and (symbol in ("", label) or label == p) for p, label in offered)
    return found


def ask(tasks: Iterable[Wanted], clones: Path, folder: Path) -> tuple[list[Asked], list[str]]:
    """Run DISCOVERY on every task whose clone is there; the repositories that are left out come second."""
    by_repository: dict[str, list[Wanted]] = {}
    for task in tasks:
        by_repository.setdefault(task.repository, []).append(task)
    planner = DeterministicPlanner(IndexShelf(folder / "cache"))
    asked: list[Asked] = []
    left_out: list[str] = []
    for repository, wanted in by_repository.items():
        try:
            bases = find_bases(wanted, clones, folder / "roots")
        except WrongUse:
            left_out.append(repository)
            continue
        for task in wanted:
            base = bases[repository, task.base]
            brief = Brief(job=task.id, task=task.text, root=base.root, commit=base.commit)
            asked.append(sorted_out(task, planner.discover(brief).ambiguities_discovered))
    return asked, left_out


def sorted_out(task: Wanted, questions: Iterable[Ambiguity]) -> Asked:
    """Questions about the place apart from others."""
    found = list(questions)
    return Asked(
        task,
        tuple(q for q in found if about_place(q)),
        tuple(q for q in found if not about_place(q)),
    )


def score(asked: Sequence[Asked]) -> Score:
    """The figures of a group."""
    ambiguous = [each for each in asked if isinstance(each.task, Task) and each.task.ambiguous]
    places = sum(len(each.places) for each in asked)
    right = sum(each.right for each in asked)
    return Score(
        len(asked),
        len(ambiguous),
        places,
        right,
        right / places if places else None,
        sum(each.right > 0 for each in ambiguous) / len(ambiguous) if ambiguous else None,
        sum(len(each.others) for each in asked),
    )


def groups(asked: Sequence[Asked], tasks: TasksFile) -> dict[str, list[Asked]]:
    """All, the parts, and each repository, as far as there are any."""
    found = {
        "all": list(asked),
        "tune": [each for each in asked if each.task.repository in tasks.tune],
        "test": [each for each in asked if each.task.repository in tasks.test],
        "unseen": [each for each in asked if each.task.repository in tasks.unseen],
    }
    for each in asked:
        found.setdefault(each.task.repository, []).append(each)
    return {name: group for name, group in found.items() if group}


def question_table(named: dict[str, list[Asked]], title: str, left_out: Sequence[str]) -> Table:
    """One line for each group."""
    rows: list[list[object]] = []
    for name, group in named.items():
        s = score(group)
        rows.append([name, s.tasks, s.ambiguous, s.asked, s.right, s.precision, s.recall, s.others])
    caption = "Asked: questions about the place. Right: two of the places that fit, or more, are offered."
    return Table(
        title,
        ["", "tasks", "ambiguous", "asked", "right", "precision", "recall", "other questions"],
        rows,
        f"{caption}\nLeft out, for want of a clone with the commit: {', '.join(left_out)}"
        if left_out
        else caption,
    )


def miss_table(asked: Iterable[Asked]) -> Table:
    """What was asked wrongly, and what was not asked."""
    rows: list[list[object]] = []
    for each in asked:
        ambiguous = isinstance(each.task, Task) and each.task.ambiguous
        if len(each.places) > each.right or (ambiguous and not each.right):
            rows.append([each.task.id, "\n".join(q.question for q in each.places) or "not asked"])
    return Table("Misses", ["task", "asked about the place"], rows)


def read_tasks(path: Path) -> TasksFile:
    """Read a file of tasks. Raises WrongUse."""
    try:
        return TasksFile.model_validate_json(path.read_bytes())
    except OSError as error:
        raise WrongUse(f"{path} cannot be read ({error.strerror}); give a file of tasks") from None
    except ValidationError as error:
        where, rule = first_wrong(error)
        raise WrongUse(f"{path} is no file of tasks: {where or 'the file'}: {rule}; mend it") from None


def clones_in(folder: Path, repos: Path | None) -> Path:
    """A folder with the sample and, beside it, links to the clones of `repos`. Raises WrongUse."""
    clones = folder / "clones"
    clones.joinpath("phasegate").mkdir(parents=True)
    sample_clone(clones / SAMPLE)
    try:
        owners = sorted(repos.absolute().iterdir()) if repos else []
    except OSError as error:
        raise WrongUse(f"{repos} cannot be read ({error.strerror}); give the folder of the clones") from None
    for owner in owners:
        if owner.name != "phasegate":
            (clones / owner.name).symlink_to(owner)
    return clones


def main(tasks: Path, repos: Path | None, features: Path | None, misses: bool, as_json: bool) -> None:
    """Measure and print. Raises WrongUse."""
    read = read_tasks(tasks)
    described = read_features(features) if features else ()
    with tempfile.TemporaryDirectory(prefix="phasegate-ambiguity-") as name:
        clones = clones_in(Path(name), repos)
        asked, left_out = ask(read.tasks, clones, Path(name))
        about, missing = ask(described, clones, Path(name))
    named = groups(asked, read)
    if as_json:
        figures = {group: vars(score(each)) for group, each in named.items()}
        figures |= {"features": vars(score(about))} if about else {}
        print(json.dumps({**figures, "left_out": [*left_out, *missing]}))
        return
    shown = [question_table(named, f"Questions about the place on {tasks.name}", left_out)]
    if about and features:
        of_features = groups(about, TasksFile.model_construct(tasks=()))
        shown.append(question_table(of_features, f"Questions about {features.name}", missing))
    show([*shown, *([miss_table([*asked, *about])] if misses else [])], as_json=False)


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument(
        "--tasks", type=Path, default=SHIPPED, help="a file of tasks; the shipped one if not given"
    )
    parser.add_argument("--repos", type=Path, help="the folder of the clones")
    parser.add_argument(
        "--features", type=Path, help="a features file, to count questions about its descriptions"
    )
    parser.add_argument("--misses", action="store_true", help="also list what was asked wrongly or not asked")
    given = parser.parse_args()
    try:
        main(given.tasks, given.repos, given.features, given.misses, given.json)
    except WrongUse as problem:
        parser.exit(Exit.USAGE, f"{problem}\n")
