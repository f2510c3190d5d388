"""What people say while a job acts is heard at once, whatever the execution is at in that moment."""

import asyncio
import time
from datetime import timedelta
from pathlib import Path

import pytest
from temporalio.api.enums.v1 import EventType

import workflows.patience as patience
from activities.desks.coding import SUBMIT_CHANGES
from activities.models.provider import LiteLlmProvider
from states.act import ActEnd
from states.artifacts.plan import StepType
from states.execution import ExecutionStatus
from states.ledger import EntryKind
from states.view import JobView
from states.words import HoldKind, Message, Mode, State
from tests.activities.conftest import git
from tests.e2e.acting_stage import ActingStage, acting_stage
from tests.e2e.asked_stage import approve, asking, sleeper, steps
from tests.e2e.executions import a_step, repository
from tests.e2e.held_activities import HeldActivities
from tests.e2e.slow_reports import SlowReports
from tests.e2e.whole_job import MODEL
from tests.model_server.script import Script
from tests.model_server.server import ModelServer
from workflows.acting import STILL_THERE

FILES = {"app.py": "def add(a, b):\n    return a - b\n"}
TOUCH = {"allow": ["touch *"]}
AT_ONCE = 8.0
"""seconds in which anything is heard on a busy machine; a job waits for 30 before it gives up"""


async def carried_out(stage: ActingStage, job: str) -> None:
    """Wait until all is done."""
    done = await stage.until(job, lambda v: v.mode is Mode.NORMAL)
    assert done.act
    assert done.act.status is ExecutionStatus.COMPLETED


async def test_a_pause_ends_what_makes_ready(address: str, tmp_path: Path) -> None:
    project, held = repository(tmp_path / "project", FILES), HeldActivities("prepare_execution")
    async with acting_stage(
        address, tmp_path, project, a_step("1", command="ls"), interceptors=[held]
    ) as stage:
        job = await stage.act()
        await held.reached("prepare_execution")
        began = time.monotonic()
        await stage.cli.signal(job, "pause", "lunch")
        paused = await stage.until(job, lambda v: v.hold and v.act and not v.act.running, 60)
        assert time.monotonic() - began < AT_ONCE
        assert paused.hold
        assert paused.hold.reason == "lunch"
        held.release("prepare_execution")
        await stage.cli.signal(job, "resume")
        await carried_out(stage, job)


async def test_cancelling_an_execution_ends_what_makes_ready(address: str, tmp_path: Path) -> None:
    project, held = repository(tmp_path / "project", FILES), HeldActivities("prepare_execution")
    async with acting_stage(
        address, tmp_path, project, a_step("1", command="ls"), interceptors=[held]
    ) as stage:
        job = await stage.act()
        await held.reached("prepare_execution")
        execution = stage.temporal.get_workflow_handle(f"{job}.act-1")
        await execution.cancel()
        await stage.until(job, lambda v: v.mode is Mode.PAUSED)
        wanted = EventType.EVENT_TYPE_ACTIVITY_TASK_CANCEL_REQUESTED
        assert wanted in [event.event_type async for event in execution.fetch_history_events()]
        held.release("prepare_execution")
        await stage.cli.signal(job, "resume")
        await carried_out(stage, job)


@pytest.mark.slow
async def test_a_rollback_is_not_taken_back_by_what_is_said_in_the_same_moment(
    address: str, tmp_path: Path
) -> None:
    project, held = repository(tmp_path / "project", FILES), HeldActivities()
    plan = (a_step("first", command="touch one"), sleeper(600, "first"), asking("asks", "first"))
    async with acting_stage(address, tmp_path, project, *plan, interceptors=[held]) as stage:
        job = await stage.act(commands=TOUCH)
        await steps(stage, job, long="in_progress")
        gate = await stage.gate(job, "operator-1")
        held.hold("save_manifest")
        await approve(stage, job, gate)
        await held.reached("save_manifest")
        # Both come while the job keeps what it knows, so that it hears of both at once.
        for name in ("rollback", "resume"):
            await stage.temporal.get_workflow_handle(job).signal(name, {"by": "ann"})
        held.release("save_manifest")
        record = await stage.recorded(job, lambda r: r.act and not r.act.undo)
        assert any(entry.what.endswith("rolled_back") for entry in record.ledger)
        assert record.mode is Mode.ACT, "and then it goes on"
        await steps(stage, job, first="completed", long="in_progress")


