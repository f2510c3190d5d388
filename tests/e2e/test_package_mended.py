"""A small package of other people's, with a bug planted: a job mends it, and takes it back."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import mdurl

from states.act import ActEnd
from states.artifacts.plan import ExactEdit, FileChange, FileChangeKind, StepType
from states.execution import ExecutionStatus
from states.words import Mode
from tests.e2e.acting_stage import acting_stage
from tests.e2e.executions import a_step, repository

CHANGED = "mdurl/_decode.py"
GOOD, BAD = "(b1 & 0xE0) == 0xC0 and (i + 3 < l)", "(b1 & 0xE0) == 0xC0 and (i + 6 < l)"
OWN_TESTS = """\
import pytest
from mdurl import decode, encode, format, parse


@pytest.mark.parametrize("text", ["plain", "\\u00e9", "\\u20ac", "\\U0001f600", "a \\u00e9 b"])
def test_decode_undoes_encode(text):
    assert decode(encode(text)) == text


def test_what_is_reserved_stays_encoded():
    assert decode("%2F%20") == "%2F "


def test_a_broken_sequence_is_replaced():
    assert decode("%C3%28") == "\\ufffd("


def test_an_address_is_put_together_again():
    address = "https://user@example.org:8080/a/b?c=d#e"
    assert format(parse(address)) == address
"""
TESTS = "-m pytest -q -p no:cacheprovider --junitxml=report.xml"


def planted(home: Path) -> Path:
    """A repository of the package as it is installed, with tests of its own, and the bug in it."""
    package = Path(mdurl.__file__).parent
    shutil.copytree(package, home / "mdurl", ignore=shutil.ignore_patterns("__pycache__"))
    source = home / CHANGED
    text = source.read_text(encoding="utf-8")
    assert text.count(GOOD) == 1
    source.write_text(text.replace(GOOD, BAD), encoding="utf-8")
    setting = '[tool.pytest.ini_options]\npythonpath = ["."]\n'
    ignored = "__pycache__/\nreport.xml\n"
    files = {"tests/test_urls.py": OWN_TESTS, "pyproject.toml": setting, ".gitignore": ignored}
    return repository(home, files)


def green(tree: Path) -> bool:
    """Whether the tests pass in a folder, as a person runs them."""
    # Plugins of ours have nothing to say about other people's package.
    bare = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    words = [sys.executable, *TESTS.split()[:-1]]
    ran = subprocess.run(words, cwd=tree, env=bare, capture_output=True, text=True)
    assert ran.returncode in (0, 1), ran.stdout + ran.stderr
    return ran.returncode == 0


async def test_a_planted_bug_is_mended_by_a_job_and_comes_back_with_a_rollback(
    address: str, tmp_path: Path
) -> None:
    project = planted(tmp_path / "project")
    assert not green(project)
    run = {"type": StepType.TESTING, "command": f"{sys.executable} {TESTS}", "report": "report.xml"}
    edit = FileChange(path=CHANGED, kind=FileChangeKind.MODIFY, edits=(ExactEdit(old=BAD, new=GOOD),))
    steps = (
        a_step("fix", type=StepType.FILE_OPERATION, files=(edit,)),
        a_step("look", "fix", type=StepType.CODE_ANALYSIS),
        a_step("check", "fix", type=StepType.VALIDATION),
        a_step("test", "look", "check", **run),
    )
    async with acting_stage(address, tmp_path, project, *steps) as stage:
        job = await stage.act(commands={"allow": [f"{sys.executable} -m pytest *"]})
        done = await stage.until(job, lambda v: v.act and not v.act.running and v.act.last.steps)
        assert done.act
        assert done.act.status is ExecutionStatus.COMPLETED, done.act
        assert done.mode is Mode.NORMAL
        assert done.act.last.metrics.tests_passed == 8
        assert (done.act.last.metrics.files_modified, done.act.last.metrics.lines_changed) == (1, 2)
        tree = Path(done.act.last.path)
        assert green(tree)
        assert BAD in (project / CHANGED).read_text(), "the user's checkout is never touched"
        patch = await stage.store.get(done.act.last.patch)
        await stage.cli.signal(job, "rollback")
        back = await stage.until(job, lambda v: v.act and v.act.last.end is ActEnd.ROLLED_BACK)
        assert back.act
        assert not green(tree)
    subprocess.run(["git", "apply"], input=patch, cwd=project, check=True)
    assert (project / CHANGED).read_bytes() == (Path(mdurl.__file__).parent / "_decode.py").read_bytes()
