"""Workers of agents as processes to be killed, with a server on disk and a scripted model over HTTP.

They are forked from a process that has imported everything: litellm alone takes seconds, and each kill
needs a new worker.
"""

import multiprocessing
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from phasegate.bench_client import BenchClient
from tests.e2e.agent_worker import run
from tests.e2e.mortals import QUEUE, Mortals
from tests.e2e.stage import until
from tests.model_server.script import Script
from tests.model_server.server import ModelServer

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["tests.e2e.agent_worker", "tests.e2e.agent_preload"])


@dataclass(frozen=True)
class _Forked:
    """A process with the words of `subprocess.Popen`."""

    process: ForkServerProcess

    @property
    def pid(self) -> int:
        assert self.process.pid
        return self.process.pid

    def poll(self) -> int | None:
        return self.process.exitcode

    def kill(self) -> None:
        self.process.kill()

    def wait(self) -> int:
        self.process.join()
        assert self.process.exitcode is not None
        return self.process.exitcode


class AgentMortals(Mortals):
    """One Temporal server, at most one worker, and a model that outlives both."""

    def __init__(self, home: Path, models: ModelServer) -> None:
        super().__init__(home, "agents")
        self.models = models

    def main(self) -> Callable[[Path, Mapping[str, str]], None]:
        """What the worker's process runs."""
        return run

    async def start_worker(self) -> None:
        """A new worker process; returns when it takes tasks."""
        environment = {
            **self.models.environment,
            "TEMPORAL_ADDRESS": self.server.address,
            "PHASEGATE_STATE_DIR": str(self.home),
            "PHASEGATE_TASK_QUEUE": QUEUE,
            "PHASEGATE_DRAIN_SECONDS": "0",
        }
        process = _FORKS.Process(target=self.main(), args=(self.home, environment), daemon=True)
        process.start()
        self.worker = _Forked(process)
        ready = self.home / f"worker-{self.worker.pid}.ready"
        await until(lambda: self._alive(ready), lambda there: there)

    async def runs(self) -> BenchClient:
        """The client of CooperBench runs."""
        client = await self.client()
        return BenchClient(client.temporal, self.store, QUEUE)

    def asked(self) -> list[str]:
        """The model of every request so far."""
        return [request.json["model"] for request in tuple(self.models.requests)]

    def answered_slowly(self, model: str) -> float:
        """When, as `time.monotonic` tells it, a slow request of this model was answered; 0 if it never was.

        A worker that outlives the Temporal server keeps its call, and waits for the model.
        """
        slowly = (r.until for r in self.models.answered() if r.fault == "slow" and r.json["model"] == model)
        return max((until - time.time() + time.monotonic() for until in slowly), default=0.0)

    async def asked_slowly(self, model: str, number: int = 1) -> None:
        """Wait until the model server has so many requests of this model that it will not answer for long."""

        async def there() -> int:
            requests = tuple(self.models.requests)
            return sum(r.fault == "slow" and r.json["model"] == model for r in requests)

        await until(there, lambda there: there >= number)

    async def drafted(self, job: str, number: int) -> None:
        """Wait until so many options of a job are handed over."""

        async def there() -> int:
            found = (await self.record(job)).drafting
            return sum(draft.done for draft in found.drafts) if found else 0

        await until(there, lambda there: there == number)


@asynccontextmanager
async def agent_mortals(home: Path, script: Script) -> AsyncIterator[AgentMortals]:
    """All of them, gone when this ends, whatever happened."""
    with ModelServer(script) as models:
        all_ = AgentMortals(home, models)
        try:
            await all_.server.start()
            await all_.start_worker()
            yield all_
        finally:
            all_.kill_worker()
            all_.server.kill()
