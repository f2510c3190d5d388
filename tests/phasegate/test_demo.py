"""The demo as somebody runs it: a process that must tell the truth and leave nothing behind but the plan."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest

from phasegate.demo.run import PLAN_FILE, STEPS, STOPPED

COMMAND = [sys.executable, "-P", "-m", "phasegate.cli", "demo"]
PATIENCE = 90


@pytest.fixture
def own_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the demo makes its folder. The settings of the person's own jobs must not reach it."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setenv("TEMPORAL_ADDRESS", "127.0.0.1:1")
    monkeypatch.setenv("PHASEGATE_STORE", str(tmp_path / "own-store"))
    monkeypatch.setenv("PHASEGATE_STATE_DIR", str(tmp_path / "own-state"))
    monkeypatch.setenv("PHASEGATE_TASK_QUEUE", "own-queue")
    monkeypatch.setenv("PHASEGATE_BY", "ann")
    return folder


@pytest.mark.timeout(PATIENCE + 30)
def test_everything_that_it_tells_happens_and_only_the_plan_is_left(own_tmp: Path, tmp_path: Path) -> None:
    done = subprocess.run([*COMMAND, "--json"], cwd=tmp_path, capture_output=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    outcome = json.loads(done.stdout)
    assert [(step["step"], step["ok"]) for step in outcome["steps"]] == [(name, True) for name, *_ in STEPS]
    assert outcome["state"] == "verified"
    assert set(outcome["kept_digests"]) == {"discovery", "clarification"}
    assert outcome["claims"] >= 30
    assert outcome["ledger"] >= 60
    assert len(set(outcome["workers"])) == 2
    assert outcome["files"] == [str(tmp_path / PLAN_FILE)]
    assert "SessionStore.remove_expired" in (tmp_path / PLAN_FILE).read_text()
    assert not [pid for pid in (outcome["server"], *outcome["workers"]) if is_there(pid)]
    assert list(own_tmp.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == [PLAN_FILE, "tmp"]


@pytest.mark.timeout(PATIENCE + 30)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_in_the_middle_it_ends_all_processes_and_says_so(
    own_tmp: Path, tmp_path: Path, number: signal.Signals
) -> None:
    with start(tmp_path) as demo:
        assert demo.stdout
        told = until(demo.stdout, b"2/14")
        assert is_there(demo.pid)
        began = [int(pid) for pid in re.findall(r"process\s+(\d+)", told)]
        assert len(began) == 2
        assert all(is_there(pid) for pid in began)
        demo.send_signal(number)
        rest, said = demo.communicate(timeout=30)
    assert demo.returncode == 130
    assert said.decode() == f"phasegate: {STOPPED}\n"
    assert b"Traceback" not in rest
    assert not [pid for pid in began if is_there(pid)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tmp"]
    assert list(own_tmp.iterdir()) == []


@pytest.mark.timeout(PATIENCE + 30)
def test_what_does_not_happen_ends_it_with_one_sentence(own_tmp: Path, tmp_path: Path) -> None:
    nowhere = {**os.environ, "PATH": str(tmp_path)}
    done = subprocess.run(COMMAND, cwd=tmp_path, capture_output=True, timeout=PATIENCE, env=nowhere)
    assert done.returncode == 1
    said = done.stderr.decode()
    assert said.startswith("phasegate: the demo stopped at step 2 (start): ")
    assert "git is not installed" in said
    assert said.count("\n") == 1
    assert list(own_tmp.iterdir()) == []
    assert not (tmp_path / PLAN_FILE).exists()


def test_a_place_that_cannot_hold_the_plan_is_refused_before_anything_starts(
    own_tmp: Path, tmp_path: Path
) -> None:
    for place in (tmp_path, tmp_path / "missing" / "plan.md"):
        done = subprocess.run(
            [*COMMAND, "--output", str(place)], cwd=tmp_path, capture_output=True, timeout=PATIENCE
        )
        assert done.returncode == 2
        assert b"--output" in done.stderr
        assert done.stdout == b""
    assert list(own_tmp.iterdir()) == []


def start(folder: Path) -> "subprocess.Popen[bytes]":
    """A demo that speaks into pipes, in a session of its own."""
    return subprocess.Popen(
        COMMAND,
        cwd=folder,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def until(stream: IO[bytes], mark: bytes) -> str:
    """What it says up to a mark."""
    told, deadline = b"", time.monotonic() + PATIENCE
    while mark not in told:
        line = stream.readline()
        assert line, told.decode()
        assert time.monotonic() < deadline
        told += line
    return told.decode()


def is_there(pid: int) -> bool:
    """Whether a process runs."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
