"""The benchmark of questions, on the sample, where every question is known beforehand."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.ambiguity import SAMPLE, SHIPPED, read_tasks
from phasegate.problems import WrongUse

ROOT = Path(__file__).resolve().parents[2]


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """The benchmark as a person starts it."""
    command = [sys.executable, "-m", "benchmarks.ambiguity", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)


def tasks_file(folder: Path, *tasks: dict[str, object]) -> Path:
    """A file of tasks on the sample."""
    common = {"repository": SAMPLE, "base": "HEAD"}
    body = [{"id": f"task{n}", **common, **task} for n, task in enumerate(tasks)]
    path = folder / "tasks.json"
    path.write_text(json.dumps({"test": [SAMPLE], "tasks": body}), encoding="utf-8")
    return path


def test_half_of_the_shipped_tasks_are_ambiguous_in_each_part() -> None:
    read = read_tasks(SHIPPED)
    for part in (read.tune, read.test, read.unseen):
        tasks = [task for task in read.tasks if task.repository in part]
        assert sum(task.ambiguous for task in tasks) * 2 == len(tasks) >= 24
    assert all(len(task.candidates) >= 2 if task.ambiguous else not task.candidates for task in read.tasks)
    assert {task.repository for task in read.tasks} == {*read.tune, *read.test, *read.unseen}
    assert len({task.id for task in read.tasks}) == len(read.tasks)


def test_right_and_wrong_questions_are_told_apart(tmp_path: Path) -> None:
    legacy, oauth = "deskly/auth/legacy.py", "deskly/auth/oauth2.py"
    name = "LegacyAuthService.authenticate", "OAuth2Service.authenticate"
    both = [f"{legacy}::{name[0]}", f"{oauth}::{name[1]}"]
    path = tasks_file(
        tmp_path,
        {"text": "log `authenticate`", "ambiguous": True, "candidates": both},
        {"text": "log `authenticate`", "ambiguous": False},
        {"text": "hash passwords twice", "ambiguous": True, "candidates": both},
        {"text": "`OAuth2Service.authenticat` should log", "ambiguous": False},
    )
    done = run("--tasks", path, "--json")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["test"] == figures["all"]
    assert (figures["all"]["precision"], figures["all"]["recall"]) == (0.5, 0.5)
    assert (figures["all"]["asked"], figures["all"]["others"]) == (2, 1)


def test_it_runs_without_clones_and_says_what_it_left_out(tmp_path: Path) -> None:
    done = run("--repos", tmp_path, "--misses")
    assert done.returncode == 0, done.stderr
    assert "Left out, for want of a clone with the commit: pallets/click" in done.stdout
    assert "phasegate/sample" in done.stdout


@pytest.mark.parametrize("text", ["{}", "nothing", '{"tasks": [{"id": "x"}]}'])
def test_a_file_that_is_none_of_tasks_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tasks.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(WrongUse, match="is no file of tasks"):
        read_tasks(path)


def test_wrong_use_ends_with_a_sentence(tmp_path: Path) -> None:
    done = run("--repos", tmp_path / "nowhere")
    assert (done.returncode, done.stdout) == (2, "")
    assert "give the folder of the clones" in done.stderr
