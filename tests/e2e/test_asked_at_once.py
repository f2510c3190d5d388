"""Steps that wait for a person are asked about at once, and answered at once, while other steps go on."""

import asyncio
from pathlib import Path

import pytest

from phasegate.problems import RefusedByJob
from states.artifacts.plan import ExactEdit, FileChange, FileChangeKind, StepType
from states.execution import ExecutionStatus
from states.words import HoldKind, Message, Mode
from tests.activities.conftest import git
from tests.e2e.acting_stage import acting_stage
from tests.e2e.asked_stage import ASKS, approve, asked, asking, sleeper, steps
from tests.e2e.executions import a_step, repository
from tests.e2e.slow_reports import SlowReports
from tests.e2e.stage import until

FILES = {"app.py": "def add(a, b):\n    return a - b\n", "long.sh": "sleep 5\necho long > long.txt\n"}
FIX = FileChange(path="app.py", kind=FileChangeKind.MODIFY, edits=(ExactEdit(old="a - b", new="a + b"),))


async def test_what_is_allowed_runs_and_ends_before_what_takes_long(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "project", FILES)
    behind = a_step("behind", "asks", command="ls asked.txt")
    async with acting_stage(address, tmp_path, project, sleeper(8), asking("asks"), behind) as stage:
        job = await stage.act()
        await steps(stage, job, long="in_progress")
        gate = await asked(stage, job, "operator-1", long="in_progress", asks="waiting")
        assert gate.asks == ASKS

        async def found() -> int:
            query = f"WorkflowId = '{job}' AND PhasegateAwaiting = 'operator'"
            return (await stage.temporal.count_workflows(query)).count

        await until(found, lambda count: count == 1)
        await approve(stage, job, gate)
        now = await steps(stage, job, behind="completed")
        assert now == {"long": "in_progress", "asks": "completed", "behind": "completed"}
        done = await stage.until(job, lambda v: v.mode is Mode.NORMAL)
        assert done.act
        assert done.act.status is ExecutionStatus.COMPLETED
        assert (await stage.record(job)).gates_closed["operator-1"] == "allowed by ann"
        ends = {line.id: line.seconds for line in done.act.last.steps}
        assert ends["asks"]
        assert ends["long"]
        assert ends["asks"] < ends["long"]


async def test_what_is_refused_fails_while_what_takes_long_goes_on(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "project", FILES)
    behind = a_step("behind", "asks", command="ls")
    async with acting_stage(address, tmp_path, project, asking("asks"), behind, sleeper(6)) as stage:
        job = await stage.act()
        await steps(stage, job, long="in_progress")
        gate = await asked(stage, job, "operator-1", long="in_progress")
        await stage.cli.signal(job, "revise", {"feedback": "not here", "by": "ann", "gate": gate.id})
        now = await steps(stage, job, behind="skipped")
        assert now == {"asks": "failed", "behind": "skipped", "long": "in_progress"}
        failed = await stage.until(job, lambda v: v.hold and v.hold.kind is HoldKind.FAILURE)
        assert failed.act
        assert failed.act.last.errors == ("ann refused: not here",)
        assert {line.id: line.status for line in failed.act.last.steps} == {**now, "long": "completed"}


async def test_two_that_wait_are_asked_about_in_the_order_of_the_plan(address: str, tmp_path: Path) -> None:
    """With a quorum and `require_digest`; what is sent too early or too late is refused."""
    project = repository(tmp_path / "project", FILES)
    plan = (asking("one"), sleeper(8), asking("two", command="make install"))
    async with acting_stage(address, tmp_path, project, *plan) as stage:
        job = await stage.act(policy={"approvals": 2, "require_digest": True})
        await steps(stage, job, one="waiting", two="waiting", long="in_progress")
        one = await asked(stage, job, "operator-1")
        assert one.step == "one"
        for wrong, why in (
            ({"gate": "operator-2", "digest": one.digest}, "stale: the open gate is operator-1"),
            ({"gate": "operator-1"}, "require_digest"),
        ):
            with pytest.raises(RefusedByJob, match=why):
                await stage.jobs.send(job, Message.APPROVE, {**wrong, "by": "ann"})
        await approve(stage, job, one, "ann")
        await asyncio.sleep(0.3)
        assert (await stage.gate(job, "operator-1")).decisions[0].by == "ann"
        await approve(stage, job, one, "bob")
        two = await asked(stage, job, "operator-2", long="in_progress")
        assert (two.step, two.asks) == ("two", "make install")
        await steps(stage, job, one="completed", two="waiting", long="in_progress")
        with pytest.raises(RefusedByJob, match="stale: gate operator-1 is closed"):
            await stage.jobs.send(job, Message.APPROVE, {"gate": "operator-1", "digest": one.digest})
        await stage.jobs.send(job, Message.REVISE, {"feedback": "no", "digest": two.digest, "by": "ann"})
        await steps(stage, job, one="completed", two="failed", long="in_progress")


