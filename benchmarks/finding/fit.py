"""How the weights of the ranking do, and what a search for better ones finds: leave one repository out.

    python -m benchmarks.finding.fit --features FILE [FILE ...] --repos DIR [--json]

Each weight of `activities/index/weights.py` in turn is tried at some multiples of what it is; what raises the
score is kept, twice around. The score is the mean over repositories, each counting alike, of the mean of
recall@1, @5 and @10. For each repository the search sees only the others: its line says what fitting would
give where nothing was seen. When that does no better than the weights in use, they stay: searching longer
would learn the repositories by heart.
"""

import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from activities.index.evidence import gather
from activities.index.query import read_query
from activities.index.ranking import weighed
from activities.index.records import Role
from activities.index.shelf import IndexShelf
from activities.index.weights import WEIGHT, Signal
from benchmarks.discovery import DEPTHS
from benchmarks.features import Feature, find_bases, read_features
from benchmarks.table import Table, arguments, show
from phasegate.problems import Exit, WrongUse

MULTIPLES = (0.0, 0.5, 0.75, 1.33, 2.0)
ROUNDS = 2
MOST_FILES = 150
"""files of a feature that are kept, the best by the weights as they are"""

Weights = Mapping[Signal, float]


@dataclass(frozen=True)
class Case:
    """A feature with what speaks for its best files."""

    repository: str
    gold: frozenset[str]
    signals: Mapping[Signal, Mapping[str, float]]

    def recall(self, weight: Weights) -> list[float]:
        """At each depth."""
        total = weighed(self.signals, weight)
        order = sorted(total, key=lambda path: (-total[path], path))
        return [len(self.gold & set(order[:depth])) / len(self.gold) for depth in DEPTHS]


def gather_cases(features: Sequence[Feature], clones: Path, folder: Path) -> list[Case]:
    """Read every base commit and collect the signals. Raises WrongUse."""
    features = sorted(features, key=lambda f: (f.repository, f.base))
    bases = find_bases(features, clones, folder / "roots")
    shelf = IndexShelf(folder / "cache")
    cases = []
    for feature in features:
        base = bases[feature.repository, feature.base]
        index = shelf.get(base.root, base.commit)
        if gold := index.paths & set(feature.gold):
            signals = gather(index, read_query(feature.text)).signals
            planned = {p: s for p, s in weighed(signals).items() if index.files[p].role is not Role.GENERATED}
            kept = set(sorted(planned, key=lambda p: (-planned[p], p))[:MOST_FILES])
            few = {name: {p: v for p, v in found.items() if p in kept} for name, found in signals.items()}
            cases.append(Case(feature.repository, gold, few))
    return cases


def recall_of(cases: Sequence[Case], weight: Weights) -> list[float]:
    """The mean at each depth, repositories counting alike."""
    groups = defaultdict(list)
    for case in cases:
        groups[case.repository].append(case.recall(weight))
    return [mean(mean(found[n] for found in group) for group in groups.values()) for n in range(len(DEPTHS))]


def fit(cases: Sequence[Case]) -> dict[Signal, float]:
    """Weights that a search from those in use finds for these cases."""
    best = dict(WEIGHT)
    score = mean(recall_of(cases, best))
    for _ in range(ROUNDS):
        for signal in Signal:
            for multiple in MULTIPLES:
                tried = {**best, signal: WEIGHT[signal] * multiple}
                reached = mean(recall_of(cases, tried))
                if reached > score:
                    best, score = tried, reached
    return best


def tables(cases: Sequence[Case]) -> list[Table]:
    """As it is, and fitted to the other repositories; then the weights that all of them together give."""
    rows = []
    for repository in dict.fromkeys(case.repository for case in cases):
        own = [case for case in cases if case.repository == repository]
        others = [case for case in cases if case.repository != repository]
        rows.append([repository, len(own), *recall_of(own, WEIGHT), *recall_of(own, fit(others))])
    columns = zip(*(row[2:] for row in rows), strict=True)
    rows.insert(0, ["mean of repositories", len(cases), *(mean(column) for column in columns)])
    heads = [f"{way}@{depth}" for way in ("recall", "left out") for depth in DEPTHS]
    whole = fit(cases)
    return [
        Table(
            "Recall with the weights in use, and with weights fitted to the other repositories",
            ["", "features", *heads],
            rows,
        ),
        Table(
            "Weights",
            ["signal", "in use", "fitted to all"],
            [[signal.value, WEIGHT[signal], whole[signal]] for signal in Signal],
        ),
    ]


def main(files: list[Path], clones: Path, as_json: bool) -> None:
    """Measure and print. Raises WrongUse."""
    features = [feature for file in files for feature in read_features(file)]
    with tempfile.TemporaryDirectory(prefix="phasegate-fit-") as name:
        cases = gather_cases(features, clones.absolute(), Path(name))
    if len({case.repository for case in cases}) < 2:
        raise WrongUse("leaving one repository out needs two; give features of several")
    show(tables(cases), as_json)


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--features", type=Path, nargs="+", required=True, help="features files")
    parser.add_argument("--repos", type=Path, required=True, help="the folder of the clones")
    given = parser.parse_args()
    try:
        main(given.features, given.repos, given.json)
    except WrongUse as problem:
        parser.exit(Exit.USAGE, f"{problem}\n")
