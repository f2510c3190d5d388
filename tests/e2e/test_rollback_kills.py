"""Workers and servers killed while a job is rolled back: it ends rolled back exactly, and no commit is lost.

One job for each place; one kill hits all.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import astuple
from enum import StrEnum
from pathlib import Path

import pytest

from states.act import ActEnd, ActNote
from states.artifacts.plan import PlanStep
from states.execution import ExecutionStatus
from states.view import JobView
from states.words import Message, Mode
from tests.activities.conftest import git
from tests.e2e.coding_mortals import FILES, CodingMortals, coding_mortals
from tests.e2e.coding_worker import BRINGING, FOLLOWING
from tests.e2e.executions import a_step, repository
from tests.e2e.kill_table import PROPERTY, VICTIMS, Cell
from tests.e2e.stage import until
from tests.model_server.script import Script

STEPS: tuple[PlanStep, ...] = (
    a_step("one", command="sh work.sh one"),
    a_step("left", "one", command="sh left.sh"),
    a_step("right", "one", command="sh right.sh"),
    a_step("last", "left", "right", command="sh work.sh last"),
)
LONG = a_step("long", "last", command="sleep 600")
MORE = {
    "left.sh": "rm app.py; mkdir -p deep/er; echo left > deep/er/left; echo x > kept.log\n",
    "right.sh": "chmod 700 test_app.py; echo right >> done\n",
    ".gitignore": "*.log\n",
}

Note = Callable[[str, object], None]


class Moment(StrEnum):
    """How far the rollback has come when somebody dies."""

    TOLD = "told while a step runs and nobody hears"
    STOPPING = "told, and the step that runs is to stop"
    BEFORE = "roll_back.before"
    BRINGING = "the branch is back and the tree is not"
    FOLLOWING = "both are back and git does not show it"
    AFTER = "roll_back.after"
    SUMMARISING = "summarise_execution.before"

    @property
    def runs(self) -> bool:
        """Whether a step runs that has to stop first."""
        return self in (Moment.TOLD, Moment.STOPPING)


JOBS = {moment: f"back-{number}" for number, moment in enumerate(Moment)}


def hold_of(moment: Moment) -> str:
    """The file by which the worker is stopped, laid when the plan has been carried out."""
    job = JOBS[moment]
    if moment is Moment.BRINGING:
        return f"{job}.{BRINGING}"
    if moment is Moment.FOLLOWING:
        return f"{job}.{FOLLOWING}"
    return "" if moment.runs else f"{job}.act-1.{moment.value}"


def steps_of(moment: Moment) -> Sequence[PlanStep]:
    """The plan of a job."""
    return (*STEPS, LONG) if moment.runs else STEPS


def completed(view: JobView) -> bool:
    """Whether everything is done that is to be rolled back."""
    progress = view.act.last.progress if view.act else None
    return progress is not None and progress.completed_steps == len(STEPS)


async def acted(all_: CodingMortals, moment: Moment) -> ActNote:
    """Wait until there is something to roll back; gives what the execution says."""
    job = JOBS[moment]

    async def there() -> ActNote | None:
        execution = await (await all_.client()).execution(job)
        return execution.act if execution else None

    def ready(act: ActNote | None) -> bool:
        last = [line.status for line in act.last.steps] if act else []
        done = last.count("completed") == len(STEPS)
        return done and ("in_progress" in last if moment.runs else not (act and act.running))

    note: ActNote = await until(there, ready, 60)
    return note


def looks(tree: Path) -> dict[str, tuple[int, str]]:
    """Mode and content of every file of a worktree, and of its folders the mode."""
    found = {}
    for path in sorted(tree.rglob("*")):
        name = str(path.relative_to(tree))
        if name.split("/")[0] != ".git":
            found[name] = (path.lstat().st_mode, path.read_text() if path.is_file() else "")
    return found


async def rolled_back(all_: CodingMortals, moment: Moment, before: ActNote) -> None:
    """It stands where step `one` left it, everything later is kept, and the job goes on as it is told."""
    job = JOBS[moment]
    view = await all_.seen(
        job, lambda v: v.act and v.act.last.end is ActEnd.ROLLED_BACK and not v.act.running
    )
    assert view.mode is Mode.PAUSED
    assert view.hold
    assert view.hold.reason == "rolled back to step one; resume carries on from there"
    assert view.act
    assert view.act.undo is None
    statuses = {line.id: line.status for line in view.act.last.steps}
    assert statuses == {"one": "completed"} | {step.id: "pending" for step in steps_of(moment)[1:]}
    tree, branch = Path(view.act.last.path), view.act.branch
    assert git(tree, "rev-parse", branch).strip() == view.act.last.head
    assert git(tree, "log", "--format=%s", branch).splitlines() == ["step one: Step one", "first"]
    assert git(tree, "status", "--porcelain") == ""
    assert (tree / "done").read_text() == "one\n"
    assert {name for name in looks(tree) if "." not in name} == {"done"}
    assert (tree / "app.py").read_text() == FILES["app.py"]
    assert (tree / "test_app.py").stat().st_mode & 0o777 == 0o644
    assert git(tree, "for-each-ref", "--contains", before.last.head), "no commit is lost"
    ledger = [e.what for e in (await all_.record(job)).ledger]
    assert sum(what.endswith(": rolled_back") for what in ledger) == 1
    client = await all_.client()
    if moment.runs:
        await client.send(job, Message.CANCEL, {"by": "ann"})
        await client.temporal.get_workflow_handle(job).result()
        return
    await client.send(job, Message.RESUME, {"by": "ann"})
    done = await all_.seen(job, lambda v: v.mode is Mode.NORMAL)
    assert done.act
    assert done.act.status is ExecutionStatus.COMPLETED
    assert (tree / "done").read_text() == "one\nright\nlast\n"
    assert (tree / "deep/er/left").exists()


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("victims", VICTIMS)
async def test_a_rollback_ends_rolled_back_whoever_dies(
    tmp_path: Path, victims: str, record_property: Note
) -> None:
    project = repository(tmp_path / "project", FILES | MORE)
    async with coding_mortals(tmp_path, Script()) as all_:
        for moment, job in JOBS.items():
            await all_.begin(job, project, steps_of(moment))
        before = {moment: await acted(all_, moment) for moment in Moment}
        for moment in Moment:
            if hold := hold_of(moment):
                all_.hold(hold)
                await all_.cli.signal(JOBS[moment], "rollback", {"to": "one", "by": "ann"})
                await all_.reached(hold)
        await all_.cli.signal(JOBS[Moment.STOPPING], "rollback", {"to": "one", "by": "ann"})
        began = time.monotonic()
        if victims != "server":
            all_.kill_worker()
        await all_.cli.signal(JOBS[Moment.TOLD], "rollback", {"to": "one", "by": "ann"})
        await all_.kill_and_replace(victims)
        for moment in Moment:
            if hold := hold_of(moment):
                all_.release(hold)
        for moment in Moment:
            await rolled_back(all_, moment, before[moment])
            cell = Cell("rolling back", moment.value, victims, time.monotonic() - began, same=True)
            record_property(PROPERTY, astuple(cell))
