"""A checkout that was damaged, closed, wanted twice, or left by a killed worker."""

import asyncio
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from activities.repository import RepositoryUnusable
from activities.workspace import Workspaces
from states.workspace import WorkspaceRef, WorkspaceSource
from tests.activities.workspace.repos import HERE, code_of, commit, git, nothing_is_left


async def test_a_checkout_that_was_damaged_is_made_again(
    workspaces: Workspaces, root: Path, repository: Path
) -> None:
    opened = await workspaces.open("job-1", str(repository))
    commit(repository, "a.py", "a = 2\n")
    expected = code_of(opened.path)

    def forget() -> None:
        shutil.rmtree(root / "job-1")

    damages = (
        lambda: shutil.rmtree(opened.path),
        lambda: (opened.path / "a.py").unlink(),
        lambda: (opened.path / "a.py").write_text("a = 7\n"),
        lambda: (opened.path / "stray.py").write_text("stray\n"),
        lambda: (opened.path / ".git").unlink(),
        lambda: git(opened.path, "checkout", "-q", "HEAD~1"),
        forget,
        lambda: shutil.rmtree(root / ".mirrors"),
    )
    for damage in damages:
        damage()
        assert await workspaces.checkout("job-1", opened.ref) == opened.path
        assert code_of(opened.path) == expected
        assert git(opened.path, "rev-parse", "HEAD") == opened.ref.commit
    before = opened.path.stat().st_ino
    await workspaces.checkout("job-1", opened.ref)
    assert opened.path.stat().st_ino == before


@pytest.mark.parametrize("by_url", [False, True])
async def test_another_worker_makes_the_same_checkout(
    workspaces: Workspaces, repository: Path, tmp_path: Path, by_url: bool
) -> None:
    opened = await workspaces.open("job-1", repository.as_uri() if by_url else str(repository))
    commit(repository, "a.py", "a = 2\n")
    elsewhere = Workspaces(tmp_path / "other")
    path = await elsewhere.checkout("job-1", WorkspaceRef.model_validate_json(opened.ref.model_dump_json()))
    assert path == tmp_path / "other" / "job-1" / "checkout"
    assert code_of(path) == code_of(opened.path)


@pytest.mark.parametrize("by_url", [False, True])
async def test_a_commit_that_is_gone_everywhere_is_said(
    workspaces: Workspaces, repository: Path, tmp_path: Path, by_url: bool
) -> None:
    opened = await workspaces.open("job-1", repository.as_uri() if by_url else str(repository))
    git(repository, "reset", "-q", "--hard", "HEAD~1")
    git(repository, "reflog", "expire", "--expire=now", "--all")
    git(repository, "gc", "-q", "--prune=now")
    with pytest.raises(RepositoryUnusable, match=f"no longer has commit {opened.ref.commit[:12]}"):
        await Workspaces(tmp_path / "other").checkout("job-1", opened.ref)
    assert nothing_is_left(tmp_path / "other")


async def test_closing_removes_the_job_and_nothing_else(
    workspaces: Workspaces, root: Path, repository: Path, tmp_path: Path
) -> None:
    await workspaces.open("job-1", str(repository))
    kept = await workspaces.open("job-2", str(repository))
    for _ in range(2):
        await workspaces.close("job-1")
    await workspaces.close("never-opened")
    assert not (root / "job-1").exists()
    assert await workspaces.checkout("job-2", kept.ref) == kept.path

    (tmp_path / "precious").mkdir()
    (root / "job-3").symlink_to(tmp_path / "precious")
    await workspaces.close("job-3")
    assert (tmp_path / "precious").is_dir()
    assert not (root / "job-3").is_symlink()


@pytest.mark.parametrize("job", ["", ".", "..", "../project", ".mirrors", "a/b", "/etc", "x" * 101])
async def test_a_job_id_is_checked_before_it_becomes_a_path(
    workspaces: Workspaces, root: Path, repository: Path, job: str
) -> None:
    with pytest.raises(ValueError, match="no job id"):
        await workspaces.open(job, str(repository))
    with pytest.raises(ValueError, match="no job id"):
        await workspaces.close(job)
    assert nothing_is_left(root)
    assert repository.exists()


async def test_a_memory_that_was_cut_off_counts_as_none(
    workspaces: Workspaces, root: Path, repository: Path
) -> None:
    await workspaces.open("job-1", str(repository))
    (root / "job-1" / "workspace.json").write_text('{"repo')
    assert (await workspaces.open("job-1", str(repository))).ref.files == 2


