"""Jobs in mode Act that are told something while they are at it, and the words that they refuse with."""

import asyncio
from pathlib import Path

from phasegate.problems import RefusedByJob
from states.act import ActEnd
from states.execution import ExecutionStatus
from states.words import Message, Mode, State
from tests.e2e.acting_stage import ActingStage, acting_stage
from tests.e2e.executions import a_step, repository

FILES = {"app.py": "def add(a, b):\n    return a - b\n"}


async def refused(stage: ActingStage, job: str, message: Message) -> str:
    """The reason why a message is refused; fails when it is taken."""
    try:
        ack = await stage.jobs.send(job, message, {"by": "ann"})
    except RefusedByJob as why:
        return str(why)
    raise AssertionError(f"{message} was taken: {ack}")


async def test_a_rollback_stops_what_runs_and_then_goes_back(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "project", FILES)
    steps = (a_step("1", command="touch one"), a_step("2", "1", command="sleep 60"))
    commands = {"allow": ["touch *"]}
    async with acting_stage(address, tmp_path, project, *steps) as stage:
        job = await stage.act(commands=commands)
        await stage.until(
            job, lambda v: v.act and v.act.last.progress and v.act.last.progress.completed_steps
        )
        await asyncio.sleep(0.5)
        await stage.jobs.send(job, Message.ROLLBACK, {"by": "ann"})
        back = await stage.until(job, lambda v: v.act and v.act.last.end is ActEnd.ROLLED_BACK)
        assert back.act
        assert back.act.undo is None
        assert back.mode is Mode.PAUSED
        assert [line.status for line in back.act.last.steps] == ["pending", "pending"]
        assert not (Path(back.act.last.path) / "one").exists()


async def test_the_words_of_refusals(address: str, tmp_path: Path) -> None:
    """behaviours B, Execution."""
    project = repository(tmp_path / "project", FILES)
    async with acting_stage(address, tmp_path, project, a_step("1", command="sleep 60")) as stage:
        job = await stage.act()
        await stage.until(job, lambda v: v.act and v.act.running)
        assert await refused(stage, job, Message.RESUME) == "execution not paused"
        await stage.jobs.send(job, Message.PAUSE, {"by": "ann"})
        assert await refused(stage, job, Message.PAUSE) == "execution already paused"
        await stage.until(job, lambda v: v.act and not v.act.running)
        assert await refused(stage, job, Message.PAUSE) == "execution already paused"
        await stage.jobs.send(job, Message.CANCEL, {"by": "ann"})
        await stage.temporal.get_workflow_handle(job).result()
        view = await stage.jobs.view(job)
        assert view.act
        assert (view.state, view.act.status) == (State.CANCELLED, ExecutionStatus.CANCELLED)
        for message in (Message.PAUSE, Message.RESUME, Message.CANCEL):
            assert (await refused(stage, job, message)).startswith("execution cancelled")
