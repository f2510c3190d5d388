"""Features out of the history of a clone."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.features import read_features
from benchmarks.finding.mine import described, mine
from tests.activities.conftest import git, write

ROOT = Path(__file__).resolve().parents[2]
BODY = "Callers had to count the boxes of a shelf themselves, which went wrong when a box was empty. " * 5
MESSAGE = f"""stock: Add a way to leave out empty boxes (#12)

{BODY}
See https://example.org/12 for more.

* Update stock.py

 stock.py | 3 ++-
 1 file changed, 2 insertions(+), 1 deletion(-)

Closes #11
Signed-off-by: Somebody <somebody@example.org>
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with one change that describes itself, and others that are no features."""
    root = tmp_path / "some" / "shop"
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    files = {"stock.py": "a = 1\n", "tests/test_stock.py": "a = 1\n", "README.md": "A shop.\n"}
    commit(root, files, f"Add a shop\n\n{BODY}")
    changed = {name: text + "b = 2\n" for name, text in files.items()}
    commit(root, {**changed, "boxes.py": "c = 3\n"}, MESSAGE)
    commit(root, {"stock.py": "a = 2\n"}, "Add more")
    commit(root, {"README.md": "Another shop.\n"}, f"Add a sentence\n\n{BODY}")
    return root


def commit(root: Path, files: dict[str, str], message: str) -> None:
    """Write and commit files."""
    write(root, files)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", message)


def test_a_described_addition_becomes_a_feature(clone: Path) -> None:
    (feature,) = mine(clone, 10, "2000-01-01")
    assert feature.gold == ("stock.py",)  # no test, no document, nothing that the base lacks
    assert feature.repository == "some/shop"
    assert feature.base == git(clone, "rev-parse", "HEAD~3")
    assert feature.text.startswith("Add a way to leave out empty boxes\n\nCallers had to count")
    for noise in ("#1", "https", "stock", "Signed", "changed"):
        assert noise not in feature.text


def test_messages_that_describe_no_addition_are_passed_over() -> None:
    assert described(f"Fix the shelf\n\n{BODY}") == ""
    assert described("Add a shelf\n\nIt holds boxes.") == ""
    assert described("") == ""
    assert described(f"Merge pull request #1 from a/b\n\nAdd a shelf\n\n{BODY}").startswith("Add a shelf\n")


def test_the_command_writes_a_features_file(clone: Path, tmp_path: Path) -> None:
    out = tmp_path / "features.json"
    command = [sys.executable, "-m", "benchmarks.finding.mine", str(clone), "--out", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "some/shop: 1 features\n"
    assert len(read_features(out)) == 1
    assert json.loads(out.read_text(encoding="utf-8"))["about"]