async def test_asking_for_something_else_is_not_answered_from_memory(
    workspaces: Workspaces, repository: Path, folder: Path
) -> None:
    first = await workspaces.open("job-1", str(repository))
    assert (await workspaces.open("job-1", str(repository), "HEAD~1")).ref.commit != first.ref.commit
    assert (await workspaces.open("job-1", str(folder))).ref.source is WorkspaceSource.FOLDER


async def test_many_jobs_open_at_once(workspaces: Workspaces, root: Path, repository: Path) -> None:
    jobs = [f"job-{number}" for number in range(8)]
    opened = await asyncio.gather(
        *(workspaces.open(job, str(repository)) for job in jobs),
        *(Workspaces(root).open(job, str(repository)) for job in jobs),
    )
    assert len({each.ref for each in opened}) == 1
    assert all((each.path / "a.py").exists() for each in opened)
    assert len(list((root / ".mirrors").iterdir())) == 1
    await asyncio.gather(*(workspaces.close(job) for job in jobs))
    assert nothing_is_left(root)


async def test_one_job_wanted_twice_at_once_is_checked_out_once(root: Path, repository: Path) -> None:
    opened = await Workspaces(root).open("job-1", str(repository))
    shutil.rmtree(opened.path)

    async def written() -> int:
        path = await Workspaces(root).checkout("job-1", opened.ref)
        return (path / "a.py").stat().st_mtime_ns

    assert len(set(await asyncio.gather(*(written() for _ in range(4))))) == 1


OPENER = """
import asyncio, sys
from pathlib import Path
from activities.workspace import Workspaces
asyncio.run(Workspaces(Path(sys.argv[1])).open(sys.argv[2], sys.argv[3]))
"""


def opener(root: Path, job: str, repository: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", OPENER, str(root), job, str(repository)], cwd=HERE)


async def test_workers_in_different_processes_wait_for_each_other(root: Path, repository: Path) -> None:
    running = [opener(root, f"job-{number % 2}", repository) for number in range(4)]
    assert [process.wait(60) for process in running] == [0, 0, 0, 0]
    assert (root / "job-0" / "checkout" / "a.py").exists()
    assert (root / "job-1" / "checkout" / "a.py").exists()


async def test_a_worker_killed_at_any_moment_leaves_nothing_in_the_way(
    workspaces: Workspaces, root: Path, repository: Path
) -> None:
    for number in range(300):
        (repository / f"f{number}.py").write_text(f"f = {number}\n" * 100)
    commit(repository, "last.py", "last = 1\n")
    started = asyncio.get_running_loop().time()
    assert opener(root, "job-0", repository).wait(60) == 0
    whole = asyncio.get_running_loop().time() - started
    for number in range(1, 9):
        shutil.rmtree(root / ".mirrors", ignore_errors=number % 2 == 0)
        process = opener(root, f"job-{number}", repository)
        await asyncio.sleep(whole * (0.3 + 0.7 * number / 9))
        process.send_signal(signal.SIGKILL)
        process.wait()
        opened = await workspaces.open(f"job-{number}", str(repository))
        assert len(code_of(opened.path)) == opened.ref.files == 303
    assert not list(root.glob(".tmp/*"))


async def test_lock_files_of_a_killed_git_are_removed(
    workspaces: Workspaces, root: Path, repository: Path
) -> None:
    await workspaces.open("job-1", str(repository))
    newer = commit(repository, "a.py", "a = 2\n")
    (mirror,) = (root / ".mirrors").iterdir()
    for name in ("packed-refs.lock", "shallow.lock", f"refs/phasegate/{newer}.lock", "HEAD.lock"):
        (mirror / name).write_text("")
    assert (await workspaces.open("job-2", str(repository))).ref.commit == newer


async def test_a_cancelled_open_takes_git_along(
    workspaces: Workspaces, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pulse = tmp_path / "pulse"
    ssh = tmp_path / "ssh"
    ssh.write_text(f"#!/bin/sh\ntrap '' TERM\nwhile :; do echo >> {pulse}; sleep 0.05; done\n")
    ssh.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(ssh))
    opening = asyncio.create_task(workspaces.open("job-1", "git@example.org:team/project.git"))
    while not pulse.exists():
        await asyncio.sleep(0.02)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    size = pulse.stat().st_size
    await asyncio.sleep(0.5)
    assert pulse.stat().st_size == size
    assert nothing_is_left(root)
