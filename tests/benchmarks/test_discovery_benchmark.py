"""The benchmark of finding, on a repository where every figure is known beforehand."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from benchmarks.discovery import figures, measure, tables
from benchmarks.features import find_bases, read_features
from phasegate.problems import WrongUse

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "mail.py": 'def send_mail(receiver):\n    """Send a letter."""\n    return receiver\n',
    "LICENSE": "Do as you like.\n",
    "stock.py": 'def count_stock(shelf):\n    """Count the boxes of a shelf."""\n    return len(shelf)\n',
}
FOUND = {"text": "Let `send_mail` take a subject.", "gold": ["mail.py"]}
HALF = {"text": "Let `send_mail` take a subject.", "gold": ["mail.py", "LICENSE"]}
NEW = {"text": "Let `count_stock` leave out empty boxes.", "gold": ["stock.py", "boxes.py"]}
MISSED = {"text": "Let `send_mail` take a subject.", "gold": ["stock.py"]}


def git(folder: Path, *words: str) -> str:
    """Run git as nobody in particular."""
    who = ("-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", "-C", folder, *who, *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def clones(tmp_path: Path) -> Path:
    """A clone with a work tree, `some/shop`, and a bare one, `some/bare`."""
    shop = tmp_path / "repos" / "some" / "shop"
    shop.mkdir(parents=True)
    git(shop, "init", "--quiet")
    for name, text in FILES.items():
        (shop / name).write_text(text, encoding="utf-8")
    git(shop, "add", ".")
    git(shop, "commit", "--quiet", "--message", "shop")
    git(shop, "clone", "--quiet", "--bare", str(shop), str(shop.with_name("bare")))
    return tmp_path / "repos"


def features_file(clones: Path, *features: Mapping[str, object], **common: str) -> Path:
    """A features file beside the clones, at the newest commit unless told otherwise."""
    base = {"repository": "some/shop", "base": git(clones / "some" / "shop", "rev-parse", "HEAD")}
    body = [{"id": f"feature{n}", **base, **common, **each} for n, each in enumerate(features)]
    path = clones.parent / "features.json"
    path.write_text(json.dumps({"about": "made for a test", "features": body}), encoding="utf-8")
    return path


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """The benchmark as a person starts it."""
    command = [sys.executable, "-m", "benchmarks.discovery", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("repository", ["some/shop", "some/bare"])
@pytest.mark.parametrize(
    ("features", "recall"),
    [
        ([FOUND], 1.0),
        ([HALF], 0.5),
        ([MISSED], 0.0),
        ([NEW], 1.0),  # what the base does not have cannot be found
        ([FOUND, HALF, MISSED, NEW], 0.625),
    ],
)
def test_recall_at_1_is_the_mean_share_of_gold(
    clones: Path, tmp_path: Path, features: Sequence[Mapping[str, object]], recall: float, repository: str
) -> None:
    path = features_file(clones, *features, repository=repository)
    got = figures(measure(read_features(path), clones, tmp_path / "work"))
    assert (got["recall@1"], got["features"]) == (recall, len(features))


def test_a_feature_that_only_adds_files_counts_nowhere(clones: Path, tmp_path: Path) -> None:
    only_new = {**NEW, "gold": ["boxes.py"]}
    path = features_file(clones, FOUND, only_new)
    assert figures(measure(read_features(path), clones, tmp_path / "one"))["features"] == 1
    with pytest.raises(WrongUse, match="no base commit has any file of gold"):
        measure(read_features(features_file(clones, only_new)), clones, tmp_path / "none")


def test_the_table_has_a_line_for_all_and_for_each_repository(clones: Path, tmp_path: Path) -> None:
    both = [*read_features(features_file(clones, MISSED, repository="some/bare"))]
    both += read_features(features_file(clones, FOUND))
    recall, times = tables(measure(both, clones, tmp_path / "work"), "made for a test")
    found = {(row[0], row[2]): row[3] for row in recall.rows}
    assert found["all", "DISCOVERY"] == 0.5
    assert found["some/bare", "DISCOVERY"] == 0.0
    assert found["some/shop", "DISCOVERY"] == found["some/shop", "plain BM25"] == 1.0
    assert [row[0] for row in times.rows] == ["all", "some/bare", "some/shop"]


def test_the_commit_is_read_and_the_clone_is_left_alone(clones: Path, tmp_path: Path) -> None:
    shop = clones / "some" / "shop"
    path = features_file(clones, FOUND)
    (shop / "mail.py").unlink()
    before = {p: p.stat().st_mtime_ns for p in shop.rglob("*")}
    assert figures(measure(read_features(path), clones, tmp_path / "work"))["recall@1"] == 1.0
    assert {p: p.stat().st_mtime_ns for p in shop.rglob("*")} == before


def test_json_is_one_object_and_nothing_else(clones: Path) -> None:
    done = run("--features", features_file(clones, HALF), "--repos", clones, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    got = json.loads(done.stdout)
    assert list(got) == ["recall@1", "recall@5", "recall@10", "features", "seconds"]
    assert (got["recall@1"], got["features"]) == (0.5, 1)
    assert got["seconds"] > 0


def test_without_arguments_it_measures_the_sample() -> None:
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    assert "Smoke figure" in done.stdout
    assert "phasegate/sample" in done.stdout


def test_what_is_missing_is_said_in_one_sentence(clones: Path) -> None:
    somewhere = features_file(clones, FOUND, repository="some/where")
    refused(run("--features", somewhere, "--repos", clones), "where is no git clone; clone the repository")
    unborn = features_file(clones, FOUND, base="0" * 40)
    refused(run("--features", unborn, "--repos", clones), f"has no commit {'0' * 40}; fetch it")
    refused(run("--features", clones / "none.json", "--repos", clones), "none.json cannot be read")
    refused(run("--repos", clones), "--features and --repos go together")
    unborn.write_text('{"features": [{"id": "a"}]}', encoding="utf-8")
    refused(run("--features", unborn, "--repos", clones), "features.0.repository: is required")


def refused(done: subprocess.CompletedProcess[str], sentence: str) -> None:
    """Exit 2, one line, nothing printed."""
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert sentence in done.stderr


def test_a_folder_inside_another_clone_is_no_clone(clones: Path, tmp_path: Path) -> None:
    """git itself would take the clone around it."""
    (clones / "some" / "shop" / "some" / "inner").mkdir(parents=True)
    features = read_features(features_file(clones, FOUND, repository="some/inner"))
    with pytest.raises(WrongUse, match="inner is no git clone"):
        find_bases(features, clones / "some" / "shop", tmp_path / "roots")
