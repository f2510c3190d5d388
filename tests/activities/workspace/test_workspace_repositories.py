"""Checkouts of git repositories; the person's own repository is never touched."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from activities.repository import RepositoryUnusable
from activities.workspace import Workspaces, check_repository
from states.workspace import WorkspaceRef, WorkspaceSource
from tests.activities.workspace.repos import code_of, commit, contents, git, nothing_is_left


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
