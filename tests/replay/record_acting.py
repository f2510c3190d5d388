"""Record histories of jobs in mode Act: `python -m tests.replay.record_acting [NAME ...]`."""

import asyncio
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from temporalio.client import Client, WorkflowHandle

from activities.payloads import data_converter
from activities.store import open_store
from phasegate.logs import configure_logs
from phasegate.server import EmbeddedServer
from phasegate.server_options import ServerOptions
from states.act import ActEnd
from states.artifacts.plan import ExactEdit, FileChange, FileChangeKind, PlanStep, StepType
from states.view import JobView
from states.words import HoldKind, Mode, State
from tests.e2e.acting_stage import WITHOUT_PEOPLE, acting_parts
from tests.e2e.executions import a_step, repository
from tests.e2e.held_activities import HeldActivities
from tests.replay.record import HISTORIES, QUEUE, keep
from tests.replay.waiting import until
from worker import build_worker
from workflows.attributes import REGISTERED
from workflows.planning import PlanningWorkflow

Handle = WorkflowHandle[Any, Any]
FILES = {"app.py": "def add(a, b):\n    return a - b\n"}
FIX = FileChange(path="app.py", kind=FileChangeKind.MODIFY, edits=(ExactEdit(old="a - b", new="a + b"),))
MEND = a_step("fix", type=StepType.FILE_OPERATION, files=(FIX,))


@dataclass
class Acted:
    """One way that an execution goes."""

    story: Callable[[Handle], Coroutine[Any, Any, None]]
    steps: tuple[PlanStep, ...]
    server: dict[str, object] = field(default_factory=dict)
    held: str = ""
    """an activity that waits"""
    then: Callable[[Client, str], Awaitable[None]] | None = None
    """what is done meanwhile; it goes on a moment later"""


def carried_out(view: JobView) -> bool:
    """Whether the plan has been carried out."""
    return view.mode is Mode.NORMAL and view.state is State.VERIFIED


async def to_the_end(handle: Handle) -> None:
    """Nothing comes between."""
    await until(handle, carried_out)


async def paused(handle: Handle) -> None:
    """Pause in the middle of a command, and go on."""
    await until(handle, lambda v: bool(v.act and v.act.last.progress and v.act.last.progress.completed_steps))
    await asyncio.sleep(0.5)
    await handle.signal("pause", "lunch")
    await until(handle, lambda v: bool(v.mode is Mode.PAUSED and v.act and not v.act.running))
    await handle.signal("resume")
    await to_the_end(handle)


async def asked(handle: Handle) -> None:
    """One command is allowed, one refused; then it is rolled back, and the job ends."""
    await until(handle, lambda v: v.gate is not None)
    await handle.signal("approve", {"gate": "operator-1", "by": "ann"})
    await until(handle, lambda v: bool(v.gate and v.gate.id == "operator-2"))
    await handle.signal("revise", {"feedback": "no", "by": "ann"})
    await until(handle, lambda v: bool(v.hold and v.hold.kind is HoldKind.FAILURE))
    await handle.signal("rollback", "1")
    await until(handle, lambda v: bool(v.act and v.act.last.end is ActEnd.ROLLED_BACK))
    await handle.signal("cancel")
    await handle.result()


async def replanned(handle: Handle) -> None:
    """It fails, and is planned anew while it is tried again."""
    await until(handle, lambda v: bool(v.hold))
    await handle.signal("resume")
    await until(handle, lambda v: v.mode is Mode.ACT)
    await handle.signal("restart_from", "VALIDATION")
    await until(handle, lambda v: bool(v.act and v.act.id.endswith("act-2") and v.hold))


async def asked_beside(handle: Handle) -> None:
    """One command is allowed while a step takes its time, the other one when nothing goes on any more."""
    await until(handle, lambda v: bool(v.gate and v.act and v.act.running))
    await handle.signal("approve", {"gate": "operator-1", "by": "ann"})
    await until(handle, lambda v: bool(v.gate and v.gate.id == "operator-2" and v.act and v.act.running))
    await until(handle, lambda v: bool(v.act and not v.act.running))
    await handle.signal("approve", {"gate": "operator-2", "by": "ann"})
    await to_the_end(handle)


async def asked_and_paused(handle: Handle) -> None:
    """A pause while a step asks and another one runs; it is answered while all stands still."""
    await until(handle, lambda v: bool(v.gate and v.act and v.act.running))
    await handle.signal("pause", "lunch")
    await until(handle, lambda v: bool(v.mode is Mode.PAUSED and v.act and not v.act.running))
    await handle.signal("approve", {"gate": "operator-1", "by": "ann"})
    await handle.signal("resume")
    await to_the_end(handle)


async def asked_and_resumed(handle: Handle) -> None:
    """As before, but it is answered when both go on: the new run finds a step that waits."""
    await until(handle, lambda v: bool(v.gate and v.act and v.act.running))
    await handle.signal("pause", "lunch")
    await until(handle, lambda v: bool(v.mode is Mode.PAUSED and v.act and not v.act.running))
    await handle.signal("resume")
    await until(handle, lambda v: bool(v.act and v.act.running))
    await asyncio.sleep(1)
    await handle.signal("approve", {"gate": "operator-1", "by": "ann"})
    await to_the_end(handle)


async def asked_at_rest(handle: Handle) -> None:
    """Two ask and nothing else goes on: what is allowed first runs while the other one is refused."""
    await until(handle, lambda v: bool(v.gate and v.act and not v.act.running))
    await handle.signal("approve", {"gate": "operator-1", "by": "ann"})
    await until(handle, lambda v: bool(v.gate and v.gate.id == "operator-2"))
    await handle.signal("revise", {"feedback": "no", "by": "ann"})
    await until(handle, lambda v: bool(v.hold and v.hold.kind is HoldKind.FAILURE))


