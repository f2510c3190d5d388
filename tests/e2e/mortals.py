"""A server on disk and workers, all real processes, to be killed. What is left at the end is ended by id."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar, Protocol

from temporalio.client import Client

from activities.payloads import data_converter
from activities.store import Store, open_store
from phasegate.client import JobClient
from phasegate.problems import NoServer, NoWorker
from phasegate.server import EmbeddedServer
from phasegate.server_options import ServerOptions
from states.record import JobRecord
from states.view import JobView
from states.words import Awaiting, State
from tests.e2e.stage import until
from tests.e2e.temporal_cli import TemporalCli
from workflows.attributes import REGISTERED

QUEUE = "mortal"
ROOT = Path(__file__).parents[2]


class Worker(Protocol):
    """A worker process, as far as it takes to kill it."""

    @property
    def pid(self) -> int:
        """Its id."""

    def poll(self) -> int | None:
        """Its exit code; None while it lives."""

    def kill(self) -> None:
        """SIGKILL."""

    def wait(self) -> int:
        """Wait until it is gone."""


class Mortals:
    """One server and at most one worker, with a folder for what outlives them."""

    program: ClassVar[str] = "tests.e2e.slow_worker"
    """the module that the worker's process runs"""

    def __init__(self, home: Path, kind: str) -> None:
        self.home = home
        self.kind = kind
        self.server = EmbeddedServer(
            ServerOptions(database=home / "temporal.db", search_attributes=REGISTERED)
        )
        self._client: JobClient | None = None
        self.worker: Worker | None = None
        self.store: Store = open_store(str(home / "store"))

    @property
    def cli(self) -> TemporalCli:
        """The `temporal` program, for this server."""
        return TemporalCli(self.server.address, QUEUE)

    async def client(self) -> JobClient:
        """The connection of a person, made at the first call; it finds the server again after its death."""
        if self._client is None:
            try:
                client = await Client.connect(self.server.address, data_converter=data_converter(self.store))
            except RuntimeError as reset:
                # As `JobClient.connect` has it.
                raise NoServer(str(reset)) from None
            self._client = JobClient(client, self.store, QUEUE)
        return self._client

    async def start_worker(self) -> None:
        """A new worker process; returns when it takes tasks."""
        with (self.home / "worker.log").open("ab") as log:
            self.worker = subprocess.Popen(
                [sys.executable, "-m", self.program, str(self.home), self.kind],
                cwd=ROOT,
                env={
                    **os.environ,
                    "TEMPORAL_ADDRESS": self.server.address,
                    "PHASEGATE_STATE_DIR": str(self.home),
                    "PHASEGATE_TASK_QUEUE": QUEUE,
                    "PHASEGATE_DRAIN_SECONDS": "0",
                },
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        ready = self.home / f"worker-{self.worker.pid}.ready"
        await until(lambda: self._alive(ready), lambda there: there)

    async def _alive(self, ready: Path) -> bool:
        assert self.worker
        assert self.worker.poll() is None, (self.home / "worker.log").read_text()[-2_000:]
        return ready.exists()

    def kill_worker(self) -> None:
        """SIGKILL."""
        if self.worker:
            self.worker.kill()
            self.worker.wait()
            self.worker = None

    async def kill_and_replace(self, victims: str) -> None:
        """SIGKILL the worker, the server or both, then start new ones on what is on disk."""
        if victims in ("worker", "both"):
            self.kill_worker()
        if victims in ("server", "both"):
            self.server.kill()
            await self.server.start()
        if self.worker is None:
            await self.start_worker()

    # --- where work stops ---------------------------------------------------------------------------------

    def hold(self, place: str) -> None:
        """Make `place` (`<phase>-work`, `<phase>-review`) wait."""
        (self.home / f"{place}.hold").touch()

    def release(self, place: str) -> None:
        """Let it go on."""
        (self.home / f"{place}.hold").unlink()

    async def reached(self, place: str) -> None:
        """Wait until a worker is in the middle of `place`."""
        await self._laid(f"{place}.reached")

    async def passed(self, place: str) -> None:
        """Wait until a worker has gone on from there."""
        await self._laid(f"{place}.passed")

    async def _laid(self, name: str) -> None:
        async def there() -> bool:
            return (self.home / name).exists()

        await until(there, lambda there: there)

    # --- the job ------------------------------------------------------------------------------------------

    async def view(self, job: str) -> JobView | None:
        """The job as its worker sees it; None while nobody answers, as after a kill."""
        try:
            return await (await self.client()).live_view(job)
        except (NoWorker, NoServer):
            return None

    async def next_stop(self, job: str, known: Sequence[State] = ()) -> JobView:
        """Wait until the job waits for a person, or is verified, in a state other than the known ones."""

        def stands(view: JobView | None) -> bool:
            if view is None or view.state in known:
                return False
            return view.awaiting is not Awaiting.NONE or view.state is State.VERIFIED

        view: JobView = await until(lambda: self.view(job), stands, seconds=60)
        return view

    async def record(self, job: str) -> JobRecord:
        """The whole record."""
        return await (await self.client()).record(job)


@asynccontextmanager
async def mortals(home: Path, kind: str = "scripted") -> AsyncIterator[Mortals]:
    """A server and a worker that are gone when this ends, whatever happened."""
    both = Mortals(home, kind)
    try:
        await both.server.start()
        await both.start_worker()
        yield both
    finally:
        both.kill_worker()
        both.server.kill()
