"""The benchmark of indexing runs on a bare machine and tells every figure."""

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.generated_repository import generate, git

ROOT = Path(__file__).parents[2]


def test_a_generated_repository_is_the_same_every_time(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        generate(tmp_path / name, 20)
    trees = [
        subprocess.check_output(["git", "-C", str(tmp_path / name), "rev-parse", "HEAD^{tree}"])
        for name in ("one", "other")
    ]
    assert trees[0] == trees[1]


def test_it_prints_one_object(tmp_path: Path) -> None:
    (tmp_path / "clone").mkdir()
    generate(tmp_path / "clone", 20)
    git(tmp_path / "clone", "branch", "kept")
    command = [sys.executable, "-m", "benchmarks.indexing", "--json", "--runs", "1"]
    command += ["--repo", str(tmp_path / "clone")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    (figures,) = json.loads(done.stdout)["repositories"]
    assert (figures["name"], figures["files"]) == ("clone", 20)
    assert 0 < figures["warm_open"] < figures["warm"]
    assert figures["cold_cpu"] > 0
    assert figures["memory_cold"] > 10
    log = subprocess.check_output(["git", "-C", str(tmp_path / "clone"), "log", "--oneline", "--all"])
    assert len(log.splitlines()) == 1, "a clone is only read"
