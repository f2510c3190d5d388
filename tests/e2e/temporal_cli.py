"""The real `temporal` program, as somebody types it, for one server."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from phasegate.server_options import find_binary


@dataclass(frozen=True)
class Outcome:
    """What one command came to."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """What it printed, parsed."""
        return json.loads(self.out)


class TemporalCli:
    """Commands of the `temporal` program, each a process that has ended when the call returns."""

    def __init__(self, address: str, task_queue: str, namespace: str = "default") -> None:
        self.address = address
        self.task_queue = task_queue
        self.namespace = namespace

    async def run(self, *words: str, ok: bool = True) -> Outcome:
        """Run one command; with `ok` it must succeed."""
        process = await asyncio.create_subprocess_exec(
            str(find_binary()),
            *words,
            *("--address", self.address, "--namespace", self.namespace),
            *("--disable-config-file", "--disable-config-env"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(60):
                out, err = await process.communicate()
        except BaseException:
            process.kill()
            raise
        assert process.returncode is not None
        outcome = Outcome(process.returncode, out.decode(), err.decode())
        assert not ok or outcome.code == 0, outcome
        return outcome

    async def start(self, job: str, given: Any, *words: str) -> Outcome:
        """`temporal workflow start` with one JSON input."""
        return await self.start_raw(job, "--input", json.dumps(given), *words)

    async def start_raw(self, job: str, *words: str, ok: bool = True) -> Outcome:
        """`temporal workflow start` with whatever is given as input."""
        kind = ("--type", "PlanningWorkflow", "--task-queue", self.task_queue, "--workflow-id", job)
        return await self.run("workflow", "start", *kind, *words, ok=ok)

    async def signal(self, job: str, name: str, *inputs: Any) -> Outcome:
        """`temporal workflow signal` with JSON inputs."""
        return await self.signal_raw(job, name, *_inputs(inputs))

    async def signal_raw(self, job: str, name: str, *words: str) -> Outcome:
        """`temporal workflow signal` with words of one's own."""
        return await self.run("workflow", "signal", "--workflow-id", job, "--name", name, *words)

    async def update(
        self, job: str, name: str, *inputs: Any, update_id: str = "", ok: bool = True
    ) -> Outcome:
        """`temporal workflow update execute` with JSON inputs."""
        identity = ("--update-id", update_id) if update_id else ()
        words = ("--workflow-id", job, "--name", name, *identity, *_inputs(inputs), "--output", "json")
        return await self.run("workflow", "update", "execute", *words, ok=ok)

    async def query(self, job: str, name: str, *inputs: Any) -> Any:
        """`temporal workflow query`: the result, parsed. The program prints empty lists as null: left out."""
        words = ("--workflow-id", job, "--name", name, *_inputs(inputs), "--output", "json")
        [result] = (await self.run("workflow", "query", *words)).json()["queryResult"]
        return _without_nulls(result)

    async def describe(self, job: str) -> Any:
        """`temporal workflow describe`, parsed."""
        return (await self.run("workflow", "describe", "--workflow-id", job, "--output", "json")).json()

    async def ended(self, job: str) -> Any:
        """`temporal workflow result`: waits for the end; gives the closing event as JSON."""
        words = ("workflow", "result", "--workflow-id", job, "--output", "json")
        return (await self.run(*words, ok=False)).json()

    async def listed(self, query: str) -> list[str]:
        """Ids of the jobs that `temporal workflow list` finds."""
        found = await self.run("workflow", "list", "--query", query, "--output", "json")
        return [each["execution"]["workflowId"] for each in found.json() or []]


def _inputs(given: Sequence[Any]) -> list[str]:
    return [word for each in given for word in ("--input", json.dumps(each))]


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_nulls(v) for k, v in value.items() if v is not None}
    return [_without_nulls(v) for v in value] if isinstance(value, list) else value
