"""ExecutionWorkflow on a real server, with real git and real commands."""

import asyncio
import shutil
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from temporalio.exceptions import ApplicationError

from activities.execution.commands import RAN_BEFORE
from activities.execution.executor import WorktreeExecutor
from states.act import ActEnd, ActOutcome
from states.artifacts.plan import ExactEdit, FileChange, FileChangeKind, StepCondition, StepType
from states.execution import Execution, StepStatus
from tests.activities.conftest import git
from tests.e2e.executions import Acts, Handle, a_step, acts, repository
from tests.e2e.stage import until
from workflows.execution import STOP

FILES = {"app.py": "def add(a, b):\n    return a - b\n", "notes.md": "# notes\n"}


@pytest.fixture
async def acting(address: str, tmp_path: Path) -> AsyncIterator[Acts]:
    source = repository(tmp_path / "project", FILES)
    async with acts(address, tmp_path, source) as found:
        yield found


def statuses(outcome: ActOutcome) -> dict[str, str]:
    """step -> status."""
    return {line.id: line.status for line in outcome.steps}


async def test_the_settled_case(acting: Acts) -> None:
    """behaviours B, Execution: cases/execution.json."""
    order = await acting.order(
        a_step("1", command="echo ok"),
        a_step("2", command="exit 3"),
        a_step("3", "2", command="echo never"),
        a_step("4", "1", command="echo fine"),
    )
    outcome = await acting.run(order)
    assert outcome.end is ActEnd.FAILED
    assert statuses(outcome) == {"1": "completed", "2": "failed", "3": "skipped", "4": "completed"}
    assert outcome.errors == ("command failed: exit status 3",)
    assert outcome.metrics.commands_executed == 3


async def test_steps_run_side_by_side_and_land_on_one_branch(acting: Acts) -> None:
    edit = FileChange(path="app.py", kind=FileChangeKind.MODIFY, edits=(ExactEdit(old="a - b", new="a + b"),))
    order = await acting.order(
        a_step("fix", type=StepType.FILE_OPERATION, files=(edit,)),
        *(a_step(f"t{n}", command=f"touch made-{n}") for n in range(6)),
        a_step("all", "fix", *(f"t{n}" for n in range(6)), command="ls"),
        a_step("odd", "fix", command="ls", condition=StepCondition(step="fix", status="failed")),
    )
    outcome = await acting.run(order)
    assert outcome.end is ActEnd.FAILED, "a required step whose condition does not hold is skipped"
    assert statuses(outcome)["odd"] == "skipped"
    assert acting.file(outcome, "app.py").read_text() == "def add(a, b):\n    return a + b\n"
    assert all(acting.file(outcome, f"made-{n}").exists() for n in range(6))
    kept = await acting.execution(outcome)
    assert kept.landed[-1] == "all"
    assert outcome.metrics.files_created == 6
    patch = (await acting.store.get(outcome.patch)).decode()
    assert "+    return a + b" in patch


async def test_a_long_command_stops_at_once_and_goes_on_later(acting: Acts) -> None:
    order = await acting.order(a_step("1", command="touch one"), a_step("2", "1", command="sleep 60"))
    handle = await acting.start(order)
    while (await handle.query("progress", result_type=ActOutcome)).progress.completed_steps < 1:
        await asyncio.sleep(0.05)
    await asyncio.sleep(0.5)
    meanwhile = await handle.query("progress", result_type=ActOutcome)
    began = time.monotonic()
    await handle.signal(STOP)
    outcome = await handle.result()
    assert time.monotonic() - began < 5
    assert outcome.end is ActEnd.STOPPED
    assert meanwhile.path
    assert (meanwhile.path, meanwhile.sandbox) == (outcome.path, outcome.sandbox), "known before it rests"
    assert statuses(outcome) == {"1": "completed", "2": "pending"}
    again = await acting.start(order.model_copy(update={"kept": outcome.kept}))
    await asyncio.sleep(0.5)
    assert statuses(await again.query("progress", result_type=ActOutcome))["1"] == "completed"
    await again.signal(STOP)
    assert (await again.result()).end is ActEnd.STOPPED


async def test_a_command_of_an_execution_that_was_lost_says_that_it_ran_before(acting: Acts) -> None:
    """It begins anew; what landed at once lands with another date, so that what follows is run again."""
    order = await acting.order(
        a_step("a", command="touch made-a"),
        a_step("b", command="touch made-b"),
        a_step("c", "a", "b", command="touch made-c"),
        a_step("long", "c", command="sleep 60"),
    )

    async def reached_long(handle: Handle, waiting: bool) -> None:
        async def there() -> bool:
            now = statuses(await handle.query("progress", result_type=ActOutcome))
            return now["long"] == "in_progress" or (waiting and now["c"] == "waiting")

        await until(there, lambda there: there, 60)

    lost = await acting.start(order)
    await reached_long(lost, waiting=False)
    await lost.terminate()
    # Commits tell seconds: within the same one all is known, and nothing is run again.
    await asyncio.sleep(1)
    again = await acting.start(order)
    await reached_long(again, waiting=True)
    await again.signal(STOP)
    outcome = await again.result()
    notes = {line.id: line.notes for line in outcome.steps} | {ask.step: ask.notes for ask in outcome.asks}
    assert any(note.startswith(RAN_BEFORE) for note in notes["c"]), outcome
    assert not any(note.startswith(RAN_BEFORE) for step in "ab" for note in notes[step]), "it was known"


