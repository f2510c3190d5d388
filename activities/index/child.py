"""One process that parses texts, as its parent sees it: a plain `python -m` child over pipes.

Nothing is forked from a worker with threads, and the worker's own main module is not imported again. A child
ends when its input does, however its parent ended; and it is ended by its own clock when a text takes more
processor time than it was given, whatever the code does that reads it.
"""

import atexit
import os
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO

import msgspec

from activities.index.batch import Batch, Wanted
from activities.index.tree import FolderTree, GitTree

_LENGTH = struct.Struct("<Q")
_GIVEN_UP = "indexing was given up"
_ENOUGH = 20_000_000
"""bytes that one process reads: it collects no garbage"""
_CODE = Path(__file__).resolve().parents[2]


class Task(msgspec.Struct, frozen=True, array_like=True):
    """What a child gets: where the texts are, which, and the seconds of processor time for each."""

    git: str
    folder: str
    wanted: list[Wanted]
    seconds: float


class Child:
    """Started with its first task, and again when it died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._over = False
        self.read = 0
        """bytes of the texts that its process was given"""

    @property
    def pid(self) -> int:
        """Its process; 0 while there is none."""
        return self._process.pid if self._process else 0

    def parse(self, tree: GitTree | FolderTree, wanted: list[Wanted], seconds: float) -> Batch | None:
        """Have texts parsed; None when that ended the process. Raises RuntimeError when there is none."""
        task = Task(
            tree.git_folder if isinstance(tree, GitTree) else "", os.fspath(tree.root), wanted, seconds
        )
        process = self._running()
        self.read += sum(each.size for each in wanted)
        assert process.stdin
        assert process.stdout
        try:
            send(process.stdin, msgspec.msgpack.encode(task))
            answer = receive(process.stdout)
        except OSError:
            answer = None
        if answer is not None:
            return msgspec.msgpack.decode(answer, type=Batch)
        if self._over:
            raise RuntimeError(_GIVEN_UP)
        self._stop()
        return None

    def end(self) -> None:
        """Stop for good."""
        self._over = True
        self._stop()

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                with suppress(OSError):  # what was not read yet is of no use any more
                    stream.close()  # type: ignore[union-attr]
            self._process, self.read = None, 0

    def _running(self) -> "subprocess.Popen[bytes]":
        if self._over:
            raise RuntimeError(_GIVEN_UP)
        if self._process is None:
            # -P: the folder that we stand in, which may be a repository, is no place to import from
            command = [sys.executable, "-P", "-m", "activities.index.parse_worker"]
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": str(_CODE)},
                start_new_session=True,
            )
            assert self._process.stdout
            if receive(self._process.stdout) is None:  # or each text would seem to be the reason
                self._stop()
                raise RuntimeError("no process for parsing starts; the lines above say why")
        return self._process


class Spare:
    """At most one child between two indexes: starting one takes as long as reading a small repository."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._owner = 0

    def take(self) -> Child:
        """The child that waits, or a new one."""
        with self._lock:
            child, self._child = self._child, None
            return child if child and self._owner == os.getpid() else Child()

    def give(self, child: Child) -> None:
        """Let a child wait; one that has read much, or that is not needed, ends."""
        with self._lock:
            if self._child is None and child.read < _ENOUGH:
                self._child, self._owner = child, os.getpid()
                return
        child.end()

    def end(self) -> None:
        """Let nothing wait any more."""
        with self._lock:
            child, self._child = self._child, None
        if child and self._owner == os.getpid():
            child.end()


SPARE = Spare()
atexit.register(SPARE.end)


def send(stream: IO[bytes], data: bytes) -> None:
    """Write one message."""
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Read one message; None at the end."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    data = stream.read(_LENGTH.unpack(head)[0])
    return data if len(data) == _LENGTH.unpack(head)[0] else None
