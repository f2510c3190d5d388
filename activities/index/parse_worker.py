"""A process that parses texts for `crew` until its input ends."""

import gc
import os
import signal
import sys
from pathlib import Path

import msgspec

from activities.index.batch import parse_batch
from activities.index.crew import Task, receive, send
from activities.index.tree import FolderTree, GitTree, Tree


def main() -> None:
    """Answer tasks on standard output."""
    gc.disable()  # parsing makes many objects and no cycles; looking for some takes a third of its time
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when it is over
    source, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library may print is no answer
    tasks = msgspec.msgpack.Decoder(Task)
    while (data := receive(source)) is not None:
        task = tasks.decode(data)
        tree: Tree = GitTree(Path(task.folder), "", task.git) if task.git else FolderTree(Path(task.folder))
        send(answers, msgspec.msgpack.encode(parse_batch(tree, task.wanted)))


if __name__ == "__main__":
    main()
