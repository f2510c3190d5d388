"""The worktree of an execution: exact snapshots, rollback, other machines, other hands."""

import asyncio
import os
import shutil
import stat
from pathlib import Path

import pytest
from temporalio.exceptions import ApplicationError

from activities.execution.worktree import AT_ONCE
from states.execution import StepStatus
from tests.activities.conftest import git
from tests.activities.execution.acting import Acting, act_on, completed, failed, shell

MESS = (
    "mkdir -p build/deep empty/inner && echo out > build/deep/a.log && echo loose > loose.txt "
    "&& ln -s calc.py link && ln -s /etc/passwd far && chmod 755 calc.py "
    "&& chmod 600 docs/notes.md && chmod 700 empty "
    "&& printf '\\001\\r\\n' > 'odd name.bin' && rm test_calc.py"
)
UNDO = (
    "rm -rf build empty docs link far calc.py && mkdir calc.py && echo x > calc.py/inside && echo new > link"
)


def everything(root: Path) -> dict[str, object]:
    """Every path with its kind, mode and contents."""
    found: dict[str, object] = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if name.split("/")[0] == ".git":
            continue
        mode = path.lstat().st_mode
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[name] = (stat.S_IFMT(mode), None if path.is_symlink() else stat.S_IMODE(mode), content)
    return found


def allow(acting: Acting, *commands: str) -> None:
    """A person has allowed these."""
    acting.rules = acting.rules.model_copy(update={"approved": (*acting.rules.approved, *commands)})


async def test_rollback_restores_the_whole_tree_and_loses_no_commit(acting: Acting) -> None:
    allow(acting, MESS, UNDO)
    start, clean = acting.at, everything(acting.tree)
    completed(await acting.step(shell(MESS, "mess")))
    middle, messy = acting.at, everything(acting.tree)
    assert messy["build/deep/a.log"] == (stat.S_IFREG, 0o644, b"out\n")
    completed(await acting.step(shell(UNDO, "undo")))
    undone, last = everything(acting.tree), acting.at
    await acting.roll_back(middle)
    assert everything(acting.tree) == messy
    assert git(acting.tree, "log", "-1", "--format=%s") == "step mess: Do mess"
    await acting.roll_back(start)
    assert everything(acting.tree) == clean
    assert git(acting.tree, "status", "--porcelain", "--ignored") == ""
    await acting.roll_back(last)
    assert everything(acting.tree) == undone
    kept = git(acting.tree, "for-each-ref", "--format=%(objectname)", "refs/phasegate/kept")
    assert {last.head, middle.head} <= set(kept.split())


async def test_git_works_in_a_tree_that_a_killed_worker_left_to_the_user_of_a_command(acting: Acting) -> None:
    """As root, commands run as another user, to whom the folder belongs as long as they run."""
    allow(acting, "echo 1 > made")
    start = acting.at
    completed(await acting.step(shell("echo 1 > made", "1")))
    if os.geteuid() == 0:
        for path in (acting.tree, acting.tree / ".git"):
            os.chown(path, 54321, 54321)
    await acting.roll_back(start)
    assert {path.stat().st_uid for path in (acting.tree, acting.tree / ".git")} == {os.geteuid()}


async def test_what_git_ignores_is_not_on_the_branch_but_in_the_snapshot(acting: Acting) -> None:
    allow(acting, MESS)
    result = completed(await acting.step(shell(MESS, "mess")))
    assert set(result.files) == {"calc.py", "far", "link", "loose.txt", "odd name.bin", "test_calc.py"}
    assert (result.metrics.files_created, result.metrics.files_deleted) == (4, 1)


async def test_git_shows_what_steps_did_as_committed(acting: Acting) -> None:
    allow(acting, change := "echo new > new.txt && echo more >> calc.py")
    completed(await acting.step(shell(change, "change")))
    assert git(acting.tree, "status", "--porcelain") == ""
    assert git(acting.tree, "show", "--stat", "--format=%s", "HEAD").startswith("step change: Do change")


async def test_another_machine_goes_on_from_the_store(acting: Acting, project: Path, tmp_path: Path) -> None:
    allow(acting, MESS)
    completed(await acting.step(shell(MESS, "mess")))
    completed(await acting.step(shell("echo nothing changes", "quiet")))
    elsewhere = await act_on(project, tmp_path / "other disk", acting.store)
    elsewhere.at = acting.at
    prepared = await elsewhere.prepare()
    assert (prepared.head, prepared.snapshot) == (acting.at.head, acting.at.snapshot)
    assert everything(elsewhere.tree) == everything(acting.tree)
    assert git(elsewhere.tree, "status", "--porcelain") == ""


async def test_a_disk_that_lost_everything_is_made_again(acting: Acting, tmp_path: Path) -> None:
    allow(acting, MESS)
    completed(await acting.step(shell(MESS, "mess")))
    before = everything(acting.tree)
    shutil.rmtree(tmp_path / "state" / "workspaces")
    await acting.prepare()
    assert everything(acting.tree) == before


