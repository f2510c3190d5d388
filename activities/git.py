"""Runs `git` as a subprocess: no shell, no prompt, no hook, an end to its time, nothing left running."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

LOCAL_TIME = 900.0  # seconds; writing 50,000 files takes about five
GRACE = 2.0  # seconds for git to remove its lock files before it is killed

# A repository is data: nothing in it, and nothing set for the person's own shell, may make git run
# programs, write to the repository or ask questions.
ALWAYS = (
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "protocol.ext.allow=never"),
    *("-c", "gc.auto=0"),
    *("-c", "maintenance.auto=false"),
    *("-c", "advice.detachedHead=false"),
)
# How the person's git reaches servers and which certificates it trusts; all other GIT_* variables (GIT_DIR
# and the like are set when we are started from a hook) would point git somewhere else.
_KEPT = ("GIT_SSH", "GIT_ASKPASS", "GIT_SSL_", "GIT_PROXY_SSL_", "GIT_EXEC_PATH", "GIT_CONFIG_")
_QUIET = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    # A partial clone names the program that fetches what it lacks; older releases of git do not know this.
    "GIT_NO_LAZY_FETCH": "1",
}
# For repositories of our own: the same result on every machine, whatever anyone has configured.
_PRIVATE = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_PARAMETERS": "",
    # The state folder may be a volume that another user owns; what is in it we made ourselves.
    "GIT_CONFIG_COUNT": "3",
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*",
    # These two files of a person's are read even when no configuration names them.
    "GIT_CONFIG_KEY_1": "core.excludesFile",
    "GIT_CONFIG_VALUE_1": os.devnull,
    "GIT_CONFIG_KEY_2": "core.attributesFile",
    "GIT_CONFIG_VALUE_2": os.devnull,
}
# What ssh and git add below the line that says what was wrong.
_BOILERPLATE = (
    "fatal: Could not read from remote repository.",
    "Please make sure you have the correct access rights",
    "and the repository exists.",
)


class GitError(Exception):
    """`git` said no. `last_line` is the last telling line of its stderr, without `fatal:`."""

    stdout = b""
    """what was printed all the same"""

    def __init__(self, command: str, stderr: str) -> None:
        lines = [line.strip() for line in stderr.splitlines() if line.strip()]
        telling = [line for line in lines if line not in _BOILERPLATE] or lines or ["no message"]
        self.stderr = stderr
        self.last_line = telling[-1].removeprefix("fatal: ").removeprefix("error: ")
        super().__init__(f"git {command} failed: {self.last_line}")


class GitMissing(GitError):
    """There is no `git` on PATH."""


class GitTimeout(GitError):
    """`git` took longer than it may."""


@dataclass(frozen=True)
class Git:
    """A way to run git. `private` ignores all configuration outside of the repository.

    `keep_open` are file descriptors that git inherits: a lock is held until the last git is gone, even
    when this process is killed in the middle.
    """

    private: bool = True
    keep_open: Sequence[int] = ()
    extra: Mapping[str, str] = field(default_factory=dict)

    async def run(
        self,
        *arguments: str | Path,
        stdin: bytes = b"",
        into: IO[bytes] | None = None,
        timeout: float = LOCAL_TIME,
    ) -> bytes:
        """Standard output, blank where it goes `into` a file.

        Raises GitError, GitMissing, GitTimeout; when cancelled git is gone first.
        """
        command = next((str(each) for each in arguments if str(each)[:1] not in "-/"), "")
        try:
            process = await asyncio.create_subprocess_exec(
                "git",
                *ALWAYS,
                *map(str, arguments),
                stdin=asyncio.subprocess.PIPE,
                stdout=into or asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=self.environment(),
                # A session of its own: no terminal that ssh could ask for a password, and one group to kill.
                start_new_session=True,
                pass_fds=self.keep_open,
            )
        except FileNotFoundError as error:
            raise GitMissing(command, "git is not installed or not on PATH") from error
        try:
            async with asyncio.timeout(timeout):
                stdout, stderr = await process.communicate(stdin)
        except TimeoutError as error:
            raise GitTimeout(command, f"git took longer than {timeout:g} seconds") from error
        finally:
            await _end(process)
        if process.returncode != 0:
            refused = GitError(command, stderr.decode("utf-8", "replace"))
            refused.stdout = stdout or b""
            raise refused
        return stdout or b""

    async def line(self, *arguments: str | Path, timeout: float = LOCAL_TIME) -> str:
        """Standard output as one stripped text."""
        return (await self.run(*arguments, timeout=timeout)).decode("utf-8", "replace").strip()

    def environment(self) -> dict[str, str]:
        """The variables that git is run with."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k.startswith(_KEPT)}
        kept.pop("SSH_ASKPASS", None)
        return kept | _QUIET | (_PRIVATE if self.private else {}) | dict(self.extra)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Leave nothing of git's process group behind: first politely, so that it removes its lock files."""
    if process.returncode is not None:
        return
    _signal(process.pid, signal.SIGTERM)
    try:
        await _gone(process)
    finally:
        _signal(process.pid, signal.SIGKILL)
    await _gone(process)


async def _gone(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(TimeoutError):  # it may not listen
        await asyncio.wait_for(process.wait(), GRACE)


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):  # all of it may have ended already
        os.killpg(group, number)
