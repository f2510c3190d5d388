"""Checkouts of real repositories, folders and URLs; the person's own repository is never touched."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from activities.repository import RepositoryUnavailable, RepositoryUnusable
from activities.workspace import Workspaces, check_repository
from states.workspace import WorkspaceRef, WorkspaceSource

HERE = Path(__file__).parents[2]


def git(where: Path, *arguments: str, stdin: bytes = b"") -> str:
    """Run git as a person would."""
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *identity, *arguments], cwd=where, input=stdin, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().strip()


def commit(repository: Path, name: str, text: str, message: str = "change") -> str:
    (repository / name).parent.mkdir(parents=True, exist_ok=True)
    (repository / name).write_text(text)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", message)
    return git(repository, "rev-parse", "HEAD")


def contents(folder: Path) -> dict[str, object]:
    """Everything in a folder that a writer could have changed; links are not followed."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            found[str(path.relative_to(folder))] = os.readlink(path)
        elif path.is_file():
            found[str(path.relative_to(folder))] = (path.read_bytes(), path.stat().st_mtime_ns)
        else:
            found[str(path.relative_to(folder))] = path.stat().st_mtime_ns if path.is_dir() else "special"
    return found


def code_of(checkout: Path) -> dict[str, str]:
    return {
        str(path.relative_to(checkout)): path.read_text()
        for path in sorted(checkout.rglob("*"))
        if path.is_file() and path.name != ".git"
    }


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    path = tmp_path / "project"
    path.mkdir()
    git(path, "init", "-q")
    commit(path, "a.py", "a = 1\n", "first")
    commit(path, "pkg/b.py", "b = 1\n", "Add b, größer")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "plain"
    (path / "src").mkdir(parents=True)
    (path / "src" / "a.py").write_text("a = 1\n")
    (path / "README").write_text("plain\n")
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "state" / "workspaces"


@pytest.fixture
def workspaces(root: Path) -> Workspaces:
    return Workspaces(root)


def nothing_is_left(root: Path) -> bool:
    """Whether no job folder and nothing half-made is there."""
    jobs = [path for path in root.iterdir() if not path.name.startswith(".")] if root.exists() else []
    return not jobs and not list(root.glob(".tmp/*"))


# --- git repositories -----------------------------------------------------------------------------


async def test_a_local_repository_is_checked_out_at_its_commit(
    workspaces: Workspaces, root: Path, repository: Path
) -> None:
    opened = await workspaces.open("job-1", str(repository))
    assert opened.path == root / "job-1" / "checkout"
    assert code_of(opened.path) == {"a.py": "a = 1\n", "pkg/b.py": "b = 1\n"}
    assert opened.ref == WorkspaceRef(
        repository=str(repository),
        ref="HEAD",
        commit=git(repository, "rev-parse", "HEAD"),
        source=WorkspaceSource.GIT,
        files=2,
        subject="Add b, größer",
    )
    assert git(opened.path, "rev-parse", "HEAD") == opened.ref.commit
    assert git(opened.path, "rev-parse", "--abbrev-ref", "HEAD") == "HEAD"
    assert str(opened.path) not in opened.ref.model_dump_json()


async def test_the_own_repository_is_never_written_to(workspaces: Workspaces, repository: Path) -> None:
    (repository / "a.py").write_text("uncommitted = True\n")
    (repository / "new.py").write_text("untracked = True\n")
    before = contents(repository)
    await check_repository(str(repository))
    opened = await workspaces.open("job-1", str(repository))
    await workspaces.open("job-1", str(repository), refresh=True)
    await workspaces.close("job-1")
    assert contents(repository) == before
    assert len(git(repository, "worktree", "list").splitlines()) == 1
    assert opened.ref.files == 2


