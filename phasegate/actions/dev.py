"""`dev` and `worker`: a server with a worker in one process, and a worker alone."""

import asyncio
import contextlib
import fcntl
import os
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from phasegate.dev_record import DevRecord
from phasegate.problems import Problem
from phasegate.screen.consoles import write_json
from phasegate.server import EmbeddedServer
from phasegate.server_options import HOST, ServerError, ServerOptions
from phasegate.server_resources import stop_leftover
from phasegate.session import Outcome, Session
from phasegate.settings import Settings

if TYPE_CHECKING:
    from phasegate.client import JobClient

USUAL_PORT, USUAL_UI_PORT = 7233, 8233
_LOOK_SECONDS = 0.5
_RESTARTS = 5


class DevRuns(Problem):
    """A second `phasegate dev` on the same state folder."""


async def run_only_worker(session: Session) -> Outcome:
    """Run until told to stop."""
    from worker import run_worker

    if session.as_json:
        write_json({"worker": os.getpid(), "task_queue": session.settings.task_queue}, lines=True)
    await run_worker(session.settings)
    return Outcome(None)


async def run_dev(session: Session, port: int, ui: bool) -> Outcome:
    """Run server and worker until Ctrl-C or SIGTERM; one `dev` for each state folder."""
    settings = session.settings
    with _only_one(settings.state_dir):
        database = settings.state_dir / "temporal.db"
        if leftover := await stop_leftover(database):
            session.err.print(
                f"stopped the server (process {leftover}) of a dev that was killed; its data is kept"
            )
        async with _serving(settings, _options(database, port, ui)) as server:
            await _work(session, server)
    if not session.as_json:
        session.err.print("stopped; jobs are kept and go on with the next `phasegate dev`")
    return Outcome(None)


def _options(database: Path, port: int, ui: bool) -> ServerOptions:
    from workflows.attributes import REGISTERED

    return ServerOptions(
        database=database,
        port=port or _if_free(USUAL_PORT),
        ui=ui,
        ui_port=_if_free(USUAL_UI_PORT),
        search_attributes=REGISTERED,
    )


@contextlib.asynccontextmanager
async def _serving(settings: Settings, options: ServerOptions) -> AsyncIterator[EmbeddedServer]:
    """A server that other commands find by dev.json for as long as it runs."""
    async with EmbeddedServer(options) as server:
        server.record().write(settings.state_dir)
        try:
            yield server
        finally:
            server.record().remove(settings.state_dir)


async def _work(session: Session, server: EmbeddedServer) -> None:
    """A worker beside the server, until it is told to stop or the server is gone."""
    from phasegate.logs import configure_logs
    from worker import run_worker

    settings, ready = session.settings, asyncio.Event()
    configure_logs(settings.log_level, settings.log_format)
    worker = asyncio.create_task(run_worker(settings, ready, await _client(settings, server)))
    started = asyncio.create_task(ready.wait())
    keeper = asyncio.create_task(_keep_running(session, server))
    try:
        await asyncio.wait({worker, started, keeper}, return_when=asyncio.FIRST_COMPLETED)
        if ready.is_set():
            _announce(session, server)
        done, _ = await asyncio.wait({worker, keeper}, return_when=asyncio.FIRST_COMPLETED)
        for ended in done:
            ended.result()
    finally:
        for task in (worker, started, keeper):
            task.cancel()
        await asyncio.gather(worker, started, keeper, return_exceptions=True)


async def _client(settings: Settings, server: EmbeddedServer) -> "JobClient":
    """To this very server, whatever TEMPORAL_ADDRESS or a profile say."""
    from temporalio.client import Client

    from activities.payloads import data_converter
    from activities.store import open_store
    from phasegate.client import JobClient
    from phasegate.logs import temporal_runtime

    store = open_store(settings.store)
    client = await Client.connect(
        server.address,
        namespace=server.options.namespace,
        data_converter=data_converter(store),
        runtime=temporal_runtime(),
    )
    return JobClient(client, store, settings.task_queue)


async def _keep_running(session: Session, server: EmbeddedServer) -> None:
    """Start a server that died again, on its port and database: worker and clients find it by themselves.

    Raises ServerError when it does not start, or dies again and again.
    """
    for _ in range(_RESTARTS):
        while server.running:
            await asyncio.sleep(_LOOK_SECONDS)
        session.err.print("the Temporal server stopped by itself; it is started again and jobs go on")
        await server.start()
        server.record().write(session.settings.state_dir)
    raise ServerError(f"The Temporal server stopped {_RESTARTS} times; its log is {server.log_file}.")


def _announce(session: Session, server: EmbeddedServer) -> None:
    settings = session.settings
    if session.as_json:
        write_json(
            {
                "address": server.address,
                "ui": server.ui_url,
                "database": str(server.options.database),
                "store": settings.store,
                "task_queue": settings.task_queue,
                "pid": os.getpid(),
            },
            lines=True,
        )
        return
    lines = [
        ("Temporal server", server.address),
        ("its own page", server.ui_url or "off"),
        ("data", str(settings.state_dir)),
        ("task queue", settings.task_queue),
    ]
    for name, value in lines:
        session.out.print(Text.assemble((f"{name:<16}", "dim"), value), soft_wrap=True)
    session.out.print("server and worker are ready; Ctrl-C stops both, jobs are kept")
    session.out.print('next, in another terminal: phasegate plan --repo PATH "the task"', soft_wrap=True)
    elsewhere = os.environ.get("TEMPORAL_ADDRESS", "")
    if elsewhere and elsewhere != server.address:
        session.err.print(
            f"TEMPORAL_ADDRESS is {elsewhere}: commands talk to that server until it is unset",
            soft_wrap=True,
        )
    elif server.address != f"{HOST}:{USUAL_PORT}":
        session.err.print(
            f"for the plain temporal program: export TEMPORAL_ADDRESS={server.address}", soft_wrap=True
        )


def _if_free(port: int) -> int:
    """The port, or 0 for any other when something listens there."""
    with socket.socket() as probe:
        # as the server does, so that connections of a server that has just stopped do not count
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return 0
    return port


@contextlib.contextmanager
def _only_one(state_dir: Path) -> Iterator[None]:
    """Hold the folder's lock for as long as this process lives. Raises DevRuns."""
    state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (state_dir / "dev.lock").open("a+b") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            record = DevRecord.read(state_dir)
            where = f" at {record.address} (process {record.owner})" if record else ""
            raise DevRuns(
                f"a phasegate dev runs already{where}; use that one, or stop it with Ctrl-C first"
            ) from None
        yield
