"""The six types of steps on a real repository."""

import sys

from states.artifacts.plan import ExactEdit, FileChange, FileChangeKind, PlanStep, StepCondition, StepType
from states.execution import StepStatus
from tests.activities.conftest import git
from tests.activities.execution.acting import Acting, completed, failed, shell, step

FIX = step(
    StepType.FILE_OPERATION,
    "fix",
    files=(
        FileChange(
            path="calc.py",
            kind=FileChangeKind.MODIFY,
            edits=(ExactEdit(old="return a - b", new="return a + b"),),
        ),
    ),
)
TESTS = step(
    StepType.TESTING,
    "tests",
    command=f"{sys.executable} -m pytest -q --junitxml=report.xml",
    report="report.xml",
)


async def test_a_bug_is_fixed_and_the_tests_turn_green(acting: Acting) -> None:
    red = failed(await acting.step(TESTS), "command failed: exit status 1")
    assert (red.metrics.tests_passed, red.metrics.tests_failed) == (0, 1)
    assert "failed: test_calc::test_add" in red.notes
    fixed = completed(await acting.step(FIX))
    assert fixed.files == ("calc.py",)
    assert (fixed.metrics.files_modified, fixed.metrics.lines_changed) == (1, 2)
    green = completed(await acting.step(TESTS))
    assert (green.metrics.tests_passed, green.metrics.commands_executed) == (1, 1)
    assert green.commit == fixed.commit, "a report is no change of the project"
    assert b"1 passed" in await acting.store.get(green.output)
    log = git(acting.tree, "log", "--format=%an: %s", "phasegate/job-1")
    assert log.splitlines() == ["phasegate: step fix: Do fix", "Test: first"]
    assert git(acting.tree, "status", "--porcelain") == "?? report.xml"


async def test_a_command_fails_with_its_exit_status_and_leaves_nothing(acting: Acting) -> None:
    before = acting.at
    command = "touch x; mkdir -p build; touch build/y; rm calc.py; exit 3"
    acting.rules = acting.rules.model_copy(update={"approved": (command,)})
    result = await acting.step(shell(command))
    assert result.error == "command failed: exit status 3"
    assert acting.at == before
    assert sorted(path.name for path in acting.tree.iterdir()) == [
        *(".git", ".gitignore", "calc.py", "docs", "test_calc.py")
    ]


async def test_words_are_never_run(acting: Acting) -> None:
    for kind in (StepType.SHELL_COMMAND, StepType.TESTING):
        prose = PlanStep(id=kind, title="Do it", type=kind, action="test -f calc.py")
        failed(await acting.step(prose), "the step names no command")
    assert acting.at.head == acting.at.workspace.commit


async def test_an_unknown_command_waits_for_a_person_and_shows_itself(acting: Acting) -> None:
    asked = shell("touch made.txt && echo done")
    result = await acting.step(asked)
    assert result.status is StepStatus.WAITING
    assert result.asks == "touch made.txt && echo done"
    acting.rules = acting.rules.model_copy(update={"approved": ("touch made.txt && echo done",)})
    result = completed(await acting.step(asked))
    assert result.files == ("made.txt",)
    assert result.tail == "done\n"


async def test_a_condition_on_a_path_skips_a_step(acting: Acting) -> None:
    condition = StepCondition(path="nowhere.py")
    result = await acting.step(shell("echo hi", condition=condition))
    assert (result.status, result.notes) == (StepStatus.SKIPPED, ("nowhere.py is not there",))
    condition = StepCondition(path="nowhere.py", exists=False)
    completed(await acting.step(shell("echo hi", condition=condition)))


async def test_validation_without_a_command_reads_what_has_changed(acting: Acting) -> None:
    check = step(
        StepType.VALIDATION, "check", files=(FileChange(path="calc.py", kind=FileChangeKind.MODIFY),)
    )
    completed(await acting.step(check))
    broken = FileChange(path="bad.py", kind=FileChangeKind.CREATE, content="def (:\n")
    completed(await acting.step(step(StepType.FILE_OPERATION, "break", files=(broken,))))
    failed(await acting.step(check), "validation failed: bad.py: this is no python that can be parsed")
    missing = step(StepType.VALIDATION, "m", files=(FileChange(path="no.py", kind=FileChangeKind.CREATE),))
    failed(await acting.step(missing), "no.py is not there")


async def test_analysis_tells_what_changed_and_who_uses_it(acting: Acting) -> None:
    rename = FileChange(
        path="calc.py",
        kind=FileChangeKind.MODIFY,
        edits=(ExactEdit(old="def add", new="def plus"),),
    )
    completed(await acting.step(step(StepType.FILE_OPERATION, "rename", files=(rename,))))
    result = completed(await acting.step(step(StepType.CODE_ANALYSIS, "look")))
    told = (await acting.store.get(result.output)).decode()
    assert "removed but still used: calc.py:1 add, in test_calc.py" in told
    assert "added: calc.py:1: def plus(a, b)" in told
    assert result.metrics.warnings == 1


async def test_a_person_writes_code_in_a_worktree_and_says_so(acting: Acting) -> None:
    write = step(StepType.CODE_GENERATION, "write", subtask="ST-1")
    result = await acting.step(write)
    assert result.status is StepStatus.WAITING
    assert "subtask ST-1" in result.asks
    assert result.asks.endswith("say that it is done; what is wanted: do it")
    place = next((acting.tree.parent / "steps").glob("write-*")) / "tree"
    assert str(place) in result.asks
    early = await acting.step(write, done_by="ann")
    assert early.status is StepStatus.WAITING
    assert early.notes == (f"nothing has been changed in {place}",)
    completed(await acting.step(FIX))
    (place / "new.py").write_text("x = 1\n")
    done = completed(await acting.step(write, done_by="ann"))
    assert done.files == ("new.py",)
    assert done.notes == ("written by ann",)
    assert "a + b" in (acting.tree / "calc.py").read_text()
    assert (acting.tree / "new.py").read_text() == "x = 1\n"


async def test_the_summary_is_a_patch_that_git_takes(acting: Acting, project: object) -> None:
    completed(await acting.step(FIX))
    summary = await acting.summary()
    assert summary.files == ("calc.py",)
    assert "1 file changed" in summary.diffstat
    patch = acting.tree.parent / "p.patch"
    patch.write_bytes(await acting.store.get(summary.patch))
    root = project
    git(root, "apply", "--check", str(patch))  # type: ignore[arg-type]
    assert git(root, "status", "--porcelain") == "", "the user's checkout is not touched"  # type: ignore[arg-type]
    await acting.leave()
    assert not acting.tree.exists()
