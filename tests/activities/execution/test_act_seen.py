"""What a worker knows of files that it has seen: it spares reading, and never hides a change."""

import asyncio
import os
from pathlib import Path

import pygit2
import pytest

from activities.execution import seen
from activities.execution.listing import list_tree
from activities.execution.seen import Seen, Sight, lasting, time_at
from activities.execution.worktree import AT_ONCE
from tests.activities.conftest import git
from tests.activities.execution.acting import Acting, act_on, completed, shell
from tests.activities.execution.test_act_trees import allow, everything


async def test_a_change_that_keeps_size_and_time_is_in_the_snapshot(acting: Acting) -> None:
    fix = "sed 's/a - b/a + b/' calc.py > x; cat x > calc.py; rm x"
    command = f"touch -r calc.py then; {fix}; touch -r then calc.py; rm then"
    allow(acting, command)
    assert completed(await acting.step(shell(command))).files == ("calc.py",)
    assert git(acting.tree, "show", f"{acting.at.snapshot}:files/calc.py").endswith("return a + b")


async def test_edits_in_the_moment_of_a_look_are_seen_by_the_next(acting: Acting) -> None:
    for number in range(20):
        command = f"printf {number % 10} > digit"
        allow(acting, command)
        completed(await acting.step(shell(command, f"s{number}")))
        assert git(acting.tree, "show", f"{acting.at.snapshot}:files/digit") == str(number % 10)


def test_no_stamp_is_kept_that_the_next_change_may_leave_as_well(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    early = time_at(tmp_path / "clock")
    (tree / "file").write_text("1")
    stamp = list_tree(tree, 10).stamps["file"]
    assert lasting(stamp, early) is None
    assert lasting(stamp, stamp.changed) is None
    assert lasting(stamp, stamp.changed + 1) == stamp


async def test_another_process_leaves_files_their_times(
    acting: Acting, project: Path, tmp_path: Path
) -> None:
    """A killed worker's tree is put back by one that has not seen it: builds go by the times of files."""
    before = everything(acting.tree)
    was = (acting.tree / "calc.py").stat().st_mtime_ns
    (acting.tree / "docs/notes.md").write_text("half of it")
    (own,) = (acting.tree.parent / "git/worktrees").iterdir()
    (own / "phasegate-busy").touch()
    await act_on(project, tmp_path / "state", acting.store)
    assert everything(acting.tree) == before
    assert (acting.tree / "calc.py").stat().st_mtime_ns == was


def test_what_was_seen_counts_only_while_the_repository_has_it(tmp_path: Path) -> None:
    here, tree, sight = pygit2.init_repository(str(tmp_path / "git"), bare=True), tmp_path / "tree", Sight()
    tree.mkdir()
    (tree / "file").write_text("text")
    found, clock = list_tree(tree, 10), time_at(tmp_path / "clock")
    sight.keep(tree, Seen("1" * 40, {"file": (found.stamps["file"], (0o100644, b"1" * 20))}))
    since = here.TreeBuilder().write()
    looked = sight.look(here, tree, found, str(since), clock)
    assert here[looked.tree].peel(pygit2.Tree)["file"].peel(pygit2.Blob).data == b"text"


async def test_what_other_hands_made_of_a_tree_is_seen_by_a_worker_that_knows_it(acting: Acting) -> None:
    completed(await acting.step(shell("echo", "1")))
    before = everything(acting.tree)
    await asyncio.sleep(AT_ONCE)
    os.replace(acting.tree / "docs/notes.md", acting.tree / "calc.py")
    (acting.tree / "docs/notes.md").symlink_to("../calc.py")
    (acting.tree / "test_calc.py").chmod(0o700)
    result = completed(await acting.step(shell("echo", "2")))
    assert "changed by other hands" in result.notes[0]
    assert everything(acting.tree) == before


def test_what_was_used_longest_ago_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen, "MOST_FILES", 3)
    sight = Sight()
    for name in "abc":
        sight.keep(Path(name), Seen("", {f"{name}{n}": (None, (0, b"")) for n in range(2)}))
    assert list(sight.folders) == [Path("c")]
    sight.forget(Path("c"))
    assert not sight.folders
