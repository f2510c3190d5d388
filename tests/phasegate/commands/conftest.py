"""A server, a worker and a repository for commands, which run as they do for people."""

import asyncio
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import structlog

from phasegate.search_attributes import ensure_search_attributes
from tests.conftest import TemporalServer
from tests.phasegate.commands import agents_worker
from tests.phasegate.commands.driving import Commands
from workflows.attributes import REGISTERED

SAMPLE = Path(__file__).parents[3] / "phasegate" / "sample"


@asynccontextmanager
async def _worker(module: str, variables: dict[str, str], folder: Path, *words: str) -> AsyncIterator[None]:
    """A worker process, ready for jobs: on a busy machine that takes longer than `plan` waits for one."""
    log = folder / "worker.log"
    with (
        log.open("wb") as told,
        subprocess.Popen(
            [sys.executable, "-m", module, *words], env={**os.environ, **variables}, stderr=told
        ) as worker,
    ):
        while b"worker started" not in log.read_bytes():
            assert worker.poll() is None, log.read_text()
            await asyncio.sleep(0.05)
        yield
        worker.terminate()
        assert worker.wait(40) == 0, log.read_text()


@pytest.fixture(scope="session")
async def town(
    temporal_server: TemporalServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[dict[str, str]]:
    """A worker process with the real planner; gives the variables that lead commands to it."""
    await ensure_search_attributes(await temporal_server.client(), REGISTERED, fix=True)
    variables = {
        "TEMPORAL_ADDRESS": temporal_server.address,
        "PHASEGATE_STATE_DIR": str(tmp_path_factory.mktemp("town")),
        "PHASEGATE_TASK_QUEUE": "commands",
        "PHASEGATE_BY": "ann",
    }
    async with _worker("phasegate.cli", variables, tmp_path_factory.mktemp("logs"), "worker"):
        yield variables


@pytest.fixture(scope="session")
async def staffed_town(
    temporal_server: TemporalServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[dict[str, str]]:
    """A worker process with scripted models; gives the variables that lead commands to it."""
    await ensure_search_attributes(await temporal_server.client(), REGISTERED, fix=True)
    variables = {
        "TEMPORAL_ADDRESS": temporal_server.address,
        "PHASEGATE_STATE_DIR": str(tmp_path_factory.mktemp("staffed")),
        "PHASEGATE_TASK_QUEUE": "staffed",
        "PHASEGATE_DRAIN_SECONDS": "1",
        "PHASEGATE_BY": "ann",
    }
    async with _worker(agents_worker.__name__, variables, tmp_path_factory.mktemp("logs")):
        yield variables


@pytest.fixture
def staffed(
    staffed_town: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Commands:
    """Commands that find the worker with scripted models."""
    for name, value in staffed_town.items():
        monkeypatch.setenv(name, value)
    return Commands(monkeypatch, capsys)


@pytest.fixture
def phasegate(
    town: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Commands:
    """Commands that find the town."""
    for name, value in town.items():
        monkeypatch.setenv(name, value)
    return Commands(monkeypatch, capsys)


@pytest.fixture
def lonely(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Commands:
    """Commands that find no server."""
    monkeypatch.setenv("TEMPORAL_ADDRESS", "127.0.0.1:1")
    return Commands(monkeypatch, capsys)


@pytest.fixture(autouse=True)
def quiet_logs() -> Iterator[None]:
    """Commands configure the logs of their process; here that process goes on."""
    yield
    structlog.reset_defaults()
    root = logging.getLogger()
    for handler in [known for known in root.handlers if known.get_name() == "phasegate"]:
        root.removeHandler(handler)


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, as a git repository."""
    root = tmp_path_factory.mktemp("repository") / "deskly"
    shutil.copytree(SAMPLE, root)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-C", str(root)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "sample"], check=True)
    return root
