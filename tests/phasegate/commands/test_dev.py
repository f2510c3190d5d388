"""`phasegate dev` as a process: one at a time, the same data after it was killed, a clean end."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from phasegate.server import EmbeddedServer
from phasegate.server_options import ServerOptions

COMMAND = [sys.executable, "-m", "phasegate.cli"]


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "PHASEGATE_STATE_DIR": str(tmp_path / "state")}


@contextmanager
def dev(env: dict[str, str]) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """A running dev and what it announced."""
    with subprocess.Popen(
        [*COMMAND, "dev", "--json", "--no-ui"],
        env=env,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout
        try:
            yield process, json.loads(process.stdout.readline())
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(40)


def phasegate(env: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *words], env=env, text=True, capture_output=True, timeout=60)


def server_pid(env: dict[str, str]) -> int:
    return int(json.loads((Path(env["PHASEGATE_STATE_DIR"]) / "dev.json").read_text())["pid"])


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    # One that has ended stays in the list until whoever inherited it takes note.
    return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z")


def test_one_dev_at_a_time_the_same_jobs_after_a_kill_and_a_clean_end(
    env: dict[str, str], repository: Path
) -> None:
    with dev(env) as (process, told):
        started = phasegate(
            env, "plan", "Count sessions.", "--repo", str(repository), "--id", "kept", "--detach"
        )
        assert (started.returncode, started.stdout) == (0, "kept\n"), started.stderr
        second = phasegate(env, "dev")
        assert (second.returncode, second.stdout) == (1, "")
        assert f"runs already at {told['address']} (process {process.pid})" in second.stderr
        orphan = server_pid(env)
        process.kill()
        process.wait()
    assert alive(orphan)
    with dev(env) as (process, _):
        assert not alive(orphan), "the server of the killed dev was stopped, its database taken over"
        for _ in range(50):
            shown = json.loads(phasegate(env, "show", "kept", "--json").stdout)
            if shown["awaiting"] != "none":
                break
            time.sleep(0.1)
        assert (shown["job"], shown["awaiting"] != "none") == ("kept", True)
        server = server_pid(env)
        process.send_signal(signal.SIGINT)
        assert process.wait(40) == 0
        assert not alive(server)
    assert not (Path(env["PHASEGATE_STATE_DIR"]) / "dev.json").exists()


def test_a_server_that_dies_is_started_again(env: dict[str, str], repository: Path) -> None:
    with dev(env) as (process, told):
        phasegate(env, "plan", "Count sessions.", "--repo", str(repository), "--id", "kept", "--detach")
        killed = server_pid(env)
        os.kill(killed, signal.SIGKILL)
        for _ in range(100):
            if server_pid(env) != killed:
                break
            time.sleep(0.1)
        listed = json.loads(phasegate(env, "list", "--json").stdout)
        assert [line["job"] for line in listed["jobs"]] == ["kept"]
        assert (
            json.loads((Path(env["PHASEGATE_STATE_DIR"]) / "dev.json").read_text())["address"]
            == told["address"]
        )
        again = server_pid(env)
        process.terminate()
        assert process.wait(40) == 0
        assert not alive(again)


def test_a_worker_refuses_a_server_that_does_not_know_its_attributes(
    env: dict[str, str], tmp_path: Path
) -> None:
    async def scene() -> None:
        async with EmbeddedServer(ServerOptions(log_file=tmp_path / "server.log")) as server:
            here = {**env, "TEMPORAL_ADDRESS": server.address}
            refused = phasegate(here, "worker")
            assert (refused.returncode, refused.stdout) == (1, "")
            assert "phasegate doctor --fix" in refused.stderr
            assert phasegate(here, "doctor", "--json").returncode == 1
            fixed = json.loads(phasegate(here, "doctor", "--fix", "--json").stdout)
            found = {check["name"]: check["found"] for check in fixed["checks"]}
            assert found["search attributes"].startswith("registered now: PhasegateState")

    asyncio.run(scene())
