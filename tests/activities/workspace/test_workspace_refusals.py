"""What cannot be opened is said in one sentence, and nothing is left of it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from activities.repository import RepositoryUnavailable, RepositoryUnusable
from activities.workspace import Workspaces, check_repository
from tests.activities.workspace.repos import git, nothing_is_left


async def refused(workspaces: Workspaces, repository: Path | str, says: str) -> RepositoryUnusable:
    """`open` and `check_repository` refuse alike, in one sentence, and nothing is left."""
    with pytest.raises(RepositoryUnusable, match=says) as caught:
        await workspaces.open("job-1", str(repository))
    assert "\n" not in str(caught.value)
    assert ";" in str(caught.value)
    assert nothing_is_left(workspaces.root)
    with pytest.raises(RepositoryUnusable, match=says):
        await check_repository(str(repository))
    return caught.value


async def test_what_is_not_there_or_no_folder_is_refused(workspaces: Workspaces, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    await refused(workspaces, tmp_path / "nosuch", "does not exist")
    await refused(workspaces, tmp_path / "file", "is a file")
    await refused(workspaces, tmp_path / "file" / "below", "does not exist")
    await refused(workspaces, tmp_path / "empty", "is empty")
    await refused(workspaces, tmp_path / "loop", "does not exist")
    await refused(workspaces, "x" * 5000, "cannot be used")
    await refused(workspaces, "", "no repository")
    await refused(workspaces, "a\0b", "no repository")
    await refused(workspaces, "\udce9", "no repository")
    await refused(workspaces, "/", "everything")
    await refused(workspaces, "~", "everything")


async def test_a_repository_without_commits_is_refused(workspaces: Workspaces, tmp_path: Path) -> None:
    (tmp_path / "fresh" / "sub").mkdir(parents=True)
    git(tmp_path / "fresh", "init", "-q")
    (tmp_path / "fresh" / "sub" / "a.py").write_text("a = 1\n")
    await refused(workspaces, tmp_path / "fresh", "no commits yet")
    await refused(workspaces, tmp_path / "fresh" / "sub", "no commits yet")


async def test_commits_and_folders_without_files_are_refused(
    workspaces: Workspaces, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "hollow").mkdir()
    git(tmp_path / "hollow", "init", "-q")
    git(tmp_path / "hollow", "commit", "-q", "--allow-empty", "-m", "nothing")
    (tmp_path / "ignored").mkdir()
    (tmp_path / "ignored" / ".gitignore").write_text("*\n")
    for name in ("hollow", "ignored"):
        with pytest.raises(RepositoryUnusable, match="no files"):
            await workspaces.open("job-1", str(tmp_path / name))
    assert nothing_is_left(root)


async def test_a_broken_repository_is_not_taken_for_a_folder(
    workspaces: Workspaces, repository: Path, tmp_path: Path
) -> None:
    (repository / ".git" / "HEAD").unlink()
    await refused(workspaces, repository, "try `git status` there")
    (tmp_path / "moved").mkdir()
    (tmp_path / "moved" / ".git").write_text("gitdir: /nosuch/worktrees/x\n")
    await refused(workspaces, tmp_path / "moved", "try `git status` there")


async def test_a_damaged_object_is_said_and_nothing_is_left(
    workspaces: Workspaces, root: Path, repository: Path
) -> None:
    name = git(repository, "rev-parse", "HEAD:a.py")
    damaged = repository / ".git" / "objects" / name[:2] / name[2:]
    damaged.chmod(0o644)
    damaged.write_bytes(b"garbage")
    with pytest.raises(RepositoryUnusable, match="cannot be read"):
        await workspaces.open("job-1", str(repository))
    assert nothing_is_left(root)


async def test_without_git_it_says_so(
    workspaces: Workspaces, repository: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    await refused(workspaces, repository, "git is not installed")
    await refused(workspaces, folder, "git is not installed")
    await refused(workspaces, repository.as_uri(), "git is not installed")


async def test_a_full_disk_may_pass(
    workspaces: Workspaces, root: Path, repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = shutil.which("git")
    (tmp_path / "bin").mkdir()
    full = tmp_path / "bin" / "git"
    full.write_text(
        '#!/bin/sh\ncase "$*" in *worktree*add*) echo "fatal: No space left on device" >&2; exit 128;; esac\n'
        f'exec {real} "$@"\n'
    )
    full.chmod(0o755)
    monkeypatch.setenv("PATH", f"{full.parent}:{os.environ['PATH']}")
    with pytest.raises(RepositoryUnavailable, match="disk is full"):
        await workspaces.open("job-1", str(repository))
    assert nothing_is_left(root)


@contextmanager
def as_nobody() -> Iterator[None]:
    """As a user without rights, also when the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def let_everyone_enter(tmp_path: Path) -> None:
    """pytest closes its folders to others, which would hide what is being tried."""
    for folder in (tmp_path, *tmp_path.parents):
        if "pytest" in str(folder):
            folder.chmod(0o755)


async def test_missing_rights_are_named(repository: Path, tmp_path: Path) -> None:
    let_everyone_enter(tmp_path)
    repository.chmod(0)
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o555)
    try:
        with as_nobody():
            with pytest.raises(RepositoryUnusable, match=f"{repository} may not be read"):
                await check_repository(str(repository))
            with pytest.raises(RepositoryUnusable, match=f"{locked}.* may not be read or written"):
                await Workspaces(locked / "root").open("job-1", str(tmp_path / "project"))
    finally:
        repository.chmod(0o755)


async def test_a_repository_of_another_user_is_explained(
    workspaces: Workspaces, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(repository, 65534, 65534)
    os.chown(repository / ".git", 65534, 65534)
    with pytest.raises(RepositoryUnusable, match=r"belongs to another user.*safe\.directory"):
        await workspaces.open("job-1", str(repository))


async def test_unreadable_files_of_a_folder_are_counted_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_everyone_enter(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    open_to_all = tmp_path / "all"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    (open_to_all / "plain").mkdir()
    (open_to_all / "plain" / "a.py").write_text("a = 1\n")
    (open_to_all / "plain" / "secret.py").write_text("s = 1\n")
    (open_to_all / "plain" / "secret.py").chmod(0)
    (open_to_all / "plain" / "closed").mkdir(mode=0)
    with as_nobody():
        opened = await Workspaces(open_to_all / "root").open("job-1", str(open_to_all / "plain"))
    assert (opened.ref.files, opened.ref.skipped) == (1, 1)