async def test_a_branch_moved_by_other_hands_stops_steps_and_rollback(acting: Acting) -> None:
    start = acting.at
    completed(await acting.step(shell("echo one", "one")))
    (acting.tree / "theirs.txt").write_text("by a person\n")
    git(acting.tree, "add", "theirs.txt")
    git(acting.tree, "commit", "-q", "-m", "mine")
    theirs = git(acting.tree, "rev-parse", "HEAD")
    result = await acting.run(acting.order(shell("echo two", "two")))
    failed(result, "branch phasegate/job-1 has been moved by other hands")
    with pytest.raises(ApplicationError, match=r"moved by other hands.*nothing was rolled back"):
        await acting.roll_back(start)
    assert git(acting.tree, "rev-parse", "phasegate/job-1") == theirs
    assert (acting.tree / "theirs.txt").exists()


async def test_a_rollback_that_was_cut_off_between_two_refs_is_brought_to_its_end(acting: Acting) -> None:
    """The worker was killed when it had moved all but the branch."""
    start = acting.at
    allow(acting, MESS)
    before = everything(acting.tree)
    completed(await acting.step(shell(MESS, "mess")))
    done = acting.at.head
    git(acting.tree, "update-ref", "refs/phasegate/snapshot", start.snapshot)
    git(acting.tree, "update-ref", "refs/phasegate/head", start.head)
    await acting.roll_back(start)
    assert everything(acting.tree) == before
    assert git(acting.tree, "rev-parse", "phasegate/job-1") == start.head
    assert git(acting.tree, "rev-parse", f"refs/phasegate/kept/{done}") == done


async def test_the_next_execution_leaves_the_one_before_as_it_was(acting: Acting) -> None:
    allow(acting, MESS, other := "echo other > other.log")
    start = acting.at.model_copy(update={"branch": "phasegate/job-1-2", "bundles": ()})
    completed(await acting.step(shell(MESS, "mess")))
    before = acting.at
    acting.at = start
    await acting.prepare()
    assert not (acting.tree / "build").exists()
    completed(await acting.step(shell(other, "other")))
    assert git(acting.tree, "rev-parse", "phasegate/job-1") == before.head
    assert git(acting.tree, "rev-parse", f"refs/phasegate/kept/{before.snapshot}") == before.snapshot
    assert git(acting.tree, "branch", "--show-current") == "phasegate/job-1-2"


async def test_edits_by_other_hands_are_put_aside_and_not_lost(acting: Acting) -> None:
    await asyncio.sleep(AT_ONCE)
    (acting.tree / "calc.py").write_text("a person was here\n")
    result = completed(await acting.step(shell("cat calc.py")))
    assert "return a - b" in result.tail
    note = result.notes[0]
    assert note.startswith("the worktree had been changed by other hands; what was in it is kept as refs/")
    assert git(acting.tree, "show", f"{note.split()[-1]}:files/calc.py") == "a person was here"


async def test_what_a_command_does_to_git_reaches_nothing(acting: Acting, project: Path) -> None:
    command = (
        "rm -f .git; git init -q . ; git -c user.name=x -c user.email=x@y.z commit -q --allow-empty -m evil"
    )
    allow(acting, command)
    await acting.step(shell(command))
    assert git(acting.tree, "log", "-1", "--format=%s", "phasegate/job-1") == "first"
    assert git(project, "log", "--all", "--format=%s") == "first"
    assert git(project, "status", "--porcelain") == ""


async def test_a_shallow_clone_is_acted_on(acting: Acting, project: Path, tmp_path: Path) -> None:
    git(project, "commit", "-q", "--allow-empty", "-m", "second")
    git(project, "clone", "-q", "--depth=1", f"file://{project}", str(tmp_path / "shallow"))
    shallow = await act_on(
        tmp_path / "shallow", tmp_path / "other disk", acting.store, sandbox=acting.rules.sandbox
    )
    allow(shallow, command := "echo new > new.txt")
    order = shallow.order(shell(command), alone=False)
    landed = await shallow.land(order.step, completed(await shallow.run(order)))
    assert completed(landed).files == ("new.txt",)
    assert (await shallow.summary()).files == ("new.txt",)


async def test_a_repository_made_inside_stays_off_the_branch(acting: Acting) -> None:
    command = "git init -q inner && echo x > inner/file && echo y > beside"
    allow(acting, command)
    result = completed(await acting.step(shell(command)))
    assert result.files == ("beside",)
    assert "inner is a repository of its own: not on the branch" in result.notes


async def test_deleting_everything_is_a_failed_step(acting: Acting) -> None:
    command = 'rm -rf "$PWD"; rm -rf .git * .gitignore; true'
    allow(acting, command)
    before = everything(acting.tree)
    result = await acting.step(shell(command))
    assert result.status is StepStatus.FAILED
    assert "the worktree" in result.error
    assert everything(acting.tree) == before
    completed(await acting.step(shell("echo on", "next")))
