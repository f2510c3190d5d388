"""An agent that reads 200,000 tokens in 100 calls: small payloads, a flat history, runs of bounded length."""

from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client

from activities.models.provider import LiteLlmProvider
from phasegate.server import EmbeddedServer
from phasegate.server_options import ServerOptions
from states.record import JobSpec
from states.words import Phase, State
from tests.e2e.stage import job_id
from tests.e2e.whole_job import CALLS, WITHOUT_PEOPLE, long_look, shop, whole_stage
from tests.model_server.server import ModelServer
from workflows.attributes import REGISTERED

CALLS_OF_ONE = 100
TOKENS = 200_000
LARGEST = 256 * 1024
"""bytes from which Temporal warns of a payload"""
EVENTS = 250
"""after so many the server of this test suggests to continue as new, instead of 4,096"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


async def read_at_length(address: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """A whole job, one of whose agents reads at length; bytes of each event, by run of that agent."""
    provider = LiteLlmProvider()
    await provider.warm()
    with ModelServer(long_look(CALLS_OF_ONE)) as models:
        for name, value in models.environment.items():
            monkeypatch.setenv(name, value)
        async with whole_stage(address, home, provider) as ready:
            limits = {"max_iterations": CALLS_OF_ONE + 5}
            given = {**shop(home), "policy": WITHOUT_PEOPLE, "agents": limits}
            job = await ready.jobs.start(JobSpec.model_validate(given), job_id("long"))
            await ready.until(job, lambda view: view.state is State.VERIFIED, 400)
            runs = await runs_of(ready.temporal, f"{job}.{Phase.DISCOVERY}-1")
        assert models.asked_twice() == []
        assert len(models.requests) == CALLS - 1 + CALLS_OF_ONE
        assert max(len(request.body) for request in models.requests) > 4 * TOKENS
    return runs


async def runs_of(client: Client, workflow: str) -> list[list[int]]:
    """Bytes of the events of each run, the last run first."""
    found: list[list[int]] = []
    run: Any = (await client.get_workflow_handle(workflow).describe()).run_id
    while run:
        handle = client.get_workflow_handle(workflow, run_id=run)
        events = [event async for event in handle.fetch_history_events()]
        found.append([event.ByteSize() for event in events])
        run = events[0].workflow_execution_started_event_attributes.continued_execution_run_id
    return found


async def test_every_call_adds_the_same_few_bytes(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [sizes] = await read_at_length(address, tmp_path, monkeypatch)
    assert max(sizes) < LARGEST
    third = len(sizes) // 3
    early, late = sum(sizes[third : 2 * third]), sum(sizes[2 * third :])
    assert late < 1.1 * early
    assert sum(sizes) / CALLS_OF_ONE < 8_000


async def test_it_goes_on_in_runs_of_bounded_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = {"limit.historyCount.suggestContinueAsNew": EVENTS}
    async with EmbeddedServer(ServerOptions(search_attributes=REGISTERED, dynamic_config=config)) as server:
        runs = await read_at_length(server.address, tmp_path, monkeypatch)
    assert len(runs) > 2
    assert all(len(sizes) < EVENTS + 40 for sizes in runs)
    assert max(max(sizes) for sizes in runs) < LARGEST
