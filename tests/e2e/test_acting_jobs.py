"""Jobs in mode Act: carried out, paused, asked about, rolled back, planned anew, by plain signals."""

import asyncio
import time
from pathlib import Path
from typing import Any

from activities.orders import SHOWED
from states.act import ActEnd
from states.artifacts.plan import ExactEdit, FileChange, FileChangeKind, PlanStep, StepType
from states.execution import ExecutionStatus
from states.view import JobView
from states.words import Awaiting, HoldKind, Mode, Phase, State
from tests.activities.conftest import git
from tests.e2e.acting_stage import ActingStage, acting_stage
from tests.e2e.executions import a_step, repository

FILES = {"app.py": "def add(a, b):\n    return a - b\n"}
FIX = FileChange(path="app.py", kind=FileChangeKind.MODIFY, edits=(ExactEdit(old="a - b", new="a + b"),))


def fix(id: str = "fix", **fields: Any) -> PlanStep:
    """A step that mends the bug."""
    return a_step(id, type=StepType.FILE_OPERATION, files=(FIX,), **fields)


def acted(view: JobView) -> bool:
    """Whether the execution has come to rest."""
    return view.act is not None and not view.act.running and bool(view.act.last.steps)


async def at_rest(stage: ActingStage, job: str) -> JobView:
    """Wait until the execution rests."""
    return await stage.until(job, acted)


async def test_a_job_carries_its_plan_out_and_back_again(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "project", FILES)
    async with acting_stage(address, tmp_path, project, fix(), a_step("look", "fix", command="ls")) as stage:
        job = await stage.act()
        view = await at_rest(stage, job)
        assert (view.mode, view.state) == (Mode.NORMAL, State.VERIFIED)
        assert view.act
        assert view.act.status is ExecutionStatus.COMPLETED
        assert view.act.id == f"{job}.act-1"
        assert view.act.branch == f"phasegate/{job}"
        assert view.act.last.metrics.files_modified == 1
        assert view.act.last.patch
        assert (project / "app.py").read_text() == FILES["app.py"], "the user's checkout is never touched"
        tree = Path(view.act.last.path)
        assert "a + b" in (tree / "app.py").read_text()
        again = await stage.cli.run(
            "workflow", "update", "execute", "--workflow-id", job, "--name", "act", ok=False
        )
        assert "carried out already" in again.err
        await stage.cli.signal(job, "rollback")
        back = await stage.until(job, lambda v: v.act and v.act.last.end is ActEnd.ROLLED_BACK)
        assert back.mode is Mode.PAUSED
        assert back.hold
        assert back.hold.reason == "rolled back to the start; resume carries on from there"
        assert back.act
        assert back.act.last.sandbox == view.act.last.sandbox, "what confines commands is known behind it too"
        assert (tree / "app.py").read_text() == FILES["app.py"]
        await stage.cli.signal(job, "resume")
        done = await stage.until(job, lambda v: v.mode is Mode.NORMAL)
        assert done.act
        assert done.act.status is ExecutionStatus.COMPLETED
        assert "a + b" in (tree / "app.py").read_text()
        await stage.cli.signal(job, "restart_from", "IMPLEMENTATION_PLAN")
        second = await stage.until(job, lambda v: v.act and v.act.id.endswith("act-2") and acted(v))
        assert second.act
        assert second.act.branch == f"phasegate/{job}-2"


async def test_a_rollback_is_refused_where_others_have_moved_the_branch(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "project", FILES)
    async with acting_stage(address, tmp_path, project, fix()) as stage:
        job = await stage.act()
        view = await at_rest(stage, job)
        assert view.act
        tree = Path(view.act.last.path)
        git(tree, "commit", "-q", "--allow-empty", "-m", "mine")
        mine = git(tree, "rev-parse", "HEAD")
        await stage.cli.signal(job, "rollback")
        held = await stage.until(job, lambda v: v.hold and v.hold.reason.startswith("not rolled back"))
        assert held.hold
        assert "has been moved by other hands" in held.hold.reason
        assert git(tree, "rev-parse", view.act.branch) == mine
        assert "a + b" in (tree / "app.py").read_text()


async def test_a_job_that_closes_leaves_its_worktree_and_keeps_the_branch(
    address: str, tmp_path: Path
) -> None:
    project = repository(tmp_path / "project", FILES)
    async with acting_stage(address, tmp_path, project, fix()) as stage:
        job = await stage.act(policy={"keep_open_seconds": 1})
        await stage.temporal.get_workflow_handle(job).result()
        record = await stage.jobs.record(job)
        assert record.act
        tree = Path(record.act.last.path)
        assert not tree.exists()
        shown = git(tree.parent / "git", "show", f"{record.act.branch}:app.py")
        assert "a + b" in shown


