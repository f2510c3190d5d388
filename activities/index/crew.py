"""Parsing in processes of its own: a parser holds the interpreter, so threads would take turns; and there are
texts that hold a parser for hours or end its process, which must not be a worker."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from queue import SimpleQueue

from activities.index.batch import Batch, Wanted, parse_batch, unparsable
from activities.index.child import SPARE, Child
from activities.index.languages import CODE
from activities.index.tree import FolderTree, GitTree

_SMALL = 1_500_000
"""bytes that a second process is not worth its start for"""
_CHUNK_BYTES = 700_000
_CHUNK_TEXTS = 400
_SECONDS = 10.0
"""of processor time for one text: twice what parsers allow themselves"""
_MOST = 8

Chunk = tuple[int, list[Wanted]]
Place = tuple[int, Batch]


def parse_all(tree: GitTree | FolderTree, wanted: Sequence[Wanted]) -> Iterator[Place]:
    """Batches with the place of their first text, in any order; all of `wanted` is in one of them."""
    chunks = list(_chunks(wanted))
    small = sum(each.size for each in wanted) < _SMALL
    if small and not any(each.language in CODE for each in wanted):
        for first, texts in chunks:
            yield first, parse_batch(tree, texts)
        return
    processes = 1 if small else min(_cores(), len(chunks))
    idle: SimpleQueue[Child] = SimpleQueue()
    children = [SPARE.take(), *(Child() for _ in range(processes - 1))]
    for child in children:
        idle.put(child)

    def work(chunk: Chunk) -> list[Place]:
        child = idle.get()
        try:
            return parse_chunk(child, tree, chunk)
        finally:
            idle.put(child)

    with ThreadPoolExecutor(processes) as threads:
        try:
            for done in as_completed([threads.submit(work, chunk) for chunk in chunks]):
                yield from done.result()
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            for child in children:
                # One that is still at work for an index that was given up is of no use to another.
                if idle.qsize() == len(children) and child is children[0]:
                    SPARE.give(child)
                else:
                    child.end()


def parse_chunk(child: Child, tree: GitTree | FolderTree, chunk: Chunk) -> list[Place]:
    """Have a chunk parsed. When its process dies of it or of its time, each text is tried alone: the worker
    itself never reads what has ended a process."""
    first, texts = chunk
    whole = child.parse(tree, texts, _SECONDS)
    if whole is not None:
        return [(first, whole)]
    alone = ((place, [text]) for place, text in enumerate(texts, first))
    return [(place, child.parse(tree, one, _SECONDS) or unparsable()) for place, one in alone]


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
