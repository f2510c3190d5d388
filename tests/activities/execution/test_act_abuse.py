"""Commands that do their worst: a clear failed step each, nothing left running, the tree as it was."""

import asyncio
import contextlib
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from activities.execution import sandbox
from activities.execution.sandbox import sandbox_offered
from activities.store import open_store
from states.artifacts.plan import FileChange, FileChangeKind, StepType
from states.execution import StepResult, StepStatus
from tests.activities.execution.acting import Acting, act_on, completed, failed, shell, step
from tests.activities.execution.test_act_trees import allow, everything


async def needs_sandbox() -> None:
    """Skip where the machine offers no sandbox: these would harm it."""
    offered, why = await sandbox_offered()
    if not offered:
        pytest.skip(why)


async def does(acting: Acting, command: str, **fields: Any) -> StepResult:
    """Run a command that a person has allowed; the tree is unharmed afterwards."""
    allow(acting, command)
    before = everything(acting.tree)
    result = await acting.step(shell(command, **fields))
    assert everything(acting.tree) == before
    await ended(acting)
    return result


async def ended(acting: Acting) -> None:
    """Nothing is left running: bwrap tells the end just before the kernel ends what is in its box."""
    for _ in range(100):
        if not running(acting):
            return
        await asyncio.sleep(0.02)
    assert not running(acting)


def running(acting: Acting) -> list[int]:
    """Processes that stand in the worktrees of an execution."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):  # a folder's name may be too long to be told
            if str(acting.tree.parent) in process.cwd():
                found.append(process.pid)
    return found


async def test_a_fork_bomb_stays_in_its_box(acting: Acting) -> None:
    await needs_sandbox()
    acting.rules = acting.rules.model_copy(update={"processes": 40, "seconds": 5})
    count = len(psutil.pids())
    result = await does(acting, "bomb() { bomb | bomb & }; bomb; sleep 3; exit 7")
    assert result.status is StepStatus.FAILED
    assert len(psutil.pids()) < count + 100


async def test_too_many_processes_are_named(acting: Acting) -> None:
    acting.rules = acting.rules.model_copy(update={"processes": 15})
    result = await does(acting, "i=0; while [ $i -lt 25 ]; do sleep 30 & i=$((i+1)); done; wait")
    assert result.status is StepStatus.FAILED


async def test_a_gigabyte_of_output_is_cut_off(acting: Acting) -> None:
    acting.rules = acting.rules.model_copy(update={"output_bytes": 1_000_000})
    result = await does(acting, "head -c 1000000000 /dev/zero | tr '\\0' x")
    failed(result, "command ended: it printed more than 1,000,000 bytes")
    assert len(await acting.store.get(result.output)) == 1_000_000
    assert result.tail == "x" * 4_000


async def test_a_command_that_ignores_the_request_to_end_is_killed(acting: Acting) -> None:
    began = time.monotonic()
    result = await does(
        acting, "trap '' TERM INT HUP; sleep 60 & while true; do sleep 1; done", timeout_seconds=1
    )
    failed(result, "command ended: it took longer than 1 seconds")
    assert time.monotonic() - began < 20


async def test_memory_is_limited(acting: Acting) -> None:
    acting.rules = acting.rules.model_copy(update={"memory_bytes": 300_000_000})
    result = await does(acting, "python3 -c 'x = bytearray(600_000_000); import time; time.sleep(20)'")
    assert result.status is StepStatus.FAILED
    assert "MemoryError" in result.tail or "bytes of memory" in result.error


async def test_children_left_behind_are_ended(acting: Acting) -> None:
    result = await does(acting, "(setsid sleep 300 >/dev/null 2>&1 &) ; (sleep 300 &) ; echo over")
    completed(result)


async def test_commands_see_no_secret_and_reach_no_network(
    acting: Acting, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    await needs_sandbox()
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    secret = tmp_path / "state" / "workspaces" / "other job"
    secret.mkdir()
    listener = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    command = (
        f"env; ls '{secret.parent}'; ls -A ~ /home /root/.ssh; touch /etc/made 2>&1; ps ax | wc -l; "
        f"python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}))' 2>&1 | tail -1"
    )
    async with listener:
        result = completed(await does(acting, command))
    assert "sk-secret" not in result.tail
    assert "other job" not in result.tail
    assert "ConnectionRefusedError" in result.tail
    assert "/etc/made" in result.tail
    assert not Path("/etc/made").exists()


async def test_commands_see_of_the_disk_only_what_programs_need(
    acting: Acting, monkeypatch: pytest.MonkeyPatch
) -> None:
    await needs_sandbox()
    # As if it were a folder that somebody has made there: what is in it is on every machine.
    monkeypatch.setattr(sandbox, "_SYSTEM", sandbox._SYSTEM - {"sys"})
    assert os.listdir("/sys")
    result = completed(await does(acting, "ls -A /sys /var/log 2>/dev/null | grep -v ':$'; echo over"))
    assert result.tail.split() == ["over"]


async def test_a_full_disk_fails_the_step_and_the_next_one_runs(project: Path, tmp_path: Path) -> None:
    with small_disk(tmp_path / "small") as disk:
        store = open_store(str(tmp_path / "store"))
        acting = await act_on(project, disk, store, bare=True, sandbox=False)
        allow(acting, fill := "head -c 100000000 /dev/zero > huge")
        before = everything(acting.tree)
        result = await acting.step(shell(fill))
        assert result.status is StepStatus.FAILED
        assert everything(acting.tree) == before
        half = FileChange(path="half", kind=FileChangeKind.CREATE, content="y" * 15_000_000)
        (disk / "ballast").write_bytes(os.urandom(5_000_000))
        failed(await acting.step(step(StepType.FILE_OPERATION, "half", files=(half,))), "disk is full")
        assert everything(acting.tree) == before
        (disk / "ballast").unlink()
        completed(await acting.step(shell("echo on", "next")))


@contextlib.contextmanager
def small_disk(at: Path) -> Iterator[Path]:
    """A disk of 16 MB, where this user may mount one."""
    at.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(at)], capture_output=True)
    if made.returncode:
        pytest.skip(f"no small disk can be mounted here: {made.stderr.decode().strip()}")
    try:
        yield at
    finally:
        subprocess.run(["umount", "-l", str(at)], check=True)


async def test_tokens_beside_tools_are_hidden(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await needs_sandbox()
    home = tmp_path / "user"
    (home / ".cargo/bin").mkdir(parents=True)
    (home / ".cargo/bin/tool").write_text("#!/bin/sh\necho the tool runs\n")
    (home / ".cargo/bin/tool").chmod(0o755)
    (home / ".cargo/credentials.toml").write_text("token = 'abc123'\n")
    (home / "diary").write_text("private\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{home}/.cargo/bin:{os.environ['PATH']}")
    acting = await act_on(project, tmp_path / "state")
    command = f"tool; ls -A {home}; cat {home}/.cargo/credentials.toml; touch {home}/.cargo/bin/x; true"
    result = completed(await does(acting, command))
    assert "the tool runs" in result.tail
    assert "abc123" not in result.tail
    assert "diary" not in result.tail
    assert not (home / ".cargo/bin/x").exists()
