"""What a command may take of the machine, watched from outside: how many processes, how much memory."""

import asyncio
import contextlib
import functools
import os
import time
from pathlib import Path

import psutil

from activities.execution_orders import CommandRules

INTERVAL = 0.1
"""seconds between two looks; longer on a machine with so many processes that looking takes long"""
MARK = "PHASEGATE_TREE"
"""the variable by which commands without a sandbox are found again, also after a worker was killed"""
_SHARE = 20  # a look may take one part in this many of the time


async def exceeded(pid: int, rules: CommandRules) -> str:
    """Wait until a process and all below it exceed a limit; gives the sentence. Blank when all have ended."""
    while True:
        began = time.monotonic()
        count, memory = await asyncio.to_thread(_taken, pid)
        if count > rules.processes:
            return f"command ended: it started more than {rules.processes} processes"
        if memory > rules.memory_bytes:
            return f"command ended: it took more than {rules.memory_bytes:,} bytes of memory"
        if not count:
            return ""
        await asyncio.sleep(max(INTERVAL, _SHARE * (time.monotonic() - began)))


def family(pid: int) -> list[psutil.Process]:
    """A process and all below it, itself first; empty when it has ended."""
    with contextlib.suppress(psutil.NoSuchProcess):
        first = psutil.Process(pid)
        return [first, *first.children(recursive=True)]
    return []


def marked(mark: str) -> list[psutil.Process]:
    """Processes of ours with this mark in their environment, whoever started them and whenever."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get(MARK) == mark:
                found.append(process)
    return found


def _taken(pid: int) -> tuple[int, int]:
    """How many processes there are, and how many bytes are theirs alone."""
    everyone = _below(pid)
    memory = 0
    for each in everyone:
        with contextlib.suppress(psutil.Error):
            found = psutil.Process(each).memory_info()
            memory += max(found.rss - getattr(found, "shared", 0), 0)
    return len(everyone), memory


def _below(pid: int) -> list[int]:
    """The ids of a process and all below it; empty when it has ended.

    Linux tells them one by one, which takes a tenth of what going through every process of the machine does.
    """
    if not _tells_children():
        return [each.pid for each in family(pid)]
    found = [pid] if os.path.exists(f"/proc/{pid}") else []
    for each in found:
        with contextlib.suppress(OSError):  # it has ended meanwhile
            for thread in os.listdir(f"/proc/{each}/task"):
                found += map(int, Path(f"/proc/{each}/task/{thread}/children").read_text().split())
    return found


@functools.cache
def _tells_children() -> bool:
    return os.path.exists(f"/proc/self/task/{os.getpid()}/children")
