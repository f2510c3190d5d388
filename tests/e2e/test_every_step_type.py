"""One plan with every type of step, conditions, tries, and steps that need not be: done, counted, told."""

import sys
from pathlib import Path

from activities.execution_orders import CommandRules
from states.act import ActEnd, ActOutcome
from states.artifacts.plan import ExactEdit, FileChange, FileChangeKind, PlanStep, StepCondition, StepType
from states.execution import Metrics
from tests.activities.conftest import git
from tests.e2e.executions import a_step, acts, repository
from tests.e2e.stage import until

FILES = {
    ".gitignore": "__pycache__/\n",
    "app.py": "def add(a, b):\n    return a - b\n",
    "old.md": "# old\n",
    "gone.md": "# gone\n",
    "test_app.py": (
        "import pytest\nfrom app import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\n"
        "@pytest.mark.skip\ndef test_later():\n    pass\n"
    ),
}
ADDED = "def add(a, b):\n    return a + b\n\n\ndef double(a):\n    return add(a, a)\n"
MENDED = (
    FileChange(path="app.py", kind=FileChangeKind.MODIFY, edits=(ExactEdit(old="a - b", new="a + b"),)),
    FileChange(path="docs/new.md", kind=FileChangeKind.CREATE, content="# new\nline\n"),
    FileChange(path="old.md", kind=FileChangeKind.MOVE, to="docs/old.md"),
    FileChange(path="gone.md", kind=FileChangeKind.DELETE),
)
TESTS = f"{sys.executable} -m pytest -q -p no:cacheprovider --junitxml=report.xml"


def when(step: str, status: str) -> StepCondition:
    """The condition that another step ended so."""
    return StepCondition(step=step, status=status)


def plan(opened: str) -> tuple[PlanStep, ...]:
    """`opened` is a command that fails until the test lets it pass."""
    changed = (FileChange(path="docs/new.md", kind=FileChangeKind.CREATE),)
    return (
        a_step("fix", type=StepType.FILE_OPERATION, files=MENDED),
        a_step("code", "fix", type=StepType.CODE_GENERATION),
        a_step("flaky", "fix", command=opened, retries=10),
        a_step("look", "code", type=StepType.CODE_ANALYSIS),
        a_step("check", "code", type=StepType.VALIDATION, files=changed),
        a_step("test", "look", "check", type=StepType.TESTING, command=TESTS, report="report.xml"),
        a_step("if green", "test", command="echo green", condition=when("test", "completed")),
        a_step("if red", "test", command="echo red", condition=when("test", "failed"), required=False),
        a_step("behind", "if red", command="echo never", required=False),
        a_step("no path", command="ls", condition=StepCondition(path="nowhere"), required=False),
    )


def write(outcome: ActOutcome) -> None:
    """The person writes the code that is asked for, in the place that is named."""
    (ask,) = outcome.asks
    assert (ask.step, ask.by_hand) == ("code", True)
    place = Path(ask.asks.partition(" in ")[2].rpartition(", then")[0])
    (place / "app.py").write_text(ADDED)


async def test_every_type_of_step_in_one_plan(address: str, tmp_path: Path) -> None:
    source = repository(tmp_path / "project", FILES)
    outside = tmp_path / "outside"
    outside.mkdir()
    opened = f"sleep 0.2; test -e {outside}/open"
    async with acts(address, tmp_path, source) as acting:
        rules = CommandRules(
            approved=(opened,), visible=(str(outside),), allow=(f"{sys.executable} -m pytest *",)
        )
        order = await acting.order(*plan(opened), rules=rules)
        handle = await acting.start(order)

        async def tries() -> int:
            now = await handle.query("progress", result_type=ActOutcome)
            return next((line.attempts for line in now.steps if line.id == "flaky"), 0)

        await until(tries, lambda tried: tried > 2)
        (outside / "open").touch()
        waits = await handle.result()
        assert waits.end is ActEnd.WAITING
        write(waits)
        on = order.model_copy(update={"kept": waits.kept, "done": {"code": "ann"}, "ready": ("code",)})
        done = await acting.run(on)
        kept = await acting.execution(done)
        tree = Path(done.path)
        log = git(tree, "log", "--format=%s", order.branch).splitlines()
    assert done.end is ActEnd.COMPLETED, done
    lines = {line.id: line for line in done.steps}
    skipped = {name: line.why for name, line in lines.items() if line.status == "skipped"}
    assert skipped == {
        "if red": "step test completed, not failed",
        "behind": "step if red skipped",
        "no path": "nowhere is not there",
    }
    assert sum(line.status == "completed" for line in done.steps) == 7
    tried = lines["flaky"].attempts
    assert tried > 2
    changed = sum((run.result.metrics for run in kept.steps.values() if run.result), Metrics())
    assert (changed.files_created, changed.files_modified, changed.files_deleted) == (2, 2, 2)
    assert (done.metrics.tests_passed, done.metrics.tests_failed) == (1, 0)
    assert kept.steps["test"].result
    assert "1 test passed, 0 failed, 1 skipped" in kept.steps["test"].result.notes
    assert done.metrics.commands_executed == tried + 2, "commands of tries that failed were executed too"
    assert done.metrics.errors == 0, "nothing stayed wrong"
    assert log == ["step code: Step code", "step fix: Step fix", "first"]
    assert done.progress
    assert (done.progress.completed_steps, done.progress.skipped_steps) == (7, 3)
    assert done.progress.remaining == 0
