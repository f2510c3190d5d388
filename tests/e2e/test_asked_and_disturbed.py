"""What else may happen while a step is asked about and others run: nothing is lost or asked twice."""

import asyncio
from pathlib import Path

import pytest

from phasegate.problems import RefusedByJob
from phasegate.server import EmbeddedServer
from phasegate.server_options import ServerOptions
from states.act import ActEnd
from states.execution import ExecutionStatus
from states.ledger import EntryKind
from states.words import HoldKind, Message, Mode, Phase, State
from tests.e2e.acting_stage import ActingStage, acting_stage
from tests.e2e.asked_stage import approve, asked, asking, sleeper, steps
from tests.e2e.executions import a_step, repository
from tests.e2e.slow_reports import SlowReports
from tests.e2e.stage import until
from workflows.attributes import REGISTERED

FILES = {"app.py": "def add(a, b):\n    return a - b\n"}


async def begun(stage: ActingStage) -> str:
    """A job that is asked about while a step takes its time."""
    job = await stage.act()
    await steps(stage, job, long="in_progress")
    await asked(stage, job, "operator-1", long="in_progress", asks="waiting")
    return job


async def carried_out(stage: ActingStage, job: str, *gates: str) -> None:
    """Wait until all is done; these are the gates that there were, and how they ended."""
    done = await stage.until(job, lambda v: v.mode is Mode.NORMAL)
    assert done.act
    assert done.act.status is ExecutionStatus.COMPLETED
    closed = (await stage.record(job)).gates_closed
    assert tuple(closed.values()) == gates


@pytest.mark.parametrize("when", ["before the pause", "while it is paused", "after it"])
async def test_a_pause_keeps_the_gate_and_what_was_decided(address: str, tmp_path: Path, when: str) -> None:
    project = repository(tmp_path / "project", FILES)
    async with acting_stage(address, tmp_path, project, sleeper(4), asking("asks")) as stage:
        job = await begun(stage)
        gate = await stage.gate(job, "operator-1")
        if when == "before the pause":
            # Nobody knows which of the two comes first.
            await asyncio.gather(approve(stage, job, gate), stage.cli.signal(job, "pause", "lunch"))
        else:
            await stage.cli.signal(job, "pause", "lunch")
        paused = await stage.until(job, lambda v: v.mode is Mode.PAUSED and v.act and not v.act.running)
        assert paused.act
        assert paused.act.last.end is ActEnd.STOPPED
        if when == "while it is paused":
            assert paused.gate == gate
            await approve(stage, job, gate)
        await stage.cli.signal(job, "resume")
        await steps(stage, job, long="in_progress")
        if when == "after it":
            assert (await asked(stage, job, "operator-1", long="in_progress", asks="waiting")) == gate
            await approve(stage, job, gate)
        await steps(stage, job, long="in_progress", asks="completed")
        await carried_out(stage, job, "allowed by ann")


async def test_a_rollback_takes_the_question_back(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "project", FILES)
    plan = (a_step("first", command="ls"), sleeper(4, "first"), asking("asks", "first"))
    async with acting_stage(address, tmp_path, project, *plan) as stage:
        job = await begun(stage)
        gate = await stage.gate(job, "operator-1")
        await stage.jobs.send(job, Message.ROLLBACK, {"by": "ann"})
        back = await stage.until(job, lambda v: v.act and v.act.last.end is ActEnd.ROLLED_BACK)
        assert back.gate is None
        assert back.act
        assert {line.status for line in back.act.last.steps} == {"pending"}
        with pytest.raises(RefusedByJob, match="stale: gate operator-1 is closed, overtaken by a rollback"):
            await stage.jobs.send(job, Message.APPROVE, {"digest": gate.digest, "gate": gate.id})
        await stage.cli.signal(job, "resume")
        await steps(stage, job, long="in_progress")
        await approve(stage, job, await asked(stage, job, "operator-2", long="in_progress"))
        await carried_out(stage, job, "overtaken by a rollback by ann", "allowed by ann")


async def test_a_restart_and_a_cancellation_take_the_question_back(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "project", FILES)
    async with acting_stage(address, tmp_path, project, sleeper(600), asking("asks")) as stage:
        job = await begun(stage)
        await stage.jobs.send(job, Message.RESTART_FROM, {"phase": Phase.VALIDATION.value, "by": "ann"})
        again = await stage.until(job, lambda v: v.act and v.act.id.endswith("act-2") and v.gate)
        assert again.gate
        assert again.gate.id == "operator-2"
        assert again.gate.decisions == ()
        await stage.jobs.send(job, Message.CANCEL, {"by": "ann"})
        await stage.temporal.get_workflow_handle(job).result()
        closed = (await stage.jobs.record(job)).gates_closed
        assert list(closed.values()) == [
            "overtaken by a restart from VALIDATION",
            "the job was cancelled by ann",
        ]
        assert (await stage.jobs.view(job)).state is State.CANCELLED


