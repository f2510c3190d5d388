"""What DISCOVERY finds: the files of real changes among the first that it ranks, and how long it takes.

    python -m benchmarks.discovery --features FILE --repos DIR [--json]

FILE is {"features": [{"id", "repository", "base", "text", "gold": [path, ...]}, ...]}, `repository` being
`owner/name`. DIR holds a clone of each as DIR/owner/name, bare or not, which is only read. Without both a few
made-up tasks on the sample repository show that the benchmark runs.

recall@k is the mean over features of |gold in the first k| / |gold|, where gold are the files of the real
change that the base commit has: a file that the change adds cannot be found. So with three files in gold no
order can have more than a third at k = 1. A feature whose change only adds files is counted in neither.

Nothing is fitted at run time and the ranking knows no repository by name; but its weights were chosen with
some repositories in view. `python -m benchmarks.finding.fit` leaves one repository out at a time, and
`python -m benchmarks.finding.mine` makes features of repositories that nobody has looked at.
"""

import json
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median

from activities.brief import Brief
from activities.deterministic.planner import DeterministicPlanner
from activities.index.shelf import IndexShelf
from benchmarks.features import Base, Feature, find_bases, read_features
from benchmarks.plain_search import PlainSearch
from benchmarks.planner import sample_clone
from benchmarks.table import Table, arguments, show
from phasegate.problems import Exit, WrongUse

DEPTHS = (1, 5, 10)
SMOKE = Path(__file__).with_name("discovery_smoke.json")
WAYS = ("DISCOVERY", "index.rank", "plain BM25")

Way = Callable[[Feature, Base], Sequence[str]]


@dataclass(frozen=True)
class Found:
    """A feature with the paths that each way ranked, in the order of WAYS. `gold` is what its base has of it,
    `reading` and `finding` are the seconds that DISCOVERY took."""

    feature: Feature
    gold: frozenset[str]
    ranked: tuple[Sequence[str], ...]
    reading: float
    finding: float

    def recall(self, way: int, depth: int) -> float:
        """The share of gold among the first `depth` paths."""
        return len(self.gold & set(self.ranked[way][:depth])) / len(self.gold)


def measure(features: Iterable[Feature], clones: Path, folder: Path) -> list[Found]:
    """Look for every feature in every way; those with nothing to find are left out. Raises WrongUse."""
    features = sorted(features, key=lambda f: (f.repository, f.base))  # a shelf keeps only a few indexes
    bases = find_bases(features, clones, folder / "roots")
    shelf = IndexShelf(folder / "cache")
    planner = DeterministicPlanner(shelf)
    plain = cache(PlainSearch)
    looked = [look(each, bases[each.repository, each.base], shelf, planner, plain) for each in features]
    if not (found := [each for each in looked if each.gold]):
        raise WrongUse("no base commit has any file of gold; give features that change what is there")
    return found


def look(
    feature: Feature,
    base: Base,
    shelf: IndexShelf,
    planner: DeterministicPlanner,
    plain: Callable[[Path, str], PlainSearch],
) -> Found:
    """One feature. The index is opened first, so that reading and finding are timed apart."""
    began = time.perf_counter()
    index = shelf.get(base.root, base.commit)
    opened = time.perf_counter()
    brief = Brief(job=feature.id, task=feature.text, root=base.root, commit=base.commit)
    discovered = planner.discover(brief).codebase_understanding.relevant_files
    done = time.perf_counter()
    return Found(
        feature,
        index.paths & set(feature.gold),
        (
            discovered,
            [file.path for file in index.rank(feature.text, max(DEPTHS))],
            plain(base.root, base.commit).rank(feature.text, max(DEPTHS)),
        ),
        opened - began,
        done - opened,
    )


def recall_at(found: Sequence[Found], way: int) -> list[float]:
    """The mean at each depth."""
    return [sum(each.recall(way, depth) for each in found) / len(found) for depth in DEPTHS]


def seconds(found: Iterable[Found]) -> float:
    """What DISCOVERY took for all of them, reading the repositories included."""
    return sum(each.reading + each.finding for each in found)


def figures(found: Sequence[Found]) -> dict[str, float]:
    """DISCOVERY's figures by name."""
    names = [f"recall@{depth}" for depth in DEPTHS]
    recall = dict(zip(names, recall_at(found, 0), strict=True))
    return {**recall, "features": len(found), "seconds": seconds(found)}


def tables(found: Sequence[Found], title: str) -> list[Table]:
    """Recall and times, of all and by repository."""
    groups = {"all": list(found)}
    for each in found:
        groups.setdefault(each.feature.repository, []).append(each)
    return [recall_table(groups, title), time_table(groups)]


def recall_table(groups: dict[str, list[Found]], title: str) -> Table:
    """One line for each way and repository."""
    return Table(
        title,
        ["", "features", "found by", *(f"recall@{depth}" for depth in DEPTHS)],
        [
            [name, len(found), way, *recall_at(found, number)]
            for name, found in groups.items()
            for number, way in enumerate(WAYS)
        ],
        "Mean share of gold among the first k. DISCOVERY: the order of its artifact.\n"
        "Nothing is fitted at run time.",
    )


def time_table(groups: dict[str, list[Found]]) -> Table:
    """Where the time goes."""
    return Table(
        "Time of DISCOVERY",
        ["", "seconds", "reading repositories s", "median task ms", "slowest task ms"],
        [
            [
                name,
                seconds(found),
                sum(each.reading for each in found),
                median(each.finding for each in found) * 1000,
                max(each.finding for each in found) * 1000,
            ]
            for name, found in groups.items()
        ],
        "Reading: each commit once; the cache is empty at first.",
    )


def main(features: Path | None, repos: Path | None, as_json: bool) -> None:
    """Measure and print. Raises WrongUse."""
    with tempfile.TemporaryDirectory(prefix="phasegate-discovery-") as name:
        folder = Path(name)
        if features and repos:
            title = f"Recall on {features.name}"
        elif features or repos:
            raise WrongUse("--features and --repos go together; give both or neither")
        else:
            features, repos, title = (
                SMOKE,
                folder / "clones",
                "Smoke figure: a few made-up tasks on the sample",
            )
            repos.joinpath("phasegate").mkdir(parents=True)
            sample_clone(repos / "phasegate" / "sample")
        found = measure(read_features(features), repos.absolute(), folder)
    if as_json:
        print(json.dumps(figures(found)))
    else:
        show(tables(found, title), as_json=False)


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--features", type=Path, help="a features file")
    parser.add_argument("--repos", type=Path, help="the folder of the clones")
    given = parser.parse_args()
    try:
        main(given.features, given.repos, given.json)
    except WrongUse as problem:
        parser.exit(Exit.USAGE, f"{problem}\n")
