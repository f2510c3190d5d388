"""A process that parses texts for `crew` until its input ends."""

import gc
import os
import signal
import sys
from functools import partial
from pathlib import Path

import msgspec

from activities.index.batch import parse_batch
from activities.index.child import Task, receive, send
from activities.index.tree import FolderTree, GitTree, Tree


def main() -> None:
    """Say that we are there, then answer tasks on standard output."""
    gc.disable()  # parsing makes many objects and no cycles; looking for some takes a third of its time
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when it is over
    signal.signal(
        signal.SIGPROF, signal.SIG_DFL
    )  # ends us inside of any library, which an exception would not
    source, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library may print is no answer
    send(answers, b"")
    tasks = msgspec.msgpack.Decoder(Task)
    while (data := receive(source)) is not None:
        task = tasks.decode(data)
        tree: Tree = GitTree(Path(task.folder), "", task.git) if task.git else FolderTree(Path(task.folder))
        alarm = partial(signal.setitimer, signal.ITIMER_PROF, task.seconds)
        answer = parse_batch(tree, task.wanted, alarm)
        signal.setitimer(signal.ITIMER_PROF, 0)
        send(answers, msgspec.msgpack.encode(answer))


if __name__ == "__main__":
    main()
