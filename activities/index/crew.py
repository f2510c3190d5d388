"""Parsing in several processes: a parser holds the interpreter, so threads would take turns.

The processes are plain `python -m` children over pipes: nothing is forked from a worker with threads, and the
worker's own main module is not imported again. A child ends when its input does, however its parent ended.
"""

import os
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import IO

import msgspec

from activities.index.batch import Batch, Wanted, parse_batch
from activities.index.tree import FolderTree, GitTree

_SMALL = 1_500_000
_CHUNK_BYTES = 700_000
_CHUNK_TEXTS = 400
_LENGTH = struct.Struct("<Q")
_MOST = 8
_CODE = Path(__file__).resolve().parents[2]

Chunk = tuple[int, list[Wanted]]


class Task(msgspec.Struct, frozen=True, array_like=True):
    """What a child gets: where the texts are, and which."""

    git: str
    folder: str
    wanted: list[Wanted]


def parse_all(tree: GitTree | FolderTree, wanted: Sequence[Wanted]) -> Iterator[tuple[int, Batch]]:
    """Batches with the place of their first text, in any order; all of `wanted` is in one of them."""
    chunks = list(_chunks(wanted))
    processes = min(_cores(), len(chunks))
    if processes < 2 or sum(each.size for each in wanted) < _SMALL:
        for first, texts in chunks:
            yield first, parse_batch(tree, texts)
        return
    idle: SimpleQueue[_Child] = SimpleQueue()
    children = [_Child() for _ in range(processes)]
    for child in children:
        idle.put(child)

    def work(chunk: Chunk) -> tuple[int, Batch]:
        child = idle.get()
        try:
            return chunk[0], child.parse(tree, chunk[1])
        finally:
            idle.put(child)

    with ThreadPoolExecutor(processes) as threads:
        try:
            for done in as_completed([threads.submit(work, chunk) for chunk in chunks]):
                yield done.result()
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            for child in children:
                child.end()


def _chunks(wanted: Sequence[Wanted]) -> Iterator[Chunk]:
    """Runs of about the same number of bytes."""
    first, size = 0, 0
    for place, each in enumerate(wanted):
        size += each.size
        if size >= _CHUNK_BYTES or place - first + 1 >= _CHUNK_TEXTS:
            yield first, list(wanted[first : place + 1])
            first, size = place + 1, 0
    if first < len(wanted):
        yield first, list(wanted[first:])


def _cores() -> int:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, _MOST)


class _Child:
    """One process; started with the first chunk, and again when it died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._over = False

    def parse(self, tree: GitTree | FolderTree, wanted: list[Wanted]) -> Batch:
        """Have a chunk parsed. A chunk that kills the process is parsed here instead."""
        task = Task(tree.git_folder if isinstance(tree, GitTree) else "", os.fspath(tree.root), wanted)
        process = self._running()
        assert process.stdin
        assert process.stdout
        try:
            send(process.stdin, msgspec.msgpack.encode(task))
            answer = receive(process.stdout)
        except OSError:
            answer = None
        if answer is None:
            if self._over:
                raise RuntimeError("indexing was given up")
            self.end()
            self._over = False
            return parse_batch(tree, wanted)
        return msgspec.msgpack.decode(answer, type=Batch)

    def end(self) -> None:
        """Stop the process and wait for it."""
        self._over = True
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                with suppress(OSError):  # what was not read yet is of no use any more
                    stream.close()  # type: ignore[union-attr]
            self._process = None

    def _running(self) -> "subprocess.Popen[bytes]":
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
        return self._process


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
