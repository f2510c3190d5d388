"""A plan selected, carried out and taken back by plain signals; meanwhile the job is found by its mode."""

from pathlib import Path

from states.act import ActEnd
from states.words import Mode, State
from tests.e2e.acting_stage import ActingStage, acting_stage
from tests.e2e.executions import a_step, repository
from tests.e2e.stage import until


async def found(stage: ActingStage, job: str, mode: Mode) -> None:
    """Wait until the job is listed under a mode."""

    async def count() -> int:
        query = f"WorkflowId = '{job}' AND PhasegateMode = '{mode.value}'"
        return (await stage.temporal.count_workflows(query)).count

    await until(count, lambda count: count == 1)


async def test_select_act_and_rollback_by_plain_signals(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "project", {"app.py": "x = 1\n"})
    steps = (a_step("1", command="sleep 2"), a_step("2", "1", command="ls"))
    async with acting_stage(address, tmp_path, project, *steps) as stage:
        job = await stage.act(act=False, policy={"auto_select_best": False})
        await stage.until(job, lambda v: v.state is State.VERIFIED)
        await found(stage, job, Mode.PLAN)
        await stage.cli.signal(job, "select", "1")
        chosen = await stage.until(job, lambda v: v.selected)
        assert chosen.selected
        assert chosen.selected.option == "a"
        await stage.cli.signal(job, "act")
        await found(stage, job, Mode.ACT)
        await stage.until(job, lambda v: v.act and v.act.last.end is ActEnd.COMPLETED)
        await found(stage, job, Mode.NORMAL)
        await stage.cli.signal(job, "rollback")
        await stage.until(job, lambda v: v.act and v.act.last.end is ActEnd.ROLLED_BACK)
        await found(stage, job, Mode.PAUSED)
