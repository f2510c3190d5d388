"""Runs one command to its end or ends it: its output kept as it comes, its limits held, nothing left."""

import asyncio
import contextlib
import os
import signal
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from activities.execution.limits import MARK, exceeded, family, marked
from activities.execution_orders import CommandRules
from activities.plain_text import strip_control

GRACE = 0.3
"""seconds from the request to stop until the kill"""
TAIL_BYTES = 4_000
_CHUNK = 1 << 16
_ROUNDS = 50  # of killing, against what starts itself again meanwhile
_LOOK = 0.01  # seconds between two looks at what was killed
_DRAIN = 1.0  # seconds for what the last processes wrote to arrive

_Task = asyncio.Task[str] | asyncio.Task[int]


@dataclass
class Running:
    """A command on its way, for whoever shows it."""

    began: float = field(default_factory=time.monotonic)
    printed: int = 0
    last: deque[bytes] = field(default_factory=deque)

    def add(self, data: bytes) -> None:
        """More output."""
        self.printed += len(data)
        self.last.append(data)
        while len(self.last) > 1 and sum(map(len, self.last)) - len(self.last[0]) >= TAIL_BYTES:
            self.last.popleft()

    @property
    def tail(self) -> str:
        """The end of what was printed, fit for a terminal."""
        return strip_control(b"".join(self.last)[-TAIL_BYTES:].decode("utf-8", "replace"))

    @property
    def seconds(self) -> float:
        """How long it has been running."""
        return time.monotonic() - self.began


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit status, or the sentence that says why it was ended."""

    status: int
    reason: str = ""

    @property
    def error(self) -> str:
        """Blank for success (behaviours B, Execution)."""
        if self.reason:
            return self.reason
        return f"command failed: exit status {self.status}" if self.status else ""


async def run_command(
    arguments: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    rules: CommandRules,
    output: Path,
    running: Running,
) -> Ended:
    """Run to the end within the limits. When cancelled, all of it has ended before this returns.

    With `MARK` in its environment it is found there by that as well; what is in a sandbox dies with that.
    Raises OSError when it cannot be started or its output cannot be kept.
    """
    process = await asyncio.create_subprocess_exec(
        *arguments,
        cwd=folder,
        env=dict(environment),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
        umask=0o022,
        limit=_CHUNK,
    )
    reading = asyncio.create_task(_read(process, output, rules.output_bytes, running))
    watching = asyncio.create_task(exceeded(process.pid, rules))
    waiting = asyncio.create_task(process.wait())
    try:
        reason = await _first(reading, watching, waiting, rules.seconds)
        if process.returncode is None:
            await _stop(process)
    except asyncio.CancelledError:
        await _stop(process)
        raise
    finally:
        watching.cancel()
        await _end(process, [reading, watching, waiting], environment.get(MARK, ""))
    status = process.returncode or 0
    return Ended(128 - status if status < 0 else status, reason)


def environment_for(home: Path | str, extra: Mapping[str, str]) -> dict[str, str]:
    """What commands see of the environment: how to find programs and how to print. No secrets."""
    kept = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "VIRTUAL_ENV", "JAVA_HOME", "GOROOT", "RUSTUP_HOME")
    found = {name: os.environ[name] for name in kept if name in os.environ}
    return {
        "LANG": "C.UTF-8",
        **found,
        "HOME": str(home),
        "TMPDIR": "/tmp",
        "TERM": "dumb",
        "CI": "1",
        "NO_COLOR": "1",
        "PYTHONUNBUFFERED": "1",
        # The repository's files may belong to the worker's user, and its hooks are nobody's business.
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
        "GIT_CONFIG_KEY_1": "core.hooksPath",
        "GIT_CONFIG_VALUE_1": "/dev/null",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        **extra,
    }


async def _first(
    reading: "asyncio.Task[str]", watching: "asyncio.Task[str]", waiting: "asyncio.Task[int]", seconds: float
) -> str:
    """Wait for the end or a limit; gives which limit, in a sentence."""
    deadline = asyncio.get_running_loop().time() + seconds
    open_tasks: set[_Task] = {reading, watching, waiting}
    while waiting in open_tasks:
        left = deadline - asyncio.get_running_loop().time()
        done, _ = await asyncio.wait(open_tasks, timeout=max(left, 0), return_when=asyncio.FIRST_COMPLETED)
        if not done:
            return f"command ended: it took longer than {seconds:g} seconds"
        for task in (reading, watching):
            if task in done and (reason := task.result()):
                return reason
        if watching in done:
            return ""  # it has ended itself; what it left behind may hold its output open
        open_tasks -= done
    return ""


async def _read(process: asyncio.subprocess.Process, output: Path, most: int, running: Running) -> str:
    """Keep what is printed; gives the sentence when it is too much."""
    assert process.stdout is not None
    with output.open("wb") as file:
        while data := await process.stdout.read(_CHUNK):
            file.write(data[: max(most - running.printed, 0)])
            running.add(data)
            if running.printed > most:
                return f"command ended: it printed more than {most:,} bytes"
    return ""


async def _stop(process: asyncio.subprocess.Process) -> None:
    """Ask everything to end, wait a moment, then make it."""
    everyone = await asyncio.to_thread(family, process.pid)
    # Around a sandbox only the kill: it would take what is inside with it without asking.
    for each in everyone[1:] or everyone:
        with contextlib.suppress(psutil.Error):
            each.send_signal(signal.SIGTERM)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(_over(process), GRACE)


async def _end(process: asyncio.subprocess.Process, tasks: Sequence[_Task], mark: str) -> None:
    """Nothing stays: the family, the group, and whoever has left both."""
    for _ in range(_ROUNDS):
        left = await asyncio.to_thread(family, process.pid) if process.returncode is None else []
        left += await asyncio.to_thread(marked, mark) if mark else []
        if not left:
            break
        kill(left)
        await asyncio.sleep(0)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await _over(process)
    _, late = await asyncio.wait(tasks, timeout=_DRAIN)
    for task in late:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _over(process: asyncio.subprocess.Process) -> None:
    """Wait for a process alone: its `wait` waits for everybody who holds its output open as well."""
    while process.returncode is None:
        await asyncio.sleep(_LOOK)


def kill(processes: Sequence[psutil.Process]) -> None:
    """End processes that may have ended already."""
    for each in processes:
        with contextlib.suppress(psutil.Error):
            each.kill()
