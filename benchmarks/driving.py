"""Starting jobs of either kind, approving their gates, and seeing that they did. The same for all kinds."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from temporalio.api.enums.v1 import EventType
from temporalio.client import Client, WorkflowHandle

from benchmarks.bare import BareLocal, BareRegular
from workflows.planning import PlanningWorkflow

PLAN = [6, 3, 5, 1]
"""activities of a phasegate job before each of its gates and after the last, counted from its history"""
GATES = len(PLAN) - 1
SPEC = {"task": "measure", "repository": "none", "policy": {"keep_open_seconds": 0}}
STARTS: dict[str, tuple[Any, Any]] = {
    "phasegate": (PlanningWorkflow.run, SPEC),
    "regular": (BareRegular.run, PLAN),
    "local": (BareLocal.run, PLAN),
}

Handle = WorkflowHandle[Any, Any]


@dataclass
class Driven:
    """A started job. `moved` ends each time that the job may look different, until it has closed."""

    handle: Handle
    moved: AsyncIterator[None]

    async def until_open(self, gate: int) -> None:
        """Wait until gate number `gate` (from 1) waits for its approval, as a query tells."""
        async for _ in self.moved:
            if await self.handle.query("gates") >= gate:
                return
        raise RuntimeError(f"{self.handle.id} closed before its gate {gate}")


async def start(client: Client, kind: str, job: str) -> Driven:
    """Start a job on the queue of its kind."""
    run, given = STARTS[kind]
    handle = await client.start_workflow(run, given, id=job, task_queue=kind)
    return Driven(handle, moves(handle))


async def moves(handle: Handle) -> AsyncIterator[None]:
    """Once for each completed workflow task, as a person's screen follows a job: by a long poll."""
    async for event in handle.fetch_history_events(wait_new_event=True):
        if event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED:
            yield


async def carry_through(client: Client, kind: str, job: str) -> Handle:
    """One job from start to end, its three gates approved as soon as each is open."""
    driven = await start(client, kind, job)
    for gate in range(1, GATES + 1):
        await driven.until_open(gate)
        await driven.handle.signal("approve")
    await driven.handle.result()
    return driven.handle
