"""What git keeps of an execution is damaged: it is made anew, and nothing of anybody's is lost."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from temporalio.exceptions import ApplicationError

from activities.agent_orders import AgentOrder, CodeOrder
from activities.desks.coding import CodingDesk
from activities.execution.activities import ExecutionActivities
from activities.execution.executor import WorktreeExecutor
from activities.execution.folders import Acts
from activities.execution.loose import AGAIN
from activities.execution.mending import mended
from activities.execution.worktree import AT_ONCE
from activities.git import GitError
from activities.index.shelf import IndexShelf
from activities.orders import WorkOrder
from activities.workspace import Workspaces
from states.agents import AgentKind
from states.artifacts.base import canonical_json
from states.artifacts.plan import StepType
from states.execution import Execution, StepStatus
from states.words import Phase
from tests.activities.conftest import git
from tests.activities.execution.acting import Acting, act_on, completed, shell, step
from tests.activities.execution.test_act_trees import everything

Damage = Callable[[Path, Acting], object]
MAKE, NEXT = "echo made > made.txt", "echo on > next.txt"


def cut(repository: Path, name: str) -> Path:
    """Let an object end in its middle, as a power failure does."""
    file = repository / "objects" / name[:2] / name[2:]
    data = file.read_bytes()
    file.unlink()  # a mirror's file is the repository's own
    file.write_bytes(data[: len(data) // 2])
    return file


def cut_commit(repository: Path, acting: Acting) -> None:
    cut(repository, acting.at.head)


def cut_tree(repository: Path, acting: Acting) -> None:
    cut(repository, git(acting.tree, "rev-parse", f"{acting.at.snapshot}:files"))


def cut_file(repository: Path, acting: Acting) -> Path:
    name = git(acting.tree, "rev-parse", f"{acting.at.head}:made.txt")
    (acting.tree / "made.txt").write_text("so that it has to be read\n")
    return cut(repository, name)


def lost_file(repository: Path, acting: Acting) -> None:
    cut_file(repository, acting).unlink()


def other_contents(repository: Path, acting: Acting) -> None:
    file = cut_file(repository, acting)
    file.write_bytes(next((repository / "objects").glob("[0-9a-f]?/*")).read_bytes())


def empty_branch(repository: Path, _: Acting) -> None:
    (repository / "refs/heads/phasegate/job-1").write_text("")


def strange_settings(repository: Path, _: Acting) -> None:
    (repository / "config").write_text("[core\n")


def no_folder(repository: Path, _: Acting) -> None:
    shutil.rmtree(repository)
    repository.write_text("what is this?")


def no_objects(repository: Path, _: Acting) -> None:
    shutil.rmtree(repository / "objects")


SET_ASIDE = (
    *(cut_commit, cut_tree, cut_file, lost_file, other_contents),
    *(empty_branch, strange_settings, no_folder, no_objects),
)


def no_head(repository: Path, _: Acting) -> None:
    (repository / "HEAD").unlink()


def no_worktrees(repository: Path, _: Acting) -> None:
    shutil.rmtree(repository / "worktrees")


def nothing_left(repository: Path, _: Acting) -> None:
    shutil.rmtree(repository)


def restarted(acting: Acting) -> Path:
    """The worker is another process now, which knows nothing; gives the repository."""
    home = acting.tree.parent
    workspaces = Workspaces(home.parent.parent)
    confined = acting.rules.sandbox
    executor = WorktreeExecutor(acting.store, workspaces, IndexShelf(None), unconfined=not confined)
    acting.activities = ExecutionActivities(executor)
    return home / "git"


def allow(acting: Acting, *commands: str) -> None:
    """A person has allowed these."""
    acting.rules = acting.rules.model_copy(update={"approved": (*acting.rules.approved, *commands)})


def told(notes: tuple[str, ...], what: str) -> str:
    """The last word of the one note that says this."""
    (note,) = (each for each in notes if what in each)
    return note.split()[-1]


@pytest.mark.parametrize("damage", [*SET_ASIDE, no_head, no_worktrees, nothing_left])
async def test_steps_go_on_and_the_edits_of_others_are_kept(acting: Acting, damage: Damage) -> None:
    allow(acting, MAKE, NEXT)
    completed(await acting.step(shell(MAKE, "make")))
    (acting.tree / "calc.py").write_text("a person was here\n")
    (acting.tree / "theirs.txt").write_text("and here\n")
    repository = restarted(acting)
    damage(repository, acting)
    result = completed(await acting.step(shell(NEXT, "next")))
    assert result.files == ("next.txt",)
    kept = told(result.notes, "changed by other hands")
    assert git(acting.tree, "show", f"{kept}:files/calc.py") == "a person was here"
    assert git(acting.tree, "show", f"{kept}:files/theirs.txt") == "and here"
    assert git(acting.tree, "log", "--format=%s") == "step next: Do next\nstep make: Do make\nfirst"
    assert git(acting.tree, "status", "--porcelain") == ""
    assert (acting.tree / "made.txt").read_text() == "made\n"
    if damage in SET_ASIDE:
        assert told(result.notes, "was damaged") == f"{repository}.damaged-1"
    assert Path(f"{repository}.damaged-1").exists() is (damage in SET_ASIDE)


async def test_a_file_cut_off_while_the_worker_runs_does_not_stop_it(acting: Acting) -> None:
    allow(acting, MAKE, NEXT)
    completed(await acting.step(shell(MAKE, "make")))
    before = everything(acting.tree)
    await asyncio.sleep(max(AGAIN, AT_ONCE))
    cut_commit(acting.tree.parent / "git", acting)
    prepared = await acting.prepare()
    assert told(prepared.notes, "was damaged").endswith("git.damaged-1")
    assert everything(acting.tree) == before
    allow(acting, later := "echo later > later.txt")
    completed(await acting.step(shell(NEXT, "next")))
    await asyncio.sleep(AGAIN)
    cut_commit(acting.tree.parent / "git", acting)
    result = completed(await acting.step(shell(later, "later")))
    assert told(result.notes, "was damaged").endswith("git.damaged-2")


async def test_packs_from_the_store_are_had_again(acting: Acting, project: Path, tmp_path: Path) -> None:
    allow(acting, MAKE)
    completed(await acting.step(shell(MAKE, "make")))
    elsewhere = await act_on(project, tmp_path / "other disk", acting.store)
    elsewhere.at = acting.at
    await elsewhere.prepare()
    (pack,) = (elsewhere.tree.parent / "git/objects/pack").glob("*.pack")
    data = pack.read_bytes()
    pack.unlink()
    pack.write_bytes(data[: len(data) // 2])
    restarted(elsewhere)
    assert told((await elsewhere.prepare()).notes, "was damaged")
    assert everything(elsewhere.tree) == everything(acting.tree)


async def test_undone_commits_and_branches_of_others_come_along(acting: Acting) -> None:
    allow(acting, MAKE)
    start = acting.at
    completed(await acting.step(shell(MAKE, "make")))
    done = acting.at
    git(acting.tree, "branch", "mine")
    await acting.roll_back(start)
    repository = restarted(acting)
    cut(repository, acting.at.snapshot)
    assert told((await acting.prepare()).notes, "was damaged")
    assert (
        git(acting.tree, "rev-parse", "mine", f"refs/phasegate/kept/{done.head}").split() == [done.head] * 2
    )
    assert git(acting.tree, "rev-parse", "phasegate/job-1") == start.head
    acting.at = acting.at.model_copy(update={"bundles": done.bundles})
    await acting.roll_back(done)
    assert (acting.tree / "made.txt").exists()


async def test_a_branch_moved_by_other_hands_is_still_moved(acting: Acting) -> None:
    allow(acting, MAKE)
    completed(await acting.step(shell(MAKE, "make")))
    (acting.tree / "theirs.txt").write_text("by a person\n")
    git(acting.tree, "add", "theirs.txt")
    git(acting.tree, "commit", "-q", "-m", "mine")
    repository = restarted(acting)
    cut_tree(repository, acting)
    with pytest.raises(ApplicationError, match="moved by other hands"):
        await acting.prepare()
    assert (acting.tree / "theirs.txt").exists()


async def test_steps_that_ran_beside_each_other_still_land(acting: Acting) -> None:
    allow(acting, MAKE, NEXT)
    steps = [shell(MAKE, "make"), shell(NEXT, "next")]
    results = await asyncio.gather(*(acting.run(acting.order(each, alone=False)) for each in steps))
    repository = restarted(acting)
    cut(repository, results[0].commit)
    landed = await acting.land_all(
        [(each, completed(result)) for each, result in zip(steps, results, strict=True)]
    )
    assert [each.status for each in landed] == [StepStatus.COMPLETED] * 2
    assert told(landed[0].notes, "was damaged")
    assert {"made.txt", "next.txt"} <= {path.name for path in acting.tree.iterdir()}
    assert (await acting.summary()).files == ("made.txt", "next.txt")


async def test_code_that_a_person_is_writing_stays(acting: Acting) -> None:
    by_hand = step(StepType.CODE_GENERATION, "write")
    asked = await acting.step(by_hand)
    tree = Path(asked.asks.split(" in ")[1].split(", then")[0])
    (tree / "calc.py").write_text("by hand\n")
    repository = restarted(acting)
    no_objects(repository, acting)
    result = completed(await acting.step(by_hand, done_by="ann"))
    assert result.files == ("calc.py",)
    assert (acting.tree / "calc.py").read_text() == "by hand\n"


async def test_a_model_that_writes_code_reads_the_tree_again(acting: Acting) -> None:
    allow(acting, MAKE)
    completed(await acting.step(shell(MAKE, "make")))
    at = acting.at
    kept = Execution(
        id=at.execution,
        branch=at.branch,
        base="",
        head=at.head,
        snapshot=at.snapshot,
        plan="",
        bundles=[*at.bundles],
    )
    work = WorkOrder(
        job=at.job, phase=Phase.VALIDATION, workspace=at.workspace, task_digest="", built_from={}
    )
    code = CodeOrder(
        work=work,
        execution=at.execution,
        branch=at.branch,
        plan="",
        kept=await acting.store.put(canonical_json(kept.model_dump(mode="json"))),
        step="code",
    )
    order = AgentOrder(
        job=at.job,
        agent="code-1",
        session="s",
        kind=AgentKind.CODE,
        workspace=at.workspace,
        models=("m",),
        code=code,
    )
    repository = restarted(acting)
    cut_tree(repository, acting)
    workspaces = Workspaces(acting.tree.parent.parent.parent)
    desk = CodingDesk(acting.store, workspaces, Acts(acting.store, workspaces))
    given = await desk.run(
        order, "read_file", '{"explanation": "what is made", "filename": "made.txt"}', model="m"
    )
    assert "made" in given.content, given
    assert Path(f"{repository}.damaged-1").exists()


async def test_what_is_no_damage_is_left_alone(acting: Acting) -> None:
    async def refused() -> None:
        raise GitError("merge", "not today")

    workspaces = Workspaces(acting.tree.parent.parent.parent)
    with pytest.raises(GitError, match="not today"):
        await mended(Acts(acting.store, workspaces), acting.at, refused)
    assert sorted(path.name for path in acting.tree.parent.glob("git*")) == ["git", "git.lock"]


async def test_what_is_to_end_is_not_begun_again(acting: Acting) -> None:
    tries = []

    async def stopped() -> None:
        tries.append(1)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            raise GitError("read-tree", "the tree cannot be put back") from None

    cut(acting.tree.parent / "git", acting.at.snapshot)
    acts = Acts(acting.store, Workspaces(acting.tree.parent.parent.parent))
    task = asyncio.create_task(mended(acts, acting.at, stopped))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(GitError, match="cannot be put back"):
        await task
    assert tries == [1]


async def test_a_damaged_mirror_is_named(acting: Acting) -> None:
    repository = restarted(acting)
    mirror = Path((repository / "objects/info/alternates").read_text().strip())
    cut(mirror.parent, git(acting.tree, "rev-parse", "HEAD:calc.py"))
    with pytest.raises(
        ApplicationError, match=r"in the copy of .* is cut off; .* remove .*\.mirrors/.*resume"
    ) as raised:
        await acting.prepare()
    assert raised.value.non_retryable
    assert not Path(f"{repository}.damaged-1").exists()
    shutil.rmtree(mirror.parent)
    await acting.prepare()