async def test_pause_ends_what_runs_and_resume_goes_on(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "project", FILES)
    steps = (fix(), a_step("long", "fix", command="sleep 3"))
    async with acting_stage(address, tmp_path, project, *steps) as stage:
        job = await stage.act()
        await stage.until(
            job, lambda v: v.act and v.act.last.progress and v.act.last.progress.completed_steps
        )
        await asyncio.sleep(0.7)
        began = time.monotonic()
        await stage.cli.signal(job, "pause", "lunch")
        paused = await stage.until(job, lambda v: v.mode is Mode.PAUSED and acted(v))
        assert time.monotonic() - began < 4
        assert paused.act
        assert paused.act.status is ExecutionStatus.PAUSED
        assert [line.status for line in paused.act.last.steps] == ["completed", "pending"]
        refused = await stage.cli.run(
            "workflow", "update", "execute", "--workflow-id", job, "--name", "act", ok=False
        )
        assert "paused" in refused.err
        await stage.cli.signal(job, "resume")
        done = await stage.until(job, lambda v: v.mode is Mode.NORMAL)
        assert done.act
        assert done.act.status is ExecutionStatus.COMPLETED


async def test_an_operator_allows_or_refuses_exact_commands(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "project", FILES)
    steps = (
        a_step("1", command="python3 -c 'print(1)'"),
        a_step("2", command="rm -rf build"),
        a_step("3", command="ls"),
    )
    async with acting_stage(address, tmp_path, project, *steps) as stage:
        job = await stage.act()
        gate = await stage.gate(job, "operator-1")
        view = await stage.view(job)
        assert view.awaiting is Awaiting.OPERATOR
        assert gate.asks == "python3 -c 'print(1)'"
        stale = await stage.cli.run(
            *("workflow", "update", "execute", "--workflow-id", job, "--name", "approve"),
            *("--input", '{"digest": "0123456789ab"}'),
            ok=False,
        )
        assert "stale" in stale.err
        await stage.cli.signal(job, "approve", {"gate": gate.id, "digest": gate.digest[:12], "by": "ann"})
        second = await stage.gate(job, "operator-2")
        assert second.asks == "rm -rf build"
        await stage.cli.signal(job, "revise", {"feedback": "not on my machine", "by": "ann"})
        failed = await stage.until(job, lambda v: v.hold and v.hold.kind is HoldKind.FAILURE)
        assert failed.act
        assert {line.id: line.status for line in failed.act.last.steps} == {
            "1": "completed",
            "2": "failed",
            "3": "completed",
        }
        assert failed.act.last.errors == ("ann refused: not on my machine",)
        assert failed.hold
        assert "steps failed: 2" in failed.hold.reason


async def test_a_failed_execution_can_be_planned_anew_with_what_was_learnt(
    address: str, tmp_path: Path
) -> None:
    project = repository(tmp_path / "project", FILES)
    async with acting_stage(address, tmp_path, project, a_step("1", command="exit 7")) as stage:
        job = await stage.act()
        await stage.until(job, lambda v: v.hold)
        restart = {"phase": "CONTRACTS", "trigger": "implementation_failed", "by": "ann"}
        await stage.cli.signal(job, "restart_from", restart)
        record = await stage.recorded(job, lambda r: r.restarts)
        learnt = "step 1 (Step 1): command failed: exit status 7"
        assert record.restarts[0].learnt == (learnt,)
        await stage.recorded(job, lambda r: len(r.versions(Phase.IMPLEMENTATION_PLAN)) == 2)
        _, made = await stage.jobs.artifact(job, Phase.IMPLEMENTATION_PLAN)
        assert SHOWED + learnt in str(made.body), "the planner was told"


async def test_cancel_ends_the_execution_and_the_job(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "project", FILES)
    async with acting_stage(address, tmp_path, project, a_step("1", command="sleep 600")) as stage:
        job = await stage.act()
        await stage.until(job, lambda v: v.mode is Mode.ACT)
        await asyncio.sleep(1)
        began = time.monotonic()
        await stage.cli.signal(job, "cancel", "enough")
        result = await stage.temporal.get_workflow_handle(job).result()
        assert time.monotonic() - began < 5
        assert result["state"] == "cancelled"


async def test_code_that_a_person_writes(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "project", FILES)
    steps = (a_step("code", type=StepType.CODE_GENERATION), a_step("2", "code", command="ls"))
    async with acting_stage(address, tmp_path, project, *steps) as stage:
        job = await stage.act()
        gate = await stage.gate(job, "operator-1")
        assert gate.by_hand
        place = Path(gate.asks.partition(" in ")[2].rpartition(", then")[0])
        (place / "app.py").write_text("def add(a, b):\n    return a + b\n")
        await stage.cli.signal(job, "approve", {"by": "ann"})
        done = await stage.until(job, lambda v: v.mode is Mode.NORMAL)
        assert done.act
        assert "a + b" in (Path(done.act.last.path) / "app.py").read_text()
