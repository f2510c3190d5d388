"""Workers and servers killed in the middle of Act: every step is done once, or it is said that it may not be.

One execution for each place, all stopped in their places; one kill hits all.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from activities.execution.commands import RAN_BEFORE
from activities.execution.plans import Plans
from activities.execution_orders import ActOrder, CommandRules
from activities.workspace import Workspaces
from states.act import ActEnd, ActOutcome
from states.artifacts.plan import ExactEdit, FileChange, FileChangeKind, Plan, PlanStep, StepType
from states.execution import Execution, StepStatus
from states.workspace import WorkspaceRef
from tests.activities.conftest import git
from tests.confinement import CONFINED
from tests.e2e.executions import Handle, a_step, repository
from tests.e2e.kill_table import PROPERTY, VICTIMS, Cell
from tests.e2e.mortals import QUEUE, Mortals
from tests.e2e.stage import until
from workflows.execution import ExecutionWorkflow

FILES = {
    ".gitignore": "report.xml\n__pycache__/\n",
    "app.py": "def add(a, b):\n    return a - b\n",
    "test_app.py": "from app import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    "work.sh": 'touch "begun-$1"\nsleep "$2"\necho "$1" >> done\n',
}
FIX = FileChange(path="app.py", kind=FileChangeKind.MODIFY, edits=(ExactEdit(old="a - b", new="a + b"),))
TESTS = "python3 -m pytest -q -p no:cacheprovider --junitxml=report.xml"
STEPS: tuple[PlanStep, ...] = (
    a_step("fix", type=StepType.FILE_OPERATION, files=(FIX,)),
    a_step("one", "fix", command="sh work.sh one 2"),
    a_step("left", "one", command="touch left"),
    a_step("right", "one", command="touch right"),
    a_step("look", "left", "right", type=StepType.CODE_ANALYSIS),
    a_step("check", "left", "right", type=StepType.VALIDATION),
    a_step("test", "look", "check", type=StepType.TESTING, command=TESTS, report="report.xml"),
)
DURING = "in the middle of a command"
"""with a sandbox only: without one nobody knows what a lost command did outside, and a person is asked"""
PLACES = (
    "prepare_execution.before",
    *("run_step.fix.before", "run_step.fix.after", "run_step.one.before", "run_step.one.after"),
    *("run_step.left.before", "run_step.left.after", "land_steps.before", "land_steps.after"),
    *("run_step.look.after", "run_step.check.after", "run_step.test.before", "run_step.test.after"),
    *("summarise_execution.before", DURING),
)
FAST = ("run_step.one.after", "land_steps.after", DURING)

Note = Callable[[str, object], None]


class ActMortals(Mortals):
    """One server and at most one worker that carries plans out."""

    program: ClassVar[str] = "tests.e2e.act_worker"


@dataclass(frozen=True)
class Run:
    """The execution of one place."""

    place: str
    order: ActOrder
    handle: Handle

    @property
    def stop(self) -> str:
        """The place as the worker names it."""
        return f"{self.order.execution}.{self.place}"


@asynccontextmanager
async def act_mortals(home: Path) -> AsyncIterator[ActMortals]:
    """Both, gone when this ends, whatever happened."""
    both = ActMortals(home, "_")
    try:
        await both.server.start()
        await both.start_worker()
        yield both
    finally:
        both.kill_worker()
        both.server.kill()


async def begun(all_: ActMortals, workspace: WorkspaceRef, places: Sequence[str], known: int) -> list[Run]:
    """An execution for each place, which stops there."""
    client = (await all_.client()).temporal
    plan = await Plans(all_.store).put(Plan(title="The plan", steps=STEPS))
    runs = []
    for number, place in enumerate(places, start=known):
        job = f"kill-{number}"
        order = ActOrder(
            job=job,
            execution=f"{job}.act-1",
            workspace=workspace,
            branch=f"phasegate/{job}",
            plan=plan,
            rules=CommandRules(allow=("sh *", "touch *")),
        )
        if place != DURING:
            all_.hold(f"{order.execution}.{place}")
        handle = await client.start_workflow(
            ExecutionWorkflow.run, order, id=order.execution, task_queue=QUEUE
        )
        runs.append(Run(place, order, handle))
    return runs


async def stopped(all_: ActMortals, run: Run) -> None:
    """Wait until an execution is in its place."""
    if run.place != DURING:
        await all_.reached(run.stop)
        return
    tree = all_.home / "workspaces" / run.order.job / "act/tree"

    async def there() -> bool:
        return (tree / "begun-one").exists()

    await until(there, lambda there: there, 60)


async def as_if_nothing_had_happened(all_: ActMortals, run: Run) -> ActOutcome:
    """Wait for the end, and compare it with what every undisturbed run comes to."""
    outcome = await asyncio.wait_for(_ended(all_, run), 240)
    assert outcome.end is ActEnd.COMPLETED, (run.place, outcome)
    kept = Execution.model_validate_json(await all_.store.get(outcome.kept))
    assert all(step.status is StepStatus.COMPLETED for step in kept.steps.values())
    tree = Path(outcome.path)
    assert "a + b" in (tree / "app.py").read_text()
    assert (tree / "done").read_text() == "one\n", "a command's effects are there once"
    assert {"left", "right"} <= {path.name for path in tree.iterdir()}
    log = git(tree, "log", "--format=%s", run.order.branch)
    titles = [line.split(":")[0] for line in log.splitlines()]
    assert sorted(titles) == ["first", "step fix", "step left", "step one", "step right"]
    assert git(tree, "status", "--porcelain") == ""
    return outcome


async def _ended(all_: ActMortals, run: Run) -> ActOutcome:
    client = (await all_.client()).temporal
    while True:
        try:
            handle = client.get_workflow_handle(run.order.execution, result_type=ActOutcome)
            outcome: ActOutcome = await handle.result()
            return outcome
        except Exception as gone:  # the server is away for a moment
            if "onnect" not in str(gone) and "navailable" not in str(gone):
                raise
            await asyncio.sleep(0.2)


async def killed(home: Path, victims: str, places: Sequence[str], note: Note) -> None:
    """Kill, replace, and see that all ends as if nothing had happened."""
    project = repository(home / "project", FILES)
    places = [place for place in places if CONFINED or place != DURING]
    async with act_mortals(home) as all_:
        opened = await Workspaces(home / "workspaces").open("kill-0", str(project))
        runs: list[Run] = []
        # Last the one whose command runs and does not wait.
        for some in ([place for place in places if place != DURING], [DURING] if DURING in places else []):
            runs += (new := await begun(all_, opened.ref, some, len(runs)))
            for run in new:
                await stopped(all_, run)
        began = time.monotonic()
        await all_.kill_and_replace(victims)
        for run in runs:
            if run.place != DURING:
                all_.release(run.stop)
        for run in runs:
            outcome = await as_if_nothing_had_happened(all_, run)
            notes, seconds = next((line.notes, line.seconds) for line in outcome.steps if line.id == "one")
            # Its command sleeps for two; a lost worker is noticed after ten, and all may wait much longer.
            assert seconds is not None
            assert 2 <= seconds < 9, (run.place, seconds)
            told = any(text.startswith(RAN_BEFORE) for text in notes)
            if victims != "server":
                assert told is (run.place == DURING), (run.place, notes)
            cell = Cell("acting", run.place, victims, time.monotonic() - began, same=True)
            note(PROPERTY, astuple(cell))


async def test_a_worker_is_killed(tmp_path: Path, record_property: Note) -> None:
    await killed(tmp_path, "worker", FAST, record_property)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("victims", VICTIMS)
async def test_everything_is_killed_everywhere(tmp_path: Path, victims: str, record_property: Note) -> None:
    await killed(tmp_path, victims, PLACES, record_property)