async def cancelled(handle: Handle) -> None:
    """Cancelled in Temporal in the middle of a command."""
    await until(handle, lambda v: bool(v.act and v.act.last.progress and v.act.last.progress.completed_steps))
    await asyncio.sleep(0.5)
    await handle.cancel()
    await handle.result()


async def rolled_back_at_once(handle: Handle) -> None:
    """A rollback and a resume in the middle of a command, as close as they come."""
    await until(handle, lambda v: bool(v.act and v.act.last.progress and v.act.last.progress.completed_steps))
    await asyncio.gather(handle.signal("rollback"), handle.signal("resume"))
    await to_the_end(handle)


async def pause_and_stop(handle: Handle) -> None:
    """A pause in the middle of a command; then the job ends."""
    await until(handle, lambda v: bool(v.act and v.act.last.progress and v.act.last.progress.completed_steps))
    await handle.signal("pause", "lunch")
    await handle.result()


async def cancel_job(client: Client, job: str) -> None:
    """In Temporal."""
    await client.get_workflow_handle(job).cancel()


async def cancel_execution(client: Client, job: str) -> None:
    """In Temporal, and the job hears nothing of it."""
    await client.get_workflow_handle(f"{job}.act-1").cancel()


CHAIN = tuple(a_step(str(n), *([str(n - 1)] if n else []), command="true") for n in range(8))
ASKS = (a_step("1", command="python3 -c 'print(1)'"), a_step("2", command="python3 -c 'print(2)'"))
ACTED: dict[str, Acted] = {
    "act": Acted(
        to_the_end,
        (
            MEND,
            *(a_step(name, command=f"touch {name}") for name in "abc"),
            a_step("last", *"abc", command="ls"),
        ),
    ),
    "act_paused": Acted(paused, (MEND, a_step("long", "fix", command="sleep 2"))),
    "act_asked": Acted(
        asked, (a_step("1", command="python3 -c 'print(1)'"), a_step("2", command="rm -rf build"))
    ),
    "act_asked_beside": Acted(asked_beside, (MEND, *ASKS, a_step("long", "fix", command="sleep 2"))),
    "act_asked_and_paused": Acted(asked_and_paused, (ASKS[0], a_step("long", command="sleep 2"))),
    "act_asked_and_resumed": Acted(asked_and_resumed, (ASKS[0], a_step("long", command="sleep 4"))),
    "act_asked_at_rest": Acted(asked_at_rest, ASKS),
    "act_replanned": Acted(
        replanned, (a_step("1", command="exit 7", retries=1), a_step("2", "1", command="ls"))
    ),
    "act_long": Acted(
        to_the_end,
        CHAIN,
        server={"limit.historyCount.suggestContinueAsNew": 40},
    ),
    "act_long_beside": Acted(
        to_the_end,
        (*CHAIN, a_step("long", command="sleep 4")),
        server={"limit.historyCount.suggestContinueAsNew": 40},
    ),
    "act_cancelled": Acted(cancelled, (MEND, a_step("long", "fix", command="sleep 600"))),
    "act_cancelled_as_it_stops": Acted(
        pause_and_stop,
        (MEND, a_step("long", "fix", command="sleep 600")),
        held="keep_execution",
        then=cancel_job,
    ),
    "act_cancelled_as_it_ends": Acted(to_the_end, (MEND,), held="summarise_execution", then=cancel_execution),
    "act_rolled_back_at_once": Acted(rolled_back_at_once, (MEND, a_step("long", "fix", command="sleep 3"))),
}


async def record(name: str, acted: Acted, server: EmbeddedServer, home: Path) -> None:
    """Play it, and keep the histories of the job and of its executions."""
    store = open_store(str(home / "store"))
    held = HeldActivities(*filter(None, [acted.held]))
    client = await Client.connect(server.address, data_converter=data_converter(store), interceptors=[held])
    settings, parts = acting_parts(home, store, QUEUE, *acted.steps)
    project = repository(home / "project", FILES)
    spec = {"task": "Act", "repository": str(project), "act": True, "policy": WITHOUT_PEOPLE}
    spec["commands"] = {"allow": ["touch *"]}
    job = f"replay-{name}"
    async with build_worker(client, settings, *parts):
        handle = await client.start_workflow(PlanningWorkflow.run, spec, id=job, task_queue=QUEUE)
        async with asyncio.TaskGroup() as at_once:
            at_once.create_task(acted.story(client.get_workflow_handle(job)))
            if acted.then:
                await held.reached(acted.held)
                await acted.then(client, job)
                await asyncio.sleep(1)
                held.release(acted.held)
        await keep(client, name, job, handle.first_execution_run_id)
        number = 0
        async for seen in client.list_workflows("WorkflowType = 'ExecutionWorkflow'"):
            described = await client.get_workflow_handle(seen.id, run_id=seen.run_id).describe()
            if described.raw_description.workflow_execution_info.first_run_id == seen.run_id:
                number += 1
                await keep(client, f"{name}.execution-{number}", seen.id, seen.run_id)


async def main(names: list[str]) -> None:
    """Record all, or only the named ones."""
    configure_logs("error")
    for name, acted in ACTED.items():
        if names and name not in names:
            continue
        for old in HISTORIES.glob(f"{name}.*json"):
            old.unlink()
        options = ServerOptions(search_attributes=REGISTERED, dynamic_config=acted.server)
        # The same folder each time: histories name the worktree.
        home = Path(tempfile.gettempdir()) / "phasegate-replay"
        shutil.rmtree(home, ignore_errors=True)
        async with EmbeddedServer(options) as server:
            await record(name, acted, server, home)
        shutil.rmtree(home)
        print(name)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
