"""The search for weights, on repositories where one signal is all that matters."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from activities.index.weights import WEIGHT, Signal
from benchmarks.finding.fit import Case, fit, recall_of, tables
from tests.activities.conftest import git, write

ROOT = Path(__file__).resolve().parents[2]


def case(repository: str, spoken: Mapping[str, float], tested: Mapping[str, float]) -> Case:
    """A feature whose gold is `gold.py`."""
    signals: dict[Signal, Mapping[str, float]] = {signal: {} for signal in Signal}
    signals |= {Signal.WORDS: spoken, Signal.TESTED: tested}
    return Case(repository, frozenset({"gold.py"}), signals)


def test_a_weight_is_raised_when_that_finds_more() -> None:
    cases = [case(name, {"other.py": 0.2, "gold.py": 0.0}, {"gold.py": 1.0}) for name in ("a/a", "b/b")]
    assert recall_of(cases, WEIGHT) == [0, 1, 1]
    assert recall_of(cases, fit(cases)) == [1, 1, 1]
    recall, weights = tables(cases)
    assert [row[1:] for row in recall.rows] == [
        [2, 0, 1, 1, 1, 1, 1],
        [1, 0, 1, 1, 1, 1, 1],
        [1, 0, 1, 1, 1, 1, 1],
    ]
    assert len(weights.rows) == len(Signal)


def test_weights_that_find_everything_stay() -> None:
    assert fit([case("a/a", {"gold.py": 1.0}, {})]) == WEIGHT


def test_the_command_wants_two_repositories(tmp_path: Path) -> None:
    shop = tmp_path / "repos" / "some" / "shop"
    shop.mkdir(parents=True)
    git(shop, "init", "-q")
    write(shop, {"mail.py": "def send_mail(): ...\n"})
    git(shop, "add", ".")
    git(shop, "commit", "-q", "-m", "shop")
    feature = {"id": "1", "repository": "some/shop", "base": "HEAD", "text": "Mail", "gold": ["mail.py"]}
    (tmp_path / "features.json").write_text(json.dumps({"features": [feature]}), encoding="utf-8")
    command = [sys.executable, "-m", "benchmarks.finding.fit", "--features", str(tmp_path / "features.json")]
    command += ["--repos", str(tmp_path / "repos")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2
    assert "leaving one repository out needs two" in done.stderr
