"""Locks between the workers of one machine, held in files, freed by the kernel when a worker dies."""

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

_POLL = 0.05  # seconds between two tries


@asynccontextmanager
async def locked(path: Path) -> AsyncIterator[int]:
    """Wait for the lock and hold it; gives its file descriptor.

    A child that inherits the descriptor holds the lock too, so that what a killed worker has left
    running is waited for. The file itself stays: removing it would let two holders in.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        # Polled, since a thread that blocks in flock could not be cancelled.
        while not _taken(held):
            await asyncio.sleep(_POLL)
        yield held
    finally:
        os.close(held)


def _taken(held: int) -> bool:
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
