"""Executions whose history has become long: what people say is heard, and what waits is asked, at once."""

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import workflows.patience as patience
from phasegate.server import EmbeddedServer
from phasegate.server_options import ServerOptions
from states.artifacts.plan import PlanStep
from states.execution import StepStatus
from states.view import JobView
from tests.e2e.acting_stage import ActingStage, acting_stage
from tests.e2e.asked_stage import approve, asking, sleeper, statuses, steps
from tests.e2e.executions import a_step, repository
from tests.e2e.slow_reports import SlowReports
from tests.e2e.stage import until
from workflows.attributes import REGISTERED

AT_ONCE = 10.0
"""seconds in which anything is heard on a busy machine; a job waits for 30 before it gives up"""
LONG = 60
"""events"""


@pytest.fixture(scope="module")
async def impatient() -> AsyncIterator[str]:
    """The address of a server that soon finds a history long."""
    config = {"limit.historyCount.suggestContinueAsNew": LONG}
    async with EmbeddedServer(ServerOptions(search_attributes=REGISTERED, dynamic_config=config)) as server:
        yield server.address


def chain(count: int) -> tuple[PlanStep, ...]:
    """Short steps, one behind the other."""
    return tuple(a_step(str(n), *([str(n - 1)] if n else []), command="true") for n in range(count))


def project(home: Path) -> Path:
    """A repository with one file."""
    return repository(home / "project", {"a.txt": "a\n"})


async def paused(stage: ActingStage, job: str) -> JobView:
    """Pause, which is heard at once."""
    began = time.monotonic()
    await stage.temporal.get_workflow_handle(job).signal("pause", "lunch")
    found = await stage.until(job, lambda v: v.hold and v.act and not v.act.running, 60)
    assert time.monotonic() - began < AT_ONCE
    assert found.hold
    assert found.hold.reason == "lunch"
    return found


async def test_what_waits_is_asked_and_goes_on_beside_what_takes_long(impatient: str, tmp_path: Path) -> None:
    plan = (sleeper(600), *chain(10), asking("asks", "9"), a_step("behind", "asks", command="ls asked.txt"))
    async with acting_stage(impatient, tmp_path, project(tmp_path), *plan) as stage:
        job = await stage.act()
        gate = await stage.gate(job, "operator-1")
        execution = stage.temporal.get_workflow_handle(f"{job}.act-1")
        assert (await execution.describe()).history_length > LONG
        await approve(stage, job, gate)
        now = await steps(stage, job, behind="completed")
        assert now["long"] == "in_progress"
        await paused(stage, job)


async def test_a_pause_ends_what_a_history_that_is_too_long_waits_for(
    impatient: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "LONGEST", LONG)
    plan = (sleeper(600), *chain(12))
    async with acting_stage(impatient, tmp_path, project(tmp_path), *plan) as stage:
        job = await stage.act()

        async def waits() -> bool:
            now = await statuses(stage, job)
            return [name for name, status in now.items() if status == StepStatus.IN_PROGRESS] == ["long"]

        await steps(stage, job, **{"1": "completed"})
        await until(waits, bool)
        await paused(stage, job)
        assert (await statuses(stage, job))["11"] == "pending"


@pytest.mark.slow
async def test_a_pause_between_two_runs_is_heard(impatient: str, tmp_path: Path) -> None:
    plan = (*chain(20), sleeper(600, "19"))
    async with acting_stage(
        impatient, tmp_path, project(tmp_path), *plan, interceptors=[SlowReports()]
    ) as stage:
        job = await stage.act()

        async def between() -> bool:
            """What it says last is on its way, and then the next run begins."""
            now = (await statuses(stage, job)).values()
            return StepStatus.COMPLETED in now and StepStatus.IN_PROGRESS not in now

        await until(between, bool)
        await paused(stage, job)
