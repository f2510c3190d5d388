"""Steps that run beside each other, each in a tree of its own, merged one after the other."""

import asyncio

from states.artifacts.plan import ExactEdit, FileChange, FileChangeKind, PlanStep, StepType
from states.execution import StepStatus
from tests.activities.conftest import git
from tests.activities.execution.acting import Acting, completed, failed, shell, step
from tests.activities.execution.test_act_trees import allow


def writes(id: str, path: str, text: str) -> PlanStep:
    """A step that makes a file."""
    change = FileChange(path=path, kind=FileChangeKind.CREATE, content=text)
    return step(StepType.FILE_OPERATION, id, files=(change,))


def edits(id: str, old: str, new: str) -> PlanStep:
    """A step that edits the notes."""
    edit = ExactEdit(old=old, new=new)
    change = FileChange(path="docs/notes.md", kind=FileChangeKind.MODIFY, edits=(edit,))
    return step(StepType.FILE_OPERATION, id, files=(change,))


async def test_two_steps_at_once_are_both_on_the_branch(acting: Acting) -> None:
    command = "mkdir -p build && echo log > build/made.log && echo c > c.txt"
    allow(acting, command)
    steps = [writes("a", "a.txt", "a\n"), edits("b", "three\n", "three\nfour\n"), shell(command, "c")]
    orders = [acting.order(each, alone=False) for each in steps]
    results = await asyncio.gather(*(acting.run(order) for order in orders))
    assert not (acting.tree / "a.txt").exists(), "nothing is on the branch before it has landed"
    for each, result in zip(steps, results, strict=True):
        completed(await acting.land(each, completed(result)))
    log = git(acting.tree, "log", "--format=%s", "phasegate/job-1").splitlines()
    assert log == ["step c: Do c", "step b: Do b", "step a: Do a", "first"]
    assert (acting.tree / "docs/notes.md").read_text().endswith("four\n")
    assert (acting.tree / "build/made.log").read_text() == "log\n"
    assert git(acting.tree, "status", "--porcelain") == ""
    assert not list((acting.tree.parent / "steps").glob("*/tree"))


async def test_a_conflict_names_the_file_and_the_other_step(acting: Acting) -> None:
    first, second = edits("a", "two", "zwei"), edits("b", "two", "deux")
    orders = [acting.order(each, alone=False) for each in (first, second)]
    results = [await acting.run(order) for order in orders]
    completed(await acting.land(first, results[0]))
    before = acting.at
    result = failed(
        await acting.land(second, results[1]), "merge conflict in docs/notes.md with step a: Do a"
    )
    assert (result.commit, result.bundle, acting.at) == ("", "", before)
    assert "zwei" in (acting.tree / "docs/notes.md").read_text()


async def test_landing_again_gives_the_same_commits(acting: Acting) -> None:
    first, second = writes("a", "a.txt", "a\n"), writes("b", "b.txt", "b\n")
    results = [await acting.run(acting.order(each, alone=False)) for each in (first, second)]
    await acting.land(first, results[0])
    before = acting.at
    once = await acting.land(second, results[1])
    acting.at = before
    again = await acting.land(second, results[1])
    assert once == again


async def test_ignored_files_that_both_wrote_are_no_conflict(acting: Acting) -> None:
    commands = [f"mkdir -p build && echo {n} > build/cache" for n in "12"]
    allow(acting, *commands)
    steps = [shell(command, f"s{n}") for n, command in enumerate(commands)]
    results = [await acting.run(acting.order(each, alone=False)) for each in steps]
    for each, result in zip(steps, results, strict=True):
        assert (await acting.land(each, result)).status is StepStatus.COMPLETED
    assert (acting.tree / "build/cache").read_text() == "2\n"
    assert git(acting.tree, "log", "--format=%s", "phasegate/job-1") == "first"


async def test_many_land_at_once_and_the_one_that_conflicts_fails_alone(acting: Acting) -> None:
    steps = [edits("a", "two", "zwei"), edits("b", "two", "deux"), *(writes(n, f"{n}.txt", n) for n in "cd")]
    steps.append(shell("touch build.log", "e"))
    allow(acting, "touch build.log")
    before = acting.at
    results = [await acting.run(acting.order(each, alone=False)) for each in steps]
    landed = await acting.land_all(list(zip(steps, results, strict=True)))
    assert [result.status for result in landed] == [
        *(StepStatus.COMPLETED, StepStatus.FAILED, StepStatus.COMPLETED),
        *(StepStatus.COMPLETED, StepStatus.COMPLETED),
    ]
    assert [bool(result.bundle) for result in landed] == [False, False, False, False, True]
    assert git(acting.tree, "status", "--porcelain") == ""
    assert (acting.tree / "c.txt").exists()
    assert (acting.tree / "build.log").exists()
    assert git(acting.tree, "show", "-s", "--format=%s", landed[2].commit) == "step c: Do c"
    back = acting.at.model_copy(update={"head": landed[2].commit, "snapshot": landed[2].snapshot})
    await acting.roll_back(back)
    assert (acting.tree / "c.txt").exists()
    assert not (acting.tree / "d.txt").exists()
    assert not (acting.tree / "build.log").exists()
    await acting.roll_back(before)
    assert not (acting.tree / "c.txt").exists()


async def test_a_file_in_place_of_a_folder_is_left_to_git(acting: Acting) -> None:
    allow(acting, "rm -r docs && echo file > docs")
    first = shell("rm -r docs && echo file > docs", "a")
    second = writes("b", "docs/more.md", "more\n")
    results = [await acting.run(acting.order(each, alone=False)) for each in (first, second)]
    landed = await acting.land_all([(first, completed(results[0])), (second, completed(results[1]))])
    assert landed[0].status is StepStatus.COMPLETED
    failed(landed[1], "merge conflict")
    assert (acting.tree / "docs").read_text() == "file\n"


async def test_a_new_gitignore_counts_for_all_that_was_there(acting: Acting) -> None:
    allow(acting, "touch a.log")
    completed(await acting.step(shell("touch a.log", "a")))
    assert git(acting.tree, "ls-files", "a.log") == ""
    change = FileChange(path=".gitignore", kind=FileChangeKind.MODIFY, edits=(ExactEdit(old="*.log\n"),))
    completed(await acting.step(step(StepType.FILE_OPERATION, "b", files=(change,))))
    assert git(acting.tree, "ls-files", "a.log").strip() == "a.log"
