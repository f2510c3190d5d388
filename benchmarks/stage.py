"""What benchmarks run on: an embedded server with its database on disk, and workers as processes."""

import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

from temporalio.client import Client

from activities.payloads import data_converter
from activities.store import Store, open_store
from phasegate.server import EmbeddedServer
from phasegate.server_options import ServerOptions
from workflows.attributes import REGISTERED

ROOT = Path(__file__).parents[1]


def environment(**variables: str) -> dict[str, str]:
    """Of a measured process: nothing of this machine's settings, and bytecode as on a usual machine.

    Where it is forbidden, as in some containers, Python compiles all modules at each start, and a worker
    the workflow's module for each job.
    """
    mine = ("PHASEGATE_", "TEMPORAL_", "PYTHONDONTWRITEBYTECODE")
    return {**{name: value for name, value in os.environ.items() if not name.startswith(mine)}, **variables}


@dataclass(frozen=True)
class Stage:
    """A running server, a client of it, and the folder that holds database and store."""

    folder: Path
    server: EmbeddedServer
    client: Client

    @property
    def store(self) -> Store:
        """The store of every worker here."""
        return open_store(str(self.folder / "store"))

    @contextlib.asynccontextmanager
    async def worker(self, kind: str) -> AsyncIterator[int]:
        """A process as `benchmarks.worker_process` describes, on a queue named as its kind; gives its pid."""
        program = [sys.executable, "-m", "benchmarks.worker_process"]
        words = [kind, self.server.address, str(self.folder / "store")]
        with _stopping(
            subprocess.Popen(
                [*program, *words], cwd=ROOT, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        ) as process:
            assert process.stdout
            if not await asyncio.to_thread(process.stdout.readline):
                raise RuntimeError(f"the {kind} worker ended before it was ready")
            yield process.pid


@contextlib.asynccontextmanager
async def stage() -> AsyncIterator[Stage]:
    """Everything in a temporary folder that goes with it."""
    with tempfile.TemporaryDirectory(prefix="phasegate-bench-") as name:
        folder = Path(name)
        options = ServerOptions(database=folder / "temporal.db", search_attributes=REGISTERED)
        async with EmbeddedServer(options) as server:
            store = open_store(str(folder / "store"))
            client = await Client.connect(server.address, data_converter=data_converter(store))
            yield Stage(folder, server, client)


@contextlib.contextmanager
def _stopping(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """Whatever happens, the process is gone afterwards."""
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()