async def test_cancelling_the_job_in_temporal_books_what_was_done(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "project", FILES)
    plan = (a_step("first", command="touch one"), sleeper(600, "first"))
    async with acting_stage(address, tmp_path, project, *plan) as stage:
        job = await stage.act(commands=TOUCH)
        await steps(stage, job, first="completed", long="in_progress")
        began = time.monotonic()
        await stage.temporal.get_workflow_handle(job).cancel()
        await stage.temporal.get_workflow_handle(job).result()
        assert time.monotonic() - began < AT_ONCE
        record = await stage.jobs.record(job)
        assert record.state is State.CANCELLED
        assert record.act
        assert (record.act.status, record.act.running) == (ExecutionStatus.CANCELLED, False)
        assert [line.status for line in record.act.last.steps] == ["completed", "pending"]
        tree = Path(record.act.last.path)
        assert record.act.last.head == git(tree, "rev-parse", record.act.branch).strip()


async def test_cancelling_an_execution_in_temporal_pauses_its_job(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "project", FILES)
    async with acting_stage(address, tmp_path, project, sleeper(600)) as stage:
        job = await stage.act()
        await steps(stage, job, long="in_progress")
        began = time.monotonic()
        await stage.temporal.get_workflow_handle(f"{job}.act-1").cancel()
        paused = await stage.until(job, lambda v: v.mode is Mode.PAUSED)
        assert time.monotonic() - began < AT_ONCE
        assert paused.hold
        assert paused.hold.reason == "the execution was cancelled in Temporal; resume carries on"
        await stage.cli.signal(job, "resume")
        await steps(stage, job, long="in_progress")


async def test_a_rollback_while_the_job_leaves_keeps_it_open(address: str, tmp_path: Path) -> None:
    project, held = repository(tmp_path / "project", FILES), HeldActivities("leave_execution")
    step = a_step("1", command="touch one")
    async with acting_stage(address, tmp_path, project, step, interceptors=[held]) as stage:
        job = await stage.act(commands=TOUCH, policy={"keep_open_seconds": 1})
        await held.reached("leave_execution")
        ack = await stage.jobs.send(job, Message.ROLLBACK, {"by": "ann"})
        assert ack.note == "rolls back to the start"
        held.release("leave_execution")
        back = await stage.until(job, lambda v: v.act and v.act.last.end is ActEnd.ROLLED_BACK)
        assert back.mode is Mode.PAUSED
        assert back.act
        assert not (Path(back.act.last.path) / "one").exists()


@pytest.mark.slow
async def test_an_execution_that_took_too_long_to_stop_is_gone_on_with(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "EXECUTION_STOPS", timedelta(seconds=1))
    monkeypatch.setattr(patience, "STILL_STOPS", timedelta(seconds=1))
    project, held = repository(tmp_path / "project", FILES), HeldActivities("land_steps")
    plan = tuple(a_step(name, command=f"touch {name}") for name in "ab")
    async with acting_stage(address, tmp_path, project, *plan, interceptors=[held]) as stage:
        job = await stage.act(commands=TOUCH)
        await held.reached("land_steps")
        await stage.cli.signal(job, "pause", "lunch")
        silent = await stage.until(job, lambda v: v.act and not v.act.running)
        assert silent.hold
        assert silent.hold.reason == "the execution did not answer; resume goes on from what it last kept"
        await stage.cli.signal(job, "resume")
        held.release("land_steps")
        await carried_out(stage, job)
        told = [entry.what for entry in (await stage.record(job)).ledger if entry.kind is EntryKind.ACT]
        assert [what.rpartition(" ")[2] for what in told[1:]] == ["broken", "stopped", "completed"], (
            "what it says late counts"
        )


