"""Repositories behind a URL."""

from pathlib import Path

import pytest

from activities.repository import RepositoryUnavailable, RepositoryUnusable
from activities.workspace import Workspaces, check_repository
from tests.activities.workspace.repos import commit, git, nothing_is_left


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
