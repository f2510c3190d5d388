"""The dataset's layout, and what a setup.sh names."""

from pathlib import Path
from typing import Any

import pytest

from phasegate.cooperbench import FileInterface
from phasegate.cooperbench.dataset import WrongDataset, read_setup, read_task

COMMIT, MERGE = "7149a5e613b9c2bb3c2ed3ee5b7c9228772504b1", "a16d23b043ddcf76e02b55f8468b730c5a5fe8c0"
USUAL = f"""#!/bin/bash
# Setup for pull request 1371: don't trust `quotes
MERGE_COMMIT="{MERGE}"
REPO_NAME="outlines-pr-1371"
BASE_COMMIT="{COMMIT}"  # before the change

if [ ! -d "$REPO_NAME" ]; then
    git clone https://github.com/dottxt-ai/outlines "$REPO_NAME"
fi
git checkout "$BASE_COMMIT"
curl -LsSf https://astral.sh/uv/install.sh | sh
"""


@pytest.mark.parametrize(
    ("text", "repository"),
    [
        (USUAL, "https://github.com/dottxt-ai/outlines"),
        (
            f"REPO_OWNER=typst\nREPO_NAME='typst'\nBASE_COMMIT={COMMIT}\n"
            "git clone --depth 1 -b main \\\n  https://github.com/${REPO_OWNER}/$REPO_NAME x",
            "https://github.com/typst/typst",
        ),
        (f"git clone git@github.com:a/b.git\ncd b && git checkout {COMMIT}", "git@github.com:a/b.git"),
        (f"git clone file:///srv/b.git b\ngit reset --hard {COMMIT}", "/srv/b.git"),
    ],
)
def test_setup(text: str, repository: str) -> None:
    assert read_setup(text, Path("setup.sh")) == (repository, COMMIT)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("echo hello", "has no `git clone`"),
        ("git clone https://example.org/a.git\ngit checkout main", "names no base commit of 40 hex digits"),
    ],
)
def test_setups_that_name_too_little(text: str, told: str) -> None:
    with pytest.raises(WrongDataset, match=told):
        read_setup(text, Path("setup.sh"))


def test_a_task(tmp_path: Path) -> None:
    folder = tmp_path / "shop_task" / "task7"
    for number in (1, 2, 10):
        (folder / f"feature{number}").mkdir(parents=True)
        (folder / f"feature{number}" / "feature.md").write_text(f"# Feature {number}\n")
    (folder / "setup.sh").write_text(USUAL)

    def given(**changes: Any) -> FileInterface:
        known: dict[str, Any] = {"setting": "coop", "repo_name": "shop_task", "task_id": 7, "model1": "m"}
        known |= {"feature1_id": 2, "feature2_id": 1, "dataset": tmp_path}
        return FileInterface(**(known | changes))

    task = read_task(given(), 25)
    assert [(f.id, f.text) for f in task.features] == [(2, "# Feature 2\n"), (1, "# Feature 1\n")]
    assert task.models == ("m", "m")
    assert task.run.startswith("bench-coop-shop_task-task7-f2-f1-k1-")
    changed = (given(k=2), given(model2="n"), given(setting="coop_ablation"), given(feature1_id=10))
    runs = {read_task(each, 25).run for each in changed} | {read_task(given(), 24).run, task.run}
    assert len(runs) == 6
    with pytest.raises(WrongDataset, match=r"feature9/feature.md: .*; the task has the features 1, 2, 10"):
        read_task(given(feature1_id=9), 25)
    with pytest.raises(WrongDataset, match="name the dataset's folder with --dataset"):
        read_task(given(task_id=8), 25)
    (folder / "feature1" / "feature.md").write_text(" \n")
    with pytest.raises(WrongDataset, match="is empty"):
        read_task(given(), 25)
