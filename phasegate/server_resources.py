"""What an embedded server takes from the machine: ports, a log file, and its database's lock."""

import asyncio
import contextlib
import fcntl
import os
import signal
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from phasegate.server_options import HOST, DatabaseBusyError, ServerOptions

_POLL_SECONDS = 0.02


def choose_ports(port: int, ui_port: int) -> tuple[int, int]:
    """The ports given, zeros replaced by free ones, which are distinct because both are held at once."""
    with socket.socket() as one, socket.socket() as other:
        one.bind((HOST, 0))
        other.bind((HOST, 0))
        return port or one.getsockname()[1], ui_port or other.getsockname()[1]


def fresh_log(options: ServerOptions) -> Path:
    """An empty place for the server's output. The log of the run before stays once, as `<name>.before`."""
    log = options.log_file
    if log is None and options.database is not None:
        log = options.database.with_name(f"{options.database.name}.log")
    if log is None:
        handle, name = tempfile.mkstemp(prefix="phasegate-server-", suffix=".log")
        os.close(handle)
        return Path(name)
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists():
        log.replace(log.with_name(f"{log.name}.before"))
    return log


@contextlib.contextmanager
def database_lock(database: Path) -> Iterator[BinaryIO]:
    """The database's lock file, held, for the server to inherit: the lock then lives as long as the server.

    Without it two servers on one SQLite file would each believe to own every job.
    """
    database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _lock_path(database).open("a+b") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().decode(errors="replace") or "just starting"
            raise DatabaseBusyError(
                f"The database {database} is used by another server (process {holder}); stop that first."
            ) from None
        yield lock


def holder_of(database: Path) -> int | None:
    """The process id of the server that has the database open, None when nobody has."""
    if not _lock_path(database).exists():
        return None
    try:
        with database_lock(database):
            return None
    except DatabaseBusyError:
        text = _lock_path(database).read_text()
        return int(text) if text.isdecimal() else None


async def stop_leftover(database: Path, seconds: float = 10) -> int | None:
    """Stop a server that outlived the phasegate which started it; returns its process id, if there was one.

    Only a process that holds the database's lock is ever signalled.
    """
    pid = holder_of(database)
    for number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + seconds
        if pid is None or holder_of(database) != pid:
            break
        os.kill(pid, number)
        while holder_of(database) == pid and time.monotonic() < deadline:
            await asyncio.sleep(_POLL_SECONDS)
    return pid


def _lock_path(database: Path) -> Path:
    return database.with_name(f"{database.name}.lock")
