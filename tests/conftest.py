"""Fixtures of every test: one Temporal server per test process, and no settings of the machine's user."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter

from phasegate.server import EmbeddedServer
from phasegate.server_options import ServerOptions


class TemporalServer:
    """What tests get: the address of a running server, and clients for it."""

    def __init__(self, embedded: EmbeddedServer) -> None:
        self.embedded = embedded

    @property
    def address(self) -> str:
        """host:port of the gRPC service."""
        return self.embedded.address

    async def client(self, **options: Any) -> Client:
        """A new client that speaks pydantic; `options` go to `Client.connect` and win."""
        return await Client.connect(self.address, **{"data_converter": pydantic_data_converter, **options})


@pytest.fixture(scope="session")
async def temporal_server() -> AsyncIterator[TemporalServer]:
    """One server in memory for all tests of this process; use ids and task queues of your own."""
    # Half a minute by default, and a workflow is only deleted once its end is acknowledged.
    quick = {"history.transferProcessorUpdateAckInterval": "1s"}
    async with EmbeddedServer(ServerOptions(dynamic_config=quick)) as embedded:
        yield TemporalServer(embedded)


@pytest.fixture(autouse=True)
def own_settings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test reads or writes the settings, profiles or state of whoever runs it; returns the empty home."""
    home = tmp_path_factory.mktemp("home")
    for variable in list(os.environ):
        if variable.startswith(("PHASEGATE_", "TEMPORAL_")):
            monkeypatch.delenv(variable)
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("TEMPORAL_CONFIG_FILE", str(home / "temporal.toml"))
    return home