@pytest.mark.slow
async def test_an_execution_that_never_stops_is_named(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "EXECUTION_STOPS", timedelta(seconds=1))
    monkeypatch.setattr(patience, "STILL_STOPS", timedelta(seconds=1))
    monkeypatch.setattr(patience, "STOPS_AFTER_ALL", 2)
    project, held = repository(tmp_path / "project", FILES), HeldActivities("land_steps")
    plan = tuple(a_step(name, command=f"touch {name}") for name in "ab")
    async with acting_stage(address, tmp_path, project, *plan, interceptors=[held]) as stage:
        job = await stage.act(commands=TOUCH)
        await held.reached("land_steps")
        await stage.cli.signal(job, "pause", "lunch")
        await stage.until(job, lambda v: v.hold and v.hold.kind is HoldKind.FAILURE)
        await stage.cli.signal(job, "resume")
        await stage.until(job, lambda v: v.hold and v.hold.reason == STILL_THERE)
        held.release("land_steps")
        await stage.cli.signal(job, "resume")
        await carried_out(stage, job)


@pytest.mark.slow
async def test_a_pause_while_a_model_writes_begins_no_other_code(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, held, script = repository(tmp_path / "project", FILES), HeldActivities("run_tool"), Script()
    new = {"path": "sums.md", "kind": "create", "content": "# Sums\n"}
    script.when(tool=SUBMIT_CHANGES, first='"id":"one"').call(SUBMIT_CHANGES, {"files": [new]})
    script.when(tool=SUBMIT_CHANGES).call(SUBMIT_CHANGES, {"files": [{**new, "path": "more.md"}]})
    plan = tuple(a_step(name, type=StepType.CODE_GENERATION) for name in ("one", "two"))
    with ModelServer(script) as models:
        for name, value in models.environment.items():
            monkeypatch.setenv(name, value)
        await LiteLlmProvider().warm()
        async with acting_stage(address, tmp_path, project, *plan, interceptors=[held]) as stage:
            job = await stage.act(models={"code": MODEL})
            await held.reached("run_tool")
            await stage.jobs.send(job, Message.PAUSE, {"reason": "lunch", "by": "ann"})
            held.release("run_tool")
            await stage.until(job, lambda v: v.agents and v.agents[-1].end)
            await asyncio.sleep(1)
            record = await stage.record(job)
            assert [agent.id for agent in record.agents] == ["code-verified-1"]
            assert record.act
            assert not record.act.running
            assert record.act.written.keys() == {"one"}, "what was written is kept"
            await stage.jobs.send(job, Message.RESUME, {"by": "ann"})
            await carried_out(stage, job)
            assert len(models.answered()) == 2


@pytest.mark.slow
async def test_what_ends_while_a_report_is_on_its_way_is_told(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "project", FILES)
    plan = (sleeper(600), *(a_step(name, *needs, command="ls") for name, *needs in (("1",), ("2", "1"))))
    async with acting_stage(address, tmp_path, project, *plan, interceptors=[SlowReports()]) as stage:
        job = await stage.act()
        await steps(stage, job, **{"2": "completed"})

        def told(view: JobView) -> bool:
            progress = view.act.last.progress if view.act else None
            return progress is not None and progress.completed_steps == 2

        await stage.until(job, told, AT_ONCE)


@pytest.mark.slow
async def test_cancelling_the_job_in_temporal_lets_a_rollback_end(address: str, tmp_path: Path) -> None:
    project, held = repository(tmp_path / "project", FILES), HeldActivities()
    step = a_step("1", command="touch one")
    async with acting_stage(address, tmp_path, project, step, interceptors=[held]) as stage:
        job = await stage.act(commands=TOUCH)
        await carried_out(stage, job)
        held.hold("roll_back")
        await stage.jobs.send(job, Message.ROLLBACK, {"by": "ann"})
        await held.reached("roll_back")
        await stage.temporal.get_workflow_handle(job).cancel()
        await asyncio.sleep(0.5)
        held.release("roll_back")
        await stage.temporal.get_workflow_handle(job).result()
        record = await stage.jobs.record(job)
        assert record.state is State.CANCELLED
        assert record.act
        assert record.act.last.end is ActEnd.ROLLED_BACK
        tree = Path(record.act.last.path)
        assert not (tree / "one").exists()
        assert record.act.last.head == git(tree, "rev-parse", record.act.branch).strip()
