"""The runner of git, tried with programs that behave badly under the name of git."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from activities.git import Git, GitError, GitMissing, GitTimeout
from activities.locks import locked

HERE = Path(__file__).parents[2]


@pytest.fixture
def as_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "type[AsGit]":
    AsGit.folder, AsGit.patch = tmp_path / "bin", monkeypatch
    AsGit.folder.mkdir()
    return AsGit


class AsGit:
    """Puts a shell script in the place of git."""

    folder: Path
    patch: pytest.MonkeyPatch

    @classmethod
    def do(cls, script: str) -> None:
        (cls.folder / "git").write_text(f"#!/bin/sh\n{script}\n")
        (cls.folder / "git").chmod(0o755)
        cls.patch.setenv("PATH", str(cls.folder), prepend=":")


async def stops(pulse: Path) -> bool:
    """Whether nothing writes to a file any more."""
    size = pulse.stat().st_size
    await asyncio.sleep(0.4)
    return pulse.stat().st_size == size


async def test_output_and_input_go_through() -> None:
    assert (await Git().line("--version")).startswith("git version ")
    assert await Git().run("hash-object", "--stdin", stdin=b"x" * 1_000_000)


async def test_an_error_tells_its_last_telling_line(as_git: type[AsGit]) -> None:
    as_git.do(
        "echo 'warning: this' >&2; echo 'git@h: Permission denied (publickey).' >&2;"
        "echo 'fatal: Could not read from remote repository.' >&2; echo >&2;"
        "echo 'Please make sure you have the correct access rights' >&2;"
        "echo 'and the repository exists.' >&2; exit 128"
    )
    with pytest.raises(GitError) as caught:
        await Git().run("--git-dir", "/x", "fetch", "origin")
    assert str(caught.value) == "git fetch failed: git@h: Permission denied (publickey)."
    as_git.do("exit 1")
    with pytest.raises(GitError, match="git fetch failed: no message"):
        await Git().run("fetch")


async def test_a_missing_git_is_its_own_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitMissing, match="not installed"):
        await Git().run("status")


async def test_time_out_ends_a_whole_family_that_does_not_listen(as_git: type[AsGit], tmp_path: Path) -> None:
    pulse = tmp_path / "pulse"
    loop = f"trap '' TERM; while :; do echo >> {pulse}; sleep 0.05; done"
    as_git.do(f"({loop}) &\n{loop}")
    with pytest.raises(GitTimeout, match=r"longer than 0\.3 seconds"):
        await Git().run("fetch", timeout=0.3)
    assert await stops(pulse)


async def test_git_may_tidy_up_when_cancelled(as_git: type[AsGit], tmp_path: Path) -> None:
    lock = tmp_path / "index.lock"
    as_git.do(f"touch {lock}; trap 'rm {lock}; exit 1' TERM; while :; do sleep 0.02; done")
    running = asyncio.create_task(Git().run("add"))
    while not lock.exists():
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not lock.exists()


async def test_the_environment_is_what_it_should_be(
    as_git: type[AsGit], monkeypatch: pytest.MonkeyPatch
) -> None:
    as_git.do("env; test -t 0 && echo TERMINAL; true")
    for name in (
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_TRACE",
        "SSH_ASKPASS",
        "GIT_SSH_COMMAND",
        "GIT_CONFIG_GLOBAL",
    ):
        monkeypatch.setenv(name, f"mine-{name}")
    private = (await Git().line("status")).splitlines()
    as_you = (await Git(private=False).line("status")).splitlines()
    for lines in (private, as_you):
        assert {"GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0"} < set(lines)
        assert not {
            name
            for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_TRACE", "SSH_ASKPASS")
            if f"mine-{name}" in str(lines)
        }
        assert "TERMINAL" not in lines
    assert "GIT_CONFIG_GLOBAL=/dev/null" in private
    assert "GIT_CONFIG_GLOBAL=mine-GIT_CONFIG_GLOBAL" in as_you
    assert "GIT_SSH_COMMAND=mine-GIT_SSH_COMMAND" in as_you


HOLDER = """
import asyncio, sys
from pathlib import Path
from activities.git import Git
from activities.locks import locked
async def main():
    async with locked(Path(sys.argv[1])) as held:
        await Git(keep_open=(held,)).run("fetch")
asyncio.run(main())
"""


async def test_a_lock_is_held_until_the_git_of_a_killed_worker_is_gone(
    as_git: type[AsGit], tmp_path: Path
) -> None:
    pulse, lock = tmp_path / "pulse", tmp_path / "lock"
    as_git.do(f"for i in 1 2 3 4 5 6 7 8 9 10; do echo >> {pulse}; sleep 0.1; done")
    worker = subprocess.Popen([sys.executable, "-c", HOLDER, str(lock)], cwd=HERE)
    while not pulse.exists():
        await asyncio.sleep(0.01)
    worker.kill()
    worker.wait()
    async with asyncio.timeout(20), locked(lock):
        assert len(pulse.read_text()) == 10


async def test_a_waiting_for_a_lock_can_be_cancelled(tmp_path: Path) -> None:
    async with locked(tmp_path / "lock"):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2), locked(tmp_path / "lock"):
                raise AssertionError("two hold the same lock")
    async with asyncio.timeout(1), locked(tmp_path / "lock"):
        pass