async def test_an_answer_that_crosses_the_rest_counts_once(address: str, tmp_path: Path) -> None:
    """Before, while and after the execution comes to rest: it is always the same story."""
    project = repository(tmp_path / "project", FILES)
    async with acting_stage(address, tmp_path, project, asking("asks"), sleeper(2)) as stage:

        async def one(late: float, yes: bool) -> None:
            job = await stage.act()
            await steps(stage, job, long="in_progress")
            gate = await stage.gate(job, "operator-1")
            await asyncio.sleep(late)
            decision = Message.APPROVE if yes else Message.REVISE
            more = {} if yes else {"feedback": "no"}
            await stage.jobs.send(job, decision, {"digest": gate.digest, "by": "ann", **more})
            if yes:
                await carried_out(stage, job, "allowed by ann")
            else:
                await stage.until(job, lambda v: v.hold and v.hold.kind is HoldKind.FAILURE)
            record = await stage.record(job)
            assert record.act
            assert len(record.gates_closed) == 1
            lines = {line.id: line for line in record.act.last.steps}
            assert lines["long"].attempts == 1
            assert (lines["asks"].status, lines["asks"].error) == (
                ("completed", "") if yes else ("failed", "ann refused: no")
            )

        await asyncio.gather(*(one(1.4 + 0.15 * number, number % 2 == 0) for number in range(8)))


async def test_a_lost_execution_leaves_its_question_open(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "project", FILES)
    async with acting_stage(address, tmp_path, project, sleeper(3), asking("asks")) as stage:
        job = await begun(stage)
        gate = await stage.gate(job, "operator-1")
        await stage.temporal.get_workflow_handle(f"{job}.act-1").terminate()
        held = await stage.until(job, lambda v: v.hold and v.hold.kind is HoldKind.FAILURE)
        assert held.gate == gate
        await approve(stage, job, gate)
        await stage.cli.signal(job, "resume")
        await carried_out(stage, job, "allowed by ann")


async def test_what_is_no_report_and_no_answer_changes_nothing(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "project", FILES)
    async with acting_stage(address, tmp_path, project, sleeper(4), asking("asks")) as stage:
        job = await begun(stage)
        execution = stage.temporal.get_workflow_handle(f"{job}.act-1")
        other = {"ask": {"step": "asks", "asks": "python3 -c 1", "attempt": 1}}
        for given in ("x", {}, other, {"ask": {**other["ask"], "attempt": 7}}):
            await execution.signal("answer_step", given)
        for report in ("x", {"execution": "another", "asks": []}):
            await stage.temporal.get_workflow_handle(job).signal("execution_progress", report)
        await asyncio.sleep(0.5)
        await steps(stage, job, asks="waiting", long="in_progress")
        assert (await stage.gate(job, "operator-1")).step == "asks"
        refused = [entry for entry in (await stage.record(job)).ledger if entry.kind is EntryKind.REFUSED]
        assert not refused


async def run_of(stage: ActingStage, workflow: str) -> str:
    """The newest run of a workflow."""
    return (await stage.temporal.get_workflow_handle(workflow).describe()).run_id or ""


@pytest.mark.slow
async def test_both_continue_as_new(tmp_path: Path) -> None:
    """The execution, where what runs ends first, and the job at rest: gates and answers are carried."""
    project = repository(tmp_path / "project", FILES)
    many = [a_step(str(n), *([str(n - 1)] if n else []), command="sleep 0.2") for n in range(12)]
    plan = (asking("asks"), sleeper(3), *many, asking("last", "11", command="python3 -c 1"))
    config = {"limit.historyCount.suggestContinueAsNew": 60}
    async with (
        EmbeddedServer(ServerOptions(search_attributes=REGISTERED, dynamic_config=config)) as server,
        acting_stage(server.address, tmp_path, project, *plan) as stage,
    ):

        async def one(late: float) -> None:
            job = await stage.act()
            gate = await stage.gate(job, "operator-1")
            first = await run_of(stage, f"{job}.act-1")
            await asyncio.sleep(late)
            assert await stage.gate(job, "operator-1") == gate
            await approve(stage, job, gate)
            await steps(stage, job, asks="completed")
            second = await stage.gate(job, "operator-2")
            assert await run_of(stage, f"{job}.act-1") != first, "it went on in a new run"
            await stage.until(job, lambda v: v.act and not v.act.running)
            before = await run_of(stage, job)
            for number in range(30):
                await stage.temporal.get_workflow_handle(job).signal(f"garbage-{number}")
            await until(lambda: run_of(stage, job), lambda run: run != before)
            assert await stage.gate(job, "operator-2") == second
            await approve(stage, job, second)
            await carried_out(stage, job, "allowed by ann", "allowed by ann")

        await asyncio.gather(*(one(0.4 * number) for number in range(6)))


async def test_a_question_that_a_new_run_finds_is_asked(tmp_path: Path) -> None:
    """The execution continues as new between a step that comes to wait and the word of it."""
    project = repository(tmp_path / "project", FILES)
    config = {"limit.historyCount.suggestContinueAsNew": 60}

    async def one(address: str, before: int) -> None:
        chain = [a_step(str(n), *([str(n - 1)] if n else []), command="true") for n in range(before)]
        last = str(before - 1)
        plan = (*chain, asking("asks", last), a_step("next", last, command="true"), sleeper(8, "next"))
        home = tmp_path / str(before)
        async with acting_stage(address, home, project, *plan, interceptors=[SlowReports()]) as stage:
            job = await stage.act()
            await steps(stage, job, asks="waiting", long="in_progress")
            await stage.gate(job, "operator-1")
            assert (await steps(stage, job, asks="waiting"))["long"] == "in_progress"
            await stage.jobs.send(job, Message.CANCEL, {"by": "ann"})

    async with (
        EmbeddedServer(ServerOptions(search_attributes=REGISTERED, dynamic_config=config)) as server,
        # One that fails ends the others before their server goes.
        asyncio.TaskGroup() as all_of_them,
    ):
        for before in range(2, 8):
            all_of_them.create_task(one(server.address, before))
