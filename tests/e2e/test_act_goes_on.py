"""A plan whose commands do their worst: a clear failed step each, and the job goes on as people say."""

import contextlib
from pathlib import Path
from typing import Any

import pytest

from activities.execution.sandbox import sandbox_offered
from states.act import ActEnd
from states.artifacts.plan import ExactEdit, FileChange, FileChangeKind, StepType
from states.execution import ExecutionStatus
from states.words import HoldKind, Mode
from tests.activities.conftest import git
from tests.activities.execution.test_act_abuse import small_disk
from tests.e2e.acting_stage import acting_stage
from tests.e2e.executions import a_step, repository

FILES = {
    "app.py": "def add(a, b):\n    return a - b\n",
    "bomb.sh": "b() { b | b & }; b; sleep 2; exit 7\n",
    "flood.sh": "yes | head -c 1000000000\n",
    "deaf.sh": "trap '' TERM INT HUP\nsleep 60 &\nwhile true; do sleep 1; done\n",
    "wipe.sh": 'cd / && find "$OLDPWD" -mindepth 1 -delete; rmdir "$OLDPWD"; exit 0\n',
    "fill.sh": "head -c 2000000000 /dev/zero > /tmp/huge\n",
}
FIX = FileChange(path="app.py", kind=FileChangeKind.MODIFY, edits=(ExactEdit(old="a - b", new="a + b"),))
LIMITS: dict[str, Any] = {
    "allow": ["sh *"],
    "processes": 40,
    "seconds": 20,
    "output_bytes": 1_000_000,
}
STEPS = (
    a_step("fix", type=StepType.FILE_OPERATION, files=(FIX,)),
    a_step("bomb", "fix", command="sh bomb.sh", timeout_seconds=5),
    a_step("flood", "fix", command="sh flood.sh"),
    a_step("deaf", "fix", command="sh deaf.sh", timeout_seconds=1),
    a_step("wipe", "fix", command="sh wipe.sh"),
    a_step("fill", "fix", command="sh fill.sh"),
    a_step("behind", "wipe", command="ls"),
    a_step("beside", "fix", command="ls"),
)


DESTRUCTIVE = {
    "rm -rf .": "it removes folders",
    "sudo ls": "it asks for another user's rights",
    "git push --force": "it changes what others see of the repository",
    "git reset --hard HEAD~1": "it discards work",
    "chmod -R 777 .": "it changes rights of whole folders",
    "find . -delete": "it changes every file that it finds",
    "kill -9 -1": "it ends other programs",
    ":(){ :|:& };:": "it starts itself without end",
}


async def test_what_destroys_waits_for_a_person_whatever_the_job_allows(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "project", FILES)
    plan = [a_step(str(number), command=command) for number, command in enumerate(DESTRUCTIVE)]
    async with acting_stage(address, tmp_path, project, *plan) as stage:
        words = {command.split()[0] for command in DESTRUCTIVE}
        job = await stage.act(commands={"allow": [f"{word} *" for word in words]})
        waits = await stage.until(job, lambda v: v.act and v.act.last.end is ActEnd.WAITING)
        assert waits.act
        assert waits.gate
        assert waits.gate.asks == next(iter(DESTRUCTIVE))
        asked = {ask.asks: ask.notes for ask in waits.act.last.asks}
        assert list(asked) == list(DESTRUCTIVE), (
            "each of them, and nobody has been asked about one for another"
        )
        for command, why in DESTRUCTIVE.items():
            assert f"a person has to allow this command: {why}" in asked[command]
        assert waits.act.last.metrics.commands_executed == 0
        tree = Path(waits.act.last.path)
        assert git(tree, "status", "--porcelain") == ""
        assert git(tree, "log", "--format=%s") == "first"


async def test_a_job_outlives_commands_that_do_their_worst(address: str, tmp_path: Path) -> None:
    _, why = await sandbox_offered()
    if why:
        pytest.skip(why)
    project = repository(tmp_path / "project", FILES)
    async with acting_stage(address, tmp_path, project, *STEPS) as stage:
        job = await stage.act(commands=LIMITS)
        held = await stage.until(job, lambda v: v.hold and v.hold.kind is HoldKind.FAILURE, 90)
        assert held.act
        assert held.mode is Mode.PAUSED
        lines = {line.id: line for line in held.act.last.steps}
        assert {name for name, line in lines.items() if line.status == "completed"} == {"fix", "beside"}
        assert lines["behind"].why == "step wipe failed"
        errors = {name: line.error for name, line in lines.items() if line.status == "failed"}
        assert errors["flood"] == "command ended: it printed more than 1,000,000 bytes"
        assert errors["deaf"] == "command ended: it took longer than 1 seconds"
        assert errors["wipe"] == "the step deleted everything in the worktree"
        assert errors["fill"] == "command failed: exit status 1", "the temporary folder is full"
        # Which of the limits ends it first is chance.
        assert errors["bomb"].startswith("command ")
        tree = Path(held.act.last.path)
        assert git(tree, "status", "--porcelain") == ""
        assert git(tree, "log", "--format=%s") == "step fix: Step fix\nfirst"
        await stage.cli.signal(job, "rollback", "fix")
        await stage.until(job, lambda v: v.act and v.act.last.end is ActEnd.ROLLED_BACK)
        assert "a + b" in (tree / "app.py").read_text(), "what was done before is kept"
        await stage.cli.signal(job, "cancel", {"by": "ann", "reason": "enough"})
        result = await stage.temporal.get_workflow_handle(job).result()
    assert result["state"] == "cancelled"
    assert held.act.status is ExecutionStatus.FAILED
    assert (project / "app.py").read_text() == FILES["app.py"]


@pytest.mark.parametrize(
    "full",
    [
        pytest.param("state/workspaces", id="without the store"),
        pytest.param("state", id="with the store", marks=pytest.mark.slow),
    ],
)
async def test_a_full_disk_holds_a_job_until_there_is_space(address: str, tmp_path: Path, full: str) -> None:
    project = repository(tmp_path / "project", FILES)
    large = FileChange(path="large", kind=FileChangeKind.CREATE, content="x" * 1_000_000)
    steps = (
        a_step("fix", type=StepType.FILE_OPERATION, files=(FIX,)),
        a_step("asked", "fix", command="sh -c true"),
        a_step("large", "asked", type=StepType.FILE_OPERATION, files=(large,)),
    )
    (tmp_path / full).parent.mkdir(exist_ok=True)
    with small_disk(tmp_path / full) as disk:
        async with acting_stage(address, tmp_path, project, *steps) as stage:
            job = await stage.act()
            gate = await stage.gate(job, "operator-1")
            with contextlib.suppress(OSError), (disk / "ballast").open("wb", buffering=0) as ballast:
                while True:
                    ballast.write(bytes(4096))
            await stage.cli.signal(job, "approve", {"gate": gate.id, "digest": gate.digest, "by": "ann"})
            held = await stage.until(job, lambda v: v.hold and v.hold.kind is HoldKind.FAILURE, 60)
            assert held.hold
            assert "disk is full" in held.hold.reason
            (disk / "ballast").unlink()
            await stage.cli.signal(job, "resume")
            done = await stage.until(job, lambda v: v.mode is Mode.NORMAL)
            assert done.act
            assert done.act.status is ExecutionStatus.COMPLETED
            tree = Path(done.act.last.path)
            assert "a + b" in (tree / "app.py").read_text()
            assert (tree / "large").stat().st_size == 1_000_000
