"""What can go wrong for a person at the command line, each with its exit code."""

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of every command."""

    DONE = 0
    ERROR = 1
    USAGE = 2
    WAITING = 3
    REFUSED = 4
    BUDGET = 5
    INTERRUPTED = 130


class Problem(Exception):
    """A person's mistake or a missing part: one sentence, no traceback."""

    code = Exit.ERROR


class NoServer(Problem):
    """No Temporal server answers."""


class NoWorker(Problem):
    """No worker answers, so the job cannot be asked."""


class UnknownJob(Problem):
    """No job has this id, or several do."""

    code = Exit.USAGE


class WrongUse(Problem):
    """The command's words do not fit together."""

    code = Exit.USAGE


class RefusedByJob(Problem):
    """The job refused a message; the text is its reason."""

    code = Exit.REFUSED


class Interrupted(Problem):
    """The person pressed Ctrl-C; the text says how to go on."""

    code = Exit.INTERRUPTED
