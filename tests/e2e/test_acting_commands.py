"""A plan carried out from the command line: followed, asked about, taken home, taken back."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from states.artifacts.plan import ExactEdit, FileChange, FileChangeKind, PlanStep, StepType
from tests.activities.conftest import git
from tests.e2e.acted import Acted
from tests.e2e.acting_stage import WITHOUT_PEOPLE, acting_stage
from tests.e2e.executions import a_step, repository
from tests.e2e.stage import job_id

BUG = {
    "purse/__init__.py": "",
    "purse/money.py": "def add(a: int, b: int) -> int:\n    return a - b\n",
    "tests/test_money.py": "from purse.money import add\n\n\ndef test_add():\n    assert add(2, 2) == 4\n",
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
}
EDIT = FileChange(
    path="purse/money.py", kind=FileChangeKind.MODIFY, edits=(ExactEdit(old="a - b", new="a + b"),)
)
PYTEST = "python3 -m pytest -q --junitxml=report.xml"


def fix(*dependencies: str) -> PlanStep:
    """The step that mends the bug."""
    return a_step("fix", *dependencies, type=StepType.FILE_OPERATION, files=(EDIT,))


def pytest_in(folder: Path) -> int:
    """The exit code of the tests in a folder."""
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    return ran.returncode


async def planned(phasegate: Acted, project: Path, *more: str) -> str:
    """A verified job that has not been carried out."""
    job = job_id("acted")
    spec = {"task": "mend it", "repository": str(project), "policy": WITHOUT_PEOPLE}
    await phasegate.stage.cli.start(job, {**spec, **({"commands": {"allow": list(more)}} if more else {})})
    await phasegate.stage.until(job, lambda view: view.selected)
    return job


async def test_from_a_plan_to_a_green_branch_and_back(address: str, tmp_path: Path) -> None:
    """Red before, green after; the patch and the branch go home; a rollback brings the bug back."""
    project = repository(tmp_path / "purse", BUG)
    tested = a_step("test", "fix", type=StepType.TESTING, command=PYTEST, report="report.xml")
    async with acting_stage(address, tmp_path, project, fix(), tested) as stage:
        phasegate = Acted(stage)
        job = await planned(phasegate, project)
        assert pytest_in(project) == 1
        ran = await phasegate("act", job)
        assert ran.code == 0, ran
        assert "✓ fix" in ran.err
        assert "✓ test" in ran.err
        assert "1 passed" in ran.out, "what the tests say is counted"
        assert f"git -C {project} fetch" in ran.out
        assert f"gh pr create --head phasegate/{job}" in ran.out
        assert pytest_in(project) == 1, "the user's checkout is never touched"

        patch = await phasegate("export", job, "--patch", str(tmp_path / "fix.patch"))
        assert patch.code == 0, patch
        fetch = next(line.strip() for line in ran.out.splitlines() if " fetch " in line)
        subprocess.run(fetch, shell=True, check=True)
        branch = subprocess.run(
            ["git", "diff", "main", f"phasegate/{job}"], cwd=project, capture_output=True, check=True
        )
        assert b"+    return a + b" in branch.stdout
        subprocess.run(["git", "apply", str(tmp_path / "fix.patch")], cwd=project, check=True)
        assert pytest_in(project) == 0

        summary = await phasegate("export", job)
        assert summary.code == 0
        whole = await phasegate("export", job, "--format", "json")
        assert whole.json["execution"]["status"] == "completed"

        asked = await phasegate("rollback", job)
        assert asked.code == 2
        would = f"these steps on branch phasegate/{job} would be undone: fix, test"
        assert (
            asked.sentence == f"phasegate: rolling {job} back needs --yes where nobody can be asked; {would}"
        )
        unknown = await phasegate("rollback", job, "nonsense")
        assert unknown.code == 2
        assert "no step 'nonsense'; steps are fix, test" in unknown.sentence
        back = await phasegate("rollback", job, "--yes")
        assert back.code == 0, back
        assert "rolled back to the start" in back.out
        view = await stage.view(job)
        assert view.act
        assert pytest_in(Path(view.act.last.path)) == 1
        empty = await phasegate("export", job, "--patch")
        assert empty.code == 1
        assert "changed nothing" in empty.sentence


async def test_a_failed_execution_exits_1_and_shows_what_was_printed(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "purse", BUG)
    tested = a_step("test", type=StepType.TESTING, command=PYTEST, report="report.xml")
    after = a_step("after", "test", command="ls")
    async with acting_stage(address, tmp_path, project, tested, after) as stage:
        phasegate = Acted(stage)
        job = await planned(phasegate, project)
        ran = await phasegate("act", job)
        assert ran.code == 1, ran
        assert "assert add(2, 2) == 4" in ran.out
        assert "✗" in ran.out
        assert "skipped" in ran.out
        assert f"phasegate resume {job}" in ran.out
        shown = await phasegate("show", job, "--json")
        assert shown.json["act"]["status"] == "failed"
        assert shown.json["hold"]["kind"] == "failure"
        metrics = await phasegate("metrics", job, "--json")
        assert metrics.json["act"]["tests_failed"] == 1
        back = await phasegate("rollback", job, "after", "--yes")
        assert back.code == 2
        assert back.sentence == "phasegate: step after is not completed; completed are none"


async def test_what_was_carried_out_before_a_restart_can_be_found(address: str, tmp_path: Path) -> None:
    """Its branch stays in the repository of the next execution, and every screen says so."""
    project = repository(tmp_path / "purse", BUG)
    async with acting_stage(
        address, tmp_path, project, fix(), a_step("after", "fix", command="exit 7")
    ) as stage:
        phasegate = Acted(stage)
        job = await planned(phasegate, project)
        assert (await phasegate("act", job)).code == 1
        assert (await phasegate("restart", job, "implementation_plan")).code == 0
        await stage.until(job, lambda view: view.selected and view.former)
        nothing = await phasegate("export", job, "--patch")
        assert nothing.code == 1
        assert "those before the restart are told by `phasegate show`" in nothing.sentence
        assert (await phasegate("act", job)).code == 1
        words = f"{job}.act-1, option a: failed, 1 of 2 steps: steps failed: after"
        shown = await phasegate("show", job)
        assert words in shown.out
        assert f"its commits stay on branch phasegate/{job}, at " in shown.out
        assert f"{job}.act-1 is left: failed" in (await phasegate("ledger", job)).out
        document = (await phasegate("export", job)).out
        assert "## FORMER EXECUTIONS" in document
        assert f"`{job}.act-1`, option `a`: failed" in document
        (told,) = (await phasegate("show", f"{job}.act-1", "--json")).json["take_former"]
        subprocess.run(told["command"], shell=True, check=True, capture_output=True)
        home = (project, "show", f"phasegate/{job}:purse/money.py")
        assert "a + b" in git(*home)
        patch = await phasegate("export", f"{job}.act-1", "--patch")
        assert "+    return a + b" in patch.out


async def test_watching_as_json_lines(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "purse", BUG)
    steps = (
        fix(),
        a_step("slow", "fix", command="sh -c 'for n in 1 2 3 4 5 6; do echo line $n; sleep 0.4; done'"),
        a_step("ask", "slow", command="python3 -c 'print(7)'"),
    )
    async with acting_stage(address, tmp_path, project, *steps) as stage:
        phasegate = Acted(stage)
        job = await planned(phasegate, project)
        started = await phasegate("act", job, "--no-watch", "--json")
        assert started.code == 0, started
        first = await stage.gate(job, "operator-1")
        assert first.step == "slow", "a shell is not on the list"
        watching = asyncio.create_task(phasegate.lines("watch", job))
        await phasegate("approve", job, "--gate", first.id, "--digest", first.digest)
        second = await stage.gate(job, "operator-2")
        assert second.asks == "python3 -c 'print(7)'"
        waiting = await phasegate("list", "--awaiting", "operator", "--json")
        assert [(line["job"], line["mode"]) for line in waiting.json["jobs"] if line["job"] == job] == [
            (job, "Act")
        ]
        refused = await phasegate("revise", job, "not that")
        assert refused.code == 0, refused
        code, events = await watching
    assert code == 1, "a refused step fails"
    kinds = [event["type"] for event in events]
    assert kinds.index("step_started") < kinds.index("step_ended") < kinds.index("ended")
    printed = "".join(event["text"] for event in events if event["type"] == "output")
    assert [line for line in printed.splitlines() if line] == [f"line {n}" for n in range(1, 7)]
    asks = [event["asks"] for event in events if event["type"] == "waiting" and event["asks"]]
    assert "python3 -c 'print(7)'" in asks
    progress = [event for event in events if event["type"] == "progress"]
    assert progress[-1]["completed_steps"] == 2
    ended = {event["id"]: event["status"] for event in events if event["type"] == "step_ended"}
    assert ended == {"fix": "completed", "slow": "completed", "ask": "failed"}
    assert next(event for event in events if event["type"] == "ended" and event["end"] == "failed")


@pytest.mark.slow
async def test_an_execution_has_its_own_id(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "purse", BUG)
    async with acting_stage(address, tmp_path, project, fix()) as stage:
        phasegate = Acted(stage)
        job = await planned(phasegate, project)
        nothing = await phasegate("rollback", job, "--yes")
        assert nothing.code == 4
        assert "nothing was carried out" in nothing.err
        await phasegate("act", job)
        assert (await phasegate("show", f"{job}.act-1", "--json")).json["job"] == job
        unknown = await phasegate("pause", f"{job}.act-7")
        assert unknown.code == 2
        assert f"execution not found: {job}.act-7" in unknown.sentence
        again = await phasegate("act", job)
        assert again.code == 4
        assert "carried out already" in again.sentence


@pytest.mark.slow
async def test_looking_while_no_worker_runs(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "purse", BUG)
    steps = (fix(), a_step("slow", "fix", command="sleep 30"))
    async with acting_stage(address, tmp_path, project, *steps) as stage:
        phasegate = Acted(stage)
        job = await planned(phasegate, project)
        await phasegate("act", job, "--no-watch")
        await stage.until(
            job, lambda v: v.act and v.act.last.progress and v.act.last.progress.completed_steps
        )
    shown = await phasegate("show", job, "--json")
    assert shown.code == 0, shown
    assert [line["id"] for line in shown.json["act"]["last"]["steps"]] == ["fix", "slow"]
    assert "slow" in (await phasegate("show", job)).out


@pytest.mark.slow
async def test_a_closed_job_is_opened_again_to_take_its_work_back(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "purse", BUG)
    async with acting_stage(address, tmp_path, project, fix()) as stage:
        phasegate = Acted(stage)
        job = await stage.act(policy={"keep_open_seconds": 0})
        await stage.temporal.get_workflow_handle(job).result()
        assert (await phasegate("watch", job)).code == 0
        again = await phasegate("act", job)
        assert again.code == 4
        assert "carried out already" in again.sentence, "nothing is opened for what would be refused"
        back = await phasegate("rollback", job, "--yes", "--json")
        assert back.code == 0, back
        assert back.json["act"]["last"]["end"] == "rolled_back"
        assert (await phasegate("resume", job)).code == 0
        await stage.temporal.get_workflow_handle(job).result()
        assert (await phasegate("show", job, "--json")).json["act"]["status"] == "completed"
