"""The embedded Temporal server: one process of the `temporal` program, started, watched and stopped."""

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

from phasegate.dev_record import DevRecord
from phasegate.search_attributes import ensure_search_attributes
from phasegate.server_options import (
    HOST,
    PortTakenError,
    ServerError,
    ServerOptions,
    command_line,
    find_binary,
)
from phasegate.server_resources import choose_ports, database_lock, fresh_log

if TYPE_CHECKING:
    from temporalio.client import Client

_PORT_ATTEMPTS = 5
_POLL_SECONDS = 0.02
_LOG_LINES = 5
_TAKEN = re.compile(rb":(\d+): bind: address already in use")


class EmbeddedServer:
    """Start and stop it, or use it as `async with EmbeddedServer(options) as server`.

    May be started again after `stop` or `kill`; it keeps its address, so that clients find it again.
    """

    def __init__(self, options: ServerOptions | None = None) -> None:
        self.options = options or ServerOptions()
        self._port = self.options.port
        self._ui_port = self.options.ui_port
        self._process: subprocess.Popen[bytes] | None = None
        self._log: Path | None = None

    @property
    def address(self) -> str:
        """host:port of the gRPC service; valid after the first start."""
        return f"{HOST}:{self._port}"

    @property
    def ui_url(self) -> str:
        """Where Temporal's own page is, blank when it was not asked for."""
        return f"http://{HOST}:{self._ui_port}" if self.options.ui else ""

    @property
    def running(self) -> bool:
        """Whether the process is there now."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        """Process id. Raises ServerError when the server was not started."""
        if self._process is None:
            raise ServerError("The Temporal server is not running; start it first.")
        return self._process.pid

    @property
    def log_file(self) -> Path | None:
        """Where the server writes; None before the first start."""
        return self._log

    def record(self) -> DevRecord:
        """What `phasegate dev` writes so that other commands find this server."""
        return DevRecord(self.address, self.pid, os.getpid(), self.ui_url)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Return when jobs can be started. Raises ServerError; nothing is left running then."""
        if self.running:
            raise ServerError("The Temporal server is already running.")
        binary = find_binary()
        for attempt in range(1, _PORT_ATTEMPTS + 1):
            port, ui_port = choose_ports(self._port, self._ui_port)
            try:
                self._spawn(binary, port, ui_port)
                await self._until_healthy(port)
            except PortTakenError as taken:
                await self.stop()
                # a free one was taken between our look and the server's: look again; one asked for stays
                if taken.port in (self._port, self._ui_port) or attempt == _PORT_ATTEMPTS:
                    raise
            except BaseException:
                await self.stop()
                raise
            else:
                self._port, self._ui_port = port, ui_port
                return

    async def stop(self) -> None:
        """SIGTERM, then SIGKILL; returns when the process is gone, so that port and database are free."""
        if self._process is None:
            return
        try:
            self._process.send_signal(signal.SIGTERM)
            await self._gone(self.options.stop_timeout.total_seconds())
        finally:
            # also when the wait was cancelled: no server outlives the one who stops it
            self.kill()

    def kill(self) -> None:
        """SIGKILL, as a crash would; the database survives it."""
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        self._process = None
        if self.options.database is None and self.options.log_file is None and self._log:
            self._log.unlink(missing_ok=True)

    async def _gone(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while self.running and time.monotonic() < deadline:
            await asyncio.sleep(_POLL_SECONDS)

    def _spawn(self, binary: Path, port: int, ui_port: int) -> None:
        with contextlib.ExitStack() as held:
            lock = held.enter_context(database_lock(self.options.database)) if self.options.database else None
            self._log = fresh_log(self.options)
            output = held.enter_context(self._log.open("wb"))
            self._process = subprocess.Popen(
                [str(binary), *command_line(self.options, port, ui_port)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, "TEMPORAL_VERSION_CHECK_DISABLED": "1"},
                # a session of its own: Ctrl-C in the terminal is for phasegate, which then stops the server
                start_new_session=True,
                # the server inherits the lock, which therefore lives exactly as long as the server
                pass_fds=(lock.fileno(),) if lock else (),
            )
            if lock:
                lock.truncate(0)
                lock.write(str(self._process.pid).encode())

    async def _until_healthy(self, port: int) -> None:
        try:
            async with asyncio.timeout(self.options.start_timeout.total_seconds()):
                # until it says its own address, an answer on the port may be that of another server
                while f":{port}".encode() not in self._log_text():
                    self._check_alive()
                    await asyncio.sleep(_POLL_SECONDS)
                client = await self._healthy_client(port)
                await _keep_closed(client, self.options)
                await ensure_search_attributes(client, self.options.search_attributes, fix=True)
        except TimeoutError:
            waited = self.options.start_timeout.total_seconds()
            raise ServerError(
                f"The Temporal server was not healthy after {waited:g} s{self._tail()}."
            ) from None

    async def _healthy_client(self, port: int) -> "Client":
        from temporalio.client import Client
        from temporalio.service import RPCError

        while True:
            self._check_alive()
            try:
                client = await Client.connect(f"{HOST}:{port}", namespace=self.options.namespace)
                if await client.service_client.check_health():
                    self._check_alive()
                    return client
            except (RPCError, RuntimeError):
                # refused or not serving yet: ask again until the time is up
                pass
            await asyncio.sleep(_POLL_SECONDS)

    def _check_alive(self) -> None:
        # asked first: whoever has the port may answer for ours while ours is still on its way out
        if taken := _TAKEN.search(self._log_text()):
            raise PortTakenError(int(taken[1]))
        if not self.running:
            raise ServerError(f"The Temporal server stopped while it was starting{self._tail()}.")

    def _log_text(self) -> bytes:
        return self._log.read_bytes() if self._log else b""

    def _tail(self) -> str:
        lines = self._log_text().decode(errors="replace").strip().splitlines()[-_LOG_LINES:]
        return ": " + " | ".join(line.removeprefix("Error: ") for line in lines) if lines else ""


async def _keep_closed(client: "Client", options: ServerOptions) -> None:
    """Raise the namespace's retention to what was asked for."""
    from google.protobuf.duration_pb2 import Duration
    from temporalio.api.namespace.v1 import NamespaceConfig
    from temporalio.api.workflowservice.v1 import UpdateNamespaceRequest

    wanted = Duration()
    wanted.FromTimedelta(options.retention)
    config = NamespaceConfig(workflow_execution_retention_ttl=wanted)
    await client.workflow_service.update_namespace(
        UpdateNamespaceRequest(namespace=options.namespace, config=config)
    )