async def test_what_cannot_be_kept_is_told_and_gone_on_with(
    acting: Acts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the store lies on the disk that is full."""
    order = await acting.order(a_step("1", command="touch one"), a_step("2", "1", command="ls one"))

    async def full(_: WorktreeExecutor, execution: Execution) -> str:  # noqa: ARG001
        raise ApplicationError("no space is left", non_retryable=True)

    with monkeypatch.context() as patch:
        patch.setattr(WorktreeExecutor, "keep", full)
        outcome = await acting.run(order)
    assert (outcome.end, outcome.reason, outcome.kept) == (ActEnd.BROKEN, "no space is left", "")
    assert statuses(outcome) == {"1": "completed", "2": "completed"}
    on = await acting.run(order.model_copy(update={"kept": outcome.kept}))
    assert on.end is ActEnd.COMPLETED
    assert on.head == outcome.head, "what was done is known"


async def test_what_is_not_allowed_waits_for_an_operator(acting: Acts) -> None:
    order = await acting.order(a_step("1", command="python3 -c 1"), a_step("2", command="echo on"))
    outcome = await acting.run(order)
    assert outcome.end is ActEnd.WAITING
    assert statuses(outcome) == {"1": "waiting", "2": "completed"}
    assert outcome.asks[0].asks == "python3 -c 1"
    rules = order.rules.model_copy(update={"approved": ("python3 -c 1",)})
    allowed = order.model_copy(update={"kept": outcome.kept, "rules": rules, "ready": ("1",)})
    assert (await acting.run(allowed)).end is ActEnd.COMPLETED
    no = order.model_copy(update={"kept": outcome.kept, "refused": {"1": "Ann refused: no"}})
    refused = await acting.run(no)
    assert refused.end is ActEnd.FAILED
    assert refused.errors == ("Ann refused: no",)


async def test_back_to_a_step_and_on_again(acting: Acts) -> None:
    order = await acting.order(
        a_step("1", command="touch one"),
        a_step("2", "1", command="touch two"),
        a_step("3", "2", command="ls"),
    )
    outcome = await acting.run(order)
    assert outcome.end is ActEnd.COMPLETED
    back = await acting.run(order.model_copy(update={"kept": outcome.kept, "back_to": "step 1"}))
    assert back.end is ActEnd.ROLLED_BACK
    assert statuses(back) == {"1": "completed", "2": "pending", "3": "pending"}
    assert not acting.file(back, "two").exists()
    assert acting.file(back, "one").exists()
    on = await acting.run(order.model_copy(update={"kept": back.kept}))
    assert on.end is ActEnd.COMPLETED
    assert acting.file(on, "two").exists()
    start = await acting.run(order.model_copy(update={"kept": on.kept, "back_to": ""}))
    assert not acting.file(start, "one").exists()
    assert start.head == acting.workspace.commit
    unknown = await acting.run(order.model_copy(update={"kept": start.kept, "back_to": "9"}))
    assert unknown.end is ActEnd.BROKEN
    assert unknown.reason == "the plan has no step '9'; steps are 1, 2, 3"


async def test_a_failed_step_is_tried_again(acting: Acts) -> None:
    order = await acting.order(
        a_step("1", command="sh -c true", retries=1),
        a_step("2", command="test -e gate"),
        a_step("3", "2", command="ls"),
    )
    outcome = await acting.run(order)
    assert statuses(outcome) == {"1": "completed", "2": "failed", "3": "skipped"}
    again = await acting.run(order.model_copy(update={"kept": outcome.kept, "again": True}))
    assert statuses(again) == {"1": "completed", "2": "failed", "3": "skipped"}
    kept = await acting.execution(again)
    assert kept.steps["2"].attempts == 2
    assert kept.steps["1"].status is StepStatus.COMPLETED


async def test_a_worker_with_an_empty_disk_goes_on_in_the_middle(acting: Acts) -> None:
    order = await acting.order(
        a_step("1", command="touch one"),
        a_step("2", "1", command="touch two.log"),
        a_step("3", "2", command="python3 -c 1"),
        a_step("4", "3", command="ls one two.log"),
    )
    outcome = await acting.run(order)
    assert outcome.end is ActEnd.WAITING
    shutil.rmtree(acting.settings.workspaces)
    rules = order.rules.model_copy(update={"approved": ("python3 -c 1",)})
    on = await acting.run(order.model_copy(update={"kept": outcome.kept, "rules": rules, "ready": ("3",)}))
    assert on.end is ActEnd.COMPLETED, on
    assert acting.file(on, "one").exists()
    assert acting.file(on, "two.log").exists()


async def test_a_rollback_is_refused_when_the_branch_was_moved_by_other_hands(acting: Acts) -> None:
    order = await acting.order(a_step("1", command="touch one"))
    outcome = await acting.run(order)
    tree = Path(outcome.path)
    git(tree, "commit", "-q", "--allow-empty", "-m", "mine")
    mine = git(tree, "rev-parse", "HEAD").strip()
    back = await acting.run(order.model_copy(update={"kept": outcome.kept, "back_to": ""}))
    assert back.end is ActEnd.BROKEN
    assert "has been moved by other hands" in back.reason
    assert git(tree, "rev-parse", "HEAD").strip() == mine
    assert statuses(back) == {"1": "completed"}