async def test_a_local_copy_shares_the_disk_space_of_its_objects(
    workspaces: Workspaces, root: Path, repository: Path
) -> None:
    await workspaces.open("job-1", str(repository))
    (mirror,) = (root / ".mirrors").iterdir()
    objects = [path for path in (mirror / "objects").rglob("*") if path.is_file() and len(path.name) == 38]
    assert objects
    assert all(path.stat().st_nlink == 2 for path in objects)
    assert not (mirror / "objects" / "info" / "alternates").exists()


async def test_a_job_keeps_its_commit_until_it_asks_for_the_newest(
    workspaces: Workspaces, repository: Path
) -> None:
    first = await workspaces.open("job-1", str(repository))
    newer = commit(repository, "a.py", "a = 2\n")
    again = await workspaces.open("job-1", str(repository))
    assert again == first
    assert (again.path / "a.py").read_text() == "a = 1\n"
    refreshed = await workspaces.open("job-1", str(repository), refresh=True)
    assert refreshed.ref.commit == newer
    assert (refreshed.path / "a.py").read_text() == "a = 2\n"
    assert (await workspaces.open("job-1", str(repository))).ref.commit == newer
    assert (await workspaces.open("job-2", str(repository))).ref.commit == newer


async def test_a_sub_folder_means_its_repository(workspaces: Workspaces, repository: Path) -> None:
    opened = await workspaces.open("job-1", str(repository / "pkg"))
    assert (opened.ref.repository, opened.ref.subfolder) == (str(repository), "pkg")
    assert (opened.path / "a.py").exists()


async def test_a_folder_that_merely_lies_in_a_repository_is_a_folder(
    workspaces: Workspaces, repository: Path
) -> None:
    (repository / "notes").mkdir()
    (repository / "notes" / "n.txt").write_text("n\n")
    opened = await workspaces.open("job-1", str(repository / "notes"))
    assert opened.ref.source is WorkspaceSource.FOLDER
    assert code_of(opened.path) == {"n.txt": "n\n"}