async def test_one_answer_is_enough_where_nothing_else_goes_on(address: str, tmp_path: Path) -> None:
    """Both wait and the execution rests; what is allowed takes its time while the other is asked about."""
    project = repository(tmp_path / "project", FILES)
    slow = asking("slow", command="python3 -c '__import__(\"time\").sleep(5)'")
    async with acting_stage(address, tmp_path, project, slow, asking("asks")) as stage:
        job = await stage.act()
        await stage.until(job, lambda v: v.act and v.act.last.end == "waiting" and not v.act.running)
        await approve(stage, job, await stage.gate(job, "operator-1"))
        await steps(stage, job, slow="in_progress")
        await approve(stage, job, await asked(stage, job, "operator-2", slow="in_progress"))
        await steps(stage, job, slow="in_progress", asks="completed")
        done = await stage.until(job, lambda v: v.mode is Mode.NORMAL)
        assert done.act
        assert done.act.status is ExecutionStatus.COMPLETED


async def test_what_began_alone_and_what_joins_it_are_both_on_the_branch(
    address: str, tmp_path: Path
) -> None:
    project = repository(tmp_path / "project", FILES)
    plan = (
        asking("asks"),
        a_step("fix", type=StepType.FILE_OPERATION, files=(FIX,)),
        a_step("long", "fix", command="sh long.sh"),
    )
    async with acting_stage(address, tmp_path, project, *plan) as stage:
        job = await stage.act(commands={"allow": ["sh *"]})
        await steps(stage, job, fix="completed", long="in_progress")
        await approve(stage, job, await asked(stage, job, "operator-1", long="in_progress"))
        await steps(stage, job, asks="completed", long="in_progress")
        done = await stage.until(job, lambda v: v.mode is Mode.NORMAL)
        assert done.act
        tree = Path(done.act.last.path)
        assert {"asked.txt", "long.txt"} <= {path.name for path in tree.iterdir()}
        log = git(tree, "log", "--format=%s", done.act.branch).splitlines()
        assert sorted(log) == ["first", "step asks: Step asks", "step fix: Step fix", "step long: Step long"]
        assert git(tree, "status", "--porcelain") == ""


async def test_a_person_writes_code_while_tests_run(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "project", FILES)
    plan = (sleeper(8), a_step("code", type=StepType.CODE_GENERATION), a_step("look", "code", command="ls"))
    async with acting_stage(address, tmp_path, project, *plan) as stage:
        job = await stage.act()
        await steps(stage, job, long="in_progress")
        gate = await asked(stage, job, "operator-1", long="in_progress")
        assert gate.by_hand
        await stage.cli.signal(job, "approve", {"by": "ann"})
        again = await asked(stage, job, "operator-2", long="in_progress")
        assert "nothing has been changed" in again.notes[0], "it is not done by saying so"
        place = Path(gate.asks.partition(" in ")[2].rpartition(", then")[0])
        (place / "app.py").write_text("def add(a, b):\n    return a + b\n")
        await stage.cli.signal(job, "approve", {"by": "ann"})
        await steps(stage, job, long="in_progress", code="completed", look="completed")
        done = await stage.until(job, lambda v: v.mode is Mode.NORMAL)
        assert done.act
        assert "a + b" in (Path(done.act.last.path) / "app.py").read_text()


async def test_what_comes_to_wait_while_a_report_is_on_its_way_is_reported_too(
    address: str, tmp_path: Path
) -> None:
    project = repository(tmp_path / "project", FILES)
    plan = (a_step("first", command="true"), asking("asks", "first"), sleeper(8))
    async with acting_stage(address, tmp_path, project, *plan, interceptors=[SlowReports()]) as stage:
        job = await stage.act()
        await steps(stage, job, asks="waiting", long="in_progress")
        gate = await stage.gate(job, "operator-1")
        assert gate.step == "asks"
        assert (await steps(stage, job, asks="waiting"))["long"] == "in_progress"
