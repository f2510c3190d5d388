"""A worker never starts on a server where its jobs would stand still."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from phasegate.problems import NoWorker
from phasegate.search_attributes import ensure_search_attributes, missing_search_attributes
from phasegate.server import EmbeddedServer
from phasegate.server_options import ServerOptions
from tests.e2e.mortals import ROOT
from tests.e2e.stage import stage, until
from workflows.attributes import REGISTERED

WITHOUT = {name: kind for name, kind in REGISTERED.items() if name != "PhasegateAwaiting"}


@pytest.fixture
async def lacking() -> AsyncIterator[str]:
    """A server that lacks one attribute."""
    async with EmbeddedServer(ServerOptions(search_attributes=WITHOUT)) as server:
        yield server.address


def worker(address: str, home: Path) -> subprocess.Popen[str]:
    """`phasegate worker`, as a process."""
    return subprocess.Popen(
        [sys.executable, "-m", "phasegate.cli", "worker"],
        cwd=ROOT,
        env={**os.environ, "TEMPORAL_ADDRESS": address, "PHASEGATE_STATE_DIR": str(home)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def test_the_worker_refuses_to_start_and_says_what_to_do(lacking: str, tmp_path: Path) -> None:
    process = worker(lacking, tmp_path)
    try:
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 1
    assert out == ""
    assert "the server lacks the search attributes PhasegateAwaiting, without which jobs stand still" in err
    assert "phasegate doctor --fix" in err
    assert "Traceback" not in err
    assert len(err.strip().splitlines()) == 1


async def test_a_job_that_stands_still_goes_on_once_the_attribute_is_there(lacking: str) -> None:
    async with stage(lacking) as ready:
        await ready.cli.start("job", {"task": "do it", "repository": "/srv/shop"})

        async def tried() -> bool:
            described = await ready.cli.describe("job")
            return (
                "pendingWorkflowTask" in described and described["pendingWorkflowTask"].get("attempt", 0) > 1
            )

        await until(tried, lambda tried: tried)
        client = ready.temporal
        assert await missing_search_attributes(client, REGISTERED) == ["PhasegateAwaiting"]
        assert await ensure_search_attributes(client, REGISTERED, fix=True) == ["PhasegateAwaiting"]
        assert await missing_search_attributes(client, REGISTERED) == []

        async def stands() -> bool:
            try:
                return (await ready.view("job")).gate is not None
            except NoWorker:  # what a query comes to while the job's task fails
                return False

        await until(stands, lambda stands: stands)