async def test_bare_repositories_git_folders_and_worktrees_work(
    workspaces: Workspaces, repository: Path, tmp_path: Path
) -> None:
    head = git(repository, "rev-parse", "HEAD")
    git(tmp_path, "clone", "-q", "--bare", str(repository), "bare.git")
    git(repository, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"), "HEAD~1")
    for job, path, expected in (
        ("bare", tmp_path / "bare.git", head),
        ("inside-bare", tmp_path / "bare.git" / "refs", head),
        ("git-folder", repository / ".git", head),
        ("linked", tmp_path / "linked", git(repository, "rev-parse", "HEAD~1")),
    ):
        await check_repository(str(path))
        opened = await workspaces.open(job, str(path))
        assert opened.ref.commit == expected, job
        assert (opened.path / "a.py").exists()


async def test_the_commit_survives_whatever_happens_to_the_repository(
    workspaces: Workspaces, repository: Path, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", "--shared", str(repository), "borrower")
    opened = await workspaces.open("job-1", str(tmp_path / "borrower"))
    git(repository, "reset", "-q", "--hard", "HEAD~1")
    git(repository, "reflog", "expire", "--expire=now", "--all")
    git(repository, "gc", "-q", "--prune=now")
    shutil.rmtree(tmp_path / "borrower")
    shutil.rmtree(opened.path)
    path = await workspaces.checkout("job-1", opened.ref)
    assert (path / "pkg" / "b.py").read_text() == "b = 1\n"
    assert git(path, "log", "--format=%s").splitlines() == ["Add b, größer", "first"]


async def test_shallow_clones_work_and_grow(workspaces: Workspaces, repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth=1", repository.as_uri(), "shallow")
    await workspaces.open("job-1", str(tmp_path / "shallow"))
    newer = commit(repository, "a.py", "a = 2\n")
    git(tmp_path / "shallow", "fetch", "-q", "--depth=1")
    opened = await workspaces.open("job-2", str(tmp_path / "shallow"), "origin/HEAD")
    assert opened.ref.commit == newer
    assert git(opened.path, "log", "--format=%H") == newer
    git(opened.path, "fsck", "--connectivity-only")


@pytest.mark.parametrize(
    "name", ["main", "v1", "annotated", "HEAD~1", "side", "refs/heads/side", "SHORT", "FULL"]
)
@pytest.mark.parametrize("by_url", [False, True])
async def test_a_ref_can_be_anything_that_names_a_commit(
    workspaces: Workspaces, repository: Path, name: str, by_url: bool
) -> None:
    git(repository, "branch", "side", "HEAD~1")
    git(repository, "tag", "v1", "HEAD~1")
    git(repository, "tag", "-a", "-m", "t", "annotated", "HEAD~1")
    expected = git(repository, "rev-parse", "main" if name == "main" else "HEAD~1")
    ref = {"SHORT": expected[:9], "FULL": expected}.get(name, name)
    opened = await workspaces.open("job-1", repository.as_uri() if by_url else str(repository), ref)
    assert (opened.ref.ref, opened.ref.commit) == (ref, expected)


@pytest.mark.parametrize(
    "ref", ["nosuch", "-x", "--upload-pack=touch evil", "", " ", "a b", "a\nb", "HEAD:a.py", "f" * 40]
)
@pytest.mark.parametrize("by_url", [False, True])
async def test_an_unknown_ref_is_refused_and_nothing_is_left(
    workspaces: Workspaces, root: Path, repository: Path, ref: str, by_url: bool
) -> None:
    with pytest.raises(RepositoryUnusable, match="branches, tags or commits") as caught:
        await workspaces.open("job-1", repository.as_uri() if by_url else str(repository), ref)
    assert "\n" not in str(caught.value)
    assert nothing_is_left(root)
    assert not (repository / "evil").exists()


async def test_committed_bytes_are_checked_out_as_they_are(workspaces: Workspaces, repository: Path) -> None:
    (repository / "crlf.txt").write_bytes(b"one\r\ntwo\n")
    (repository / "latin.py").write_bytes(b"x = '\xe9'\n\x00")
    (repository / "loop").symlink_to("loop")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "odd bytes")
    (repository / ".gitattributes").write_text("*.txt text eol=lf\n*.bin filter=lfs\n")
    git(repository, "add", ".gitattributes")
    git(repository, "commit", "-qm", "attributes")
    opened = await workspaces.open("job-1", str(repository))
    assert (opened.path / "crlf.txt").read_bytes() == b"one\r\ntwo\n"
    assert (opened.path / "latin.py").read_bytes() == b"x = '\xe9'\n\x00"
    assert os.readlink(opened.path / "loop") == "loop"
    assert opened.ref.files == 6
    before = (opened.path / "crlf.txt").stat().st_ino
    await workspaces.checkout("job-1", opened.ref)
    assert (opened.path / "crlf.txt").stat().st_ino == before  # not made again for looking modified


async def test_submodules_do_not_get_in_the_way(
    workspaces: Workspaces, repository: Path, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", str(repository), "lib")
    git(
        repository, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "lib"), "lib"
    )
    git(repository, "commit", "-qm", "lib")
    opened = await workspaces.open("job-1", str(repository))
    assert opened.ref.files == 3
    assert await workspaces.checkout("job-1", opened.ref) == opened.path


async def test_no_program_of_the_repository_or_the_person_runs(
    workspaces: Workspaces, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap, sprung = tmp_path / "trap", tmp_path / "sprung"
    trap.write_text(f"#!/bin/sh\ntouch {sprung}\ncat\n")
    trap.chmod(0o755)
    templates = tmp_path / "templates" / "hooks"
    templates.mkdir(parents=True)
    hooks = ("post-checkout", "reference-transaction", "post-index-change")
    for hook in hooks:
        shutil.copy(trap, templates / hook)
        shutil.copy(trap, repository / ".git" / "hooks" / hook)
    config = tmp_path / "gitconfig"
    config.write_text(
        f"[init]\ntemplateDir = {templates.parent}\n[core]\nhooksPath = {templates}\nfsmonitor = {trap}\n"
        f'[filter "evil"]\nsmudge = {trap}\nclean = {trap}\nrequired = true\n'
    )
    (repository / ".gitattributes").write_text("*.py filter=evil\n")
    for each in ("a.py", ".gitattributes"):
        git(repository, "add", each)
    git(repository, "-c", "core.hooksPath=/dev/null", "commit", "-qm", "trap")
    git(repository, "config", "core.fsmonitor", str(trap))
    git(repository, "config", "filter.evil.smudge", str(trap))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    sprung.unlink(missing_ok=True)
    await check_repository(str(repository))
    opened = await workspaces.open("job-1", str(repository))
    await workspaces.open("job-2", repository.as_uri())
    shutil.rmtree(opened.path)
    await workspaces.checkout("job-1", opened.ref)
    assert not sprung.exists()


@pytest.mark.parametrize("missing", ["commit", "tree", "blob"])
async def test_a_partial_clone_does_not_run_the_program_that_it_names(
    workspaces: Workspaces, repository: Path, tmp_path: Path, missing: str
) -> None:
    sprung = tmp_path / "sprung"
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {sprung}\nexit 1\n")
    trap.chmod(0o755)
    names = {"commit": "HEAD", "tree": "HEAD^{tree}", "blob": git(repository, "ls-files", "-s").split()[1]}
    gone = git(repository, "rev-parse", names[missing])
    (repository / ".git" / "objects" / gone[:2] / gone[2:]).unlink()
    for name, value in (
        *(("core.repositoryFormatVersion", "1"), ("extensions.partialClone", "evil")),
        *(("remote.evil.promisor", "true"), ("remote.evil.url", str(tmp_path / "elsewhere"))),
        *(("remote.evil.uploadpack", str(trap)), ("core.sshCommand", str(trap))),
    ):
        git(repository, "config", name, value)
    for ref in ("HEAD", "1234567890" * 4):
        with suppress(RepositoryUnusable):  # it does not look at files
            await check_repository(str(repository), ref)
        with pytest.raises(RepositoryUnusable):
            await workspaces.open("job-1", str(repository), ref)
    assert not sprung.exists()


async def test_variables_of_a_surrounding_git_hook_do_not_lead_astray(
    workspaces: Workspaces, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    opened = await workspaces.open("job-1", str(repository))
    assert opened.ref.files == 2


# --- the checkout ---------------------------------------------------------------------------------


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


# --- many at once, killed, cancelled -----------------------------------------------------------------


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


# --- URLs ------------------------------------------------------------------------------------------


async def test_a_url_is_cloned_and_its_head_followed(workspaces: Workspaces, repository: Path) -> None:
    url = repository.as_uri()
    await check_repository(url)
    first = await workspaces.open("job-1", url)
    assert (first.ref.repository, first.ref.files) == (url, 2)
    git(repository, "checkout", "-q", "-b", "trunk")
    newer = commit(repository, "a.py", "a = 2\n")
    git(repository, "branch", "-q", "-D", "main")
    assert await workspaces.open("job-1", url) == first
    assert (await workspaces.open("job-1", url, refresh=True)).ref.commit == newer
    # The default branch of the first clone is gone; a branch of that name with a slash takes its place.
    git(repository, "branch", "main/sub")
    assert (await workspaces.open("job-2", url, "main/sub")).ref.commit == newer


async def test_a_pull_request_can_be_planned_on(workspaces: Workspaces, repository: Path) -> None:
    head = git(repository, "rev-parse", "HEAD")
    git(repository, "update-ref", "refs/pull/7/head", commit(repository, "a.py", "a = 7\n"))
    git(repository, "reset", "-q", "--hard", head)
    opened = await workspaces.open("job-1", repository.as_uri(), "refs/pull/7/head")
    assert (opened.path / "a.py").read_text() == "a = 7\n"


async def test_a_server_whose_head_is_dangling_still_has_branches(
    workspaces: Workspaces, repository: Path
) -> None:
    git(repository, "symbolic-ref", "HEAD", "refs/heads/nosuch")
    assert (await workspaces.open("job-1", repository.as_uri(), "main")).ref.files == 2
    with pytest.raises(RepositoryUnusable, match="has no 'HEAD'"):
        await workspaces.open("job-2", repository.as_uri())


@pytest.mark.parametrize(
    ("url", "passing", "says"),
    [
        ("http://127.0.0.1:1/team/project.git", True, "cannot be reached"),
        ("https://nosuch.invalid/team/project.git", True, "cannot be reached"),
        ("file:///nosuch/project.git", False, "cannot be read"),
        ("ext::touch evil", False, "does not exist"),
        ("foo://example.org/x", False, "no address that git can clone"),
        ("https://me:secret@example.org/x.git", False, "carries a password"),
        ("https://ghp_0123456789abcdef@example.org/x.git", False, "carries a password"),
    ],
)
async def test_a_url_that_cannot_work_is_refused_in_one_sentence(
    workspaces: Workspaces, root: Path, url: str, passing: bool, says: str
) -> None:
    for attempt in (check_repository(url), workspaces.open("job-1", url)):
        with pytest.raises(RepositoryUnusable, match=says) as caught:
            await attempt
        assert isinstance(caught.value, RepositoryUnavailable) is passing
        assert "\n" not in str(caught.value)
        assert "secret" not in str(caught.value)
        assert "ghp_" not in str(caught.value)
    assert nothing_is_left(root)


async def test_ssh_says_why_and_not_only_that_it_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text("#!/bin/sh\necho 'git@example.org: Permission denied (publickey).' >&2\nexit 255\n")
    ssh.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(ssh))
    for url in ("git@example.org:team/project.git", "ssh://git@example.org/project.git"):
        with pytest.raises(RepositoryUnusable, match=r"refuses access \(git@example.org: Permission denied"):
            await check_repository(url)


async def test_an_empty_server_has_no_commits(workspaces: Workspaces, root: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "empty.git")
    url = (tmp_path / "empty.git").as_uri()
    for attempt in (check_repository(url), workspaces.open("job-1", url)):
        with pytest.raises(RepositoryUnusable, match="no commits yet"):
            await attempt
    assert not (root / ".mirrors").exists()


# --- plain folders ---------------------------------------------------------------------------------


async def test_a_plain_folder_gets_a_snapshot(workspaces: Workspaces, folder: Path) -> None:
    before = contents(folder)
    opened = await workspaces.open("job-1", str(folder))
    assert (opened.ref.source, opened.ref.files, opened.ref.skipped) == (WorkspaceSource.FOLDER, 2, 0)
    assert code_of(opened.path) == {"README": "plain\n", "src/a.py": "a = 1\n"}
    assert contents(folder) == before
    (folder / "README").write_text("changed\n")
    assert await workspaces.open("job-1", str(folder)) == opened
    refreshed = await workspaces.open("job-1", str(folder), refresh=True)
    assert refreshed.ref.commit != opened.ref.commit
    assert (refreshed.path / "README").read_text() == "changed\n"
    assert (await workspaces.checkout("job-1", opened.ref) / "README").read_text() == "plain\n"


async def test_equal_folders_give_equal_commits_anywhere(
    workspaces: Workspaces, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    first = await workspaces.open("job-1", str(folder))
    (tmp_path / "config" / "git").mkdir(parents=True)
    (tmp_path / "config" / "git" / "ignore").write_text("*.py\n")
    (tmp_path / "config" / "git" / "config").write_text("[core]\nautocrlf = true\nfileMode = false\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    second = await Workspaces(tmp_path / "other").open("job-1", str(tmp_path / "copy"))
    assert second.ref.commit == first.ref.commit


async def test_another_worker_takes_the_same_snapshot_or_says_that_it_cannot(
    workspaces: Workspaces, folder: Path, tmp_path: Path
) -> None:
    opened = await workspaces.open("job-1", str(folder))
    other = Workspaces(tmp_path / "other")
    assert code_of(await other.checkout("job-1", opened.ref)) == code_of(opened.path)
    (folder / "README").write_text("changed\n")
    with pytest.raises(RepositoryUnusable, match="has changed since the job started"):
        await Workspaces(tmp_path / "third").checkout("job-1", opened.ref)


async def test_a_snapshot_takes_code_and_leaves_the_rest(workspaces: Workspaces, folder: Path) -> None:
    (folder / ".gitignore").write_text("*.log\nbuild/\n")
    for name in ("x.log", "build/out.o", "node_modules/m/i.js", "src/__pycache__/a.pyc", ".hidden/h.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    with (folder / "data.bin").open("wb") as file:
        file.truncate(33 << 20)
    opened = await workspaces.open("job-1", str(folder))
    assert set(code_of(opened.path)) == {".gitignore", ".hidden/h.txt", "README", "src/a.py"}
    assert opened.ref.skipped == 1


async def test_repositories_inside_a_folder_are_read_as_its_files(
    workspaces: Workspaces, folder: Path
) -> None:
    for name in ("with", "without"):
        (folder / name / "deep").mkdir(parents=True)
        git(folder / name, "init", "-q")
        (folder / name / "deep" / "n.py").write_text(f"n = {name!r}\n")
    git(folder / "with", "add", "-A")
    git(folder / "with", "commit", "-qm", "n")
    (folder / "broken" / ".git").mkdir(parents=True)
    (folder / "broken" / "b.py").write_text("b = 1\n")
    opened = await workspaces.open("job-1", str(folder))
    assert {"with/deep/n.py", "without/deep/n.py", "broken/b.py"} < set(code_of(opened.path))
    assert opened.ref.files == 5


async def test_odd_things_in_a_folder_are_handled(workspaces: Workspaces, folder: Path) -> None:
    (folder / "loop").symlink_to("loop")
    (folder / "up").symlink_to("..")
    (folder / "dangling").symlink_to("/nosuch")
    os.mkfifo(folder / "fifo")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(folder / "socket"))
    (folder / "empty").mkdir()
    (folder / "new\nline \"'$(x)").write_text("odd")
    with open(os.path.join(os.fsencode(folder), b"caf\xe9.py"), "wb") as file:
        file.write(b"\xff\x00")
    opened = await workspaces.open("job-1", str(folder))
    listening.close()
    names = {os.fsencode(name) for name in os.listdir(opened.path)}
    assert names == {
        *(b".git", b"src", b"README", b"loop", b"up", b"dangling", b"new\nline \"'$(x)", b"caf\xe9.py"),
    }
    assert opened.ref.files == 7


async def test_a_state_folder_inside_the_folder_is_not_its_code(folder: Path) -> None:
    workspaces = Workspaces(folder / "state" / "workspaces")
    first = await workspaces.open("job-1", str(folder))
    second = await workspaces.open("job-2", str(folder))
    assert first.ref.files == 2
    assert second.ref.commit == first.ref.commit


# --- what cannot work ------------------------------------------------------------------------------


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


# --- size ------------------------------------------------------------------------------------------


async def test_fifty_thousand_files(workspaces: Workspaces, tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.mkdir()
    git(large, "init", "-q")
    rows = (f"M 644 inline d{n % 250}/f{n}.py\ndata <<E\nx = {n}\nE\n" for n in range(50_000))
    head = "commit refs/heads/main\ncommitter A <a@example.org> 1 +0000\ndata <<E\nlarge\nE\n"
    git(large, "fast-import", "--quiet", stdin=(head + "".join(rows)).encode())
    git(large, "symbolic-ref", "HEAD", "refs/heads/main")
    opened = await workspaces.open("job-1", str(large))
    assert opened.ref.files == 50_000
    started = asyncio.get_running_loop().time()
    await workspaces.checkout("job-1", opened.ref)
    assert asyncio.get_running_loop().time() - started < 5
    await workspaces.close("job-1")
