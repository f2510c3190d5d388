"""A person at a terminal: a real pseudo-terminal around a real process."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Self

_CODES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\r")
_REDRAWN = re.compile(r"\r?\x1b\[2K")
"""a line is drawn again in its place, as a spinner does"""
PATIENCE = 40.0


class Terminal:
    """`with Terminal("plan", ..., env=...) as screen:`; `screen.shows(...)`, then `screen.type(...)`."""

    def __init__(self, *words: str, env: Mapping[str, str], columns: int = 100) -> None:
        self._words = words
        # COLUMNS, which a test runner may set, would win over the width of this terminal.
        outside = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        self._env = {**outside, **env, "TERM": "xterm-256color"}
        self._columns = columns
        self._raw = b""
        self._read_up_to = 0

    def __enter__(self) -> Self:
        self._fd, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 50, self._columns, 0, 0))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "phasegate.cli", *self._words],
            stdin=inner,
            stdout=inner,
            stderr=inner,
            env=self._env,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(inner)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._fd)

    @property
    def text(self) -> str:
        """All that was ever on the screen."""
        return _CODES.sub("", _REDRAWN.sub("\n", self._raw.decode(errors="replace")))

    def shows(self, *parts: str) -> str:
        """Wait until all of these have come since the last time; gives what came."""
        deadline = time.monotonic() + PATIENCE
        while not all(part in self.text[self._read_up_to :] for part in parts):
            assert time.monotonic() < deadline, f"waited for {parts}, the screen is:\n{self.text}"
            if not self._more():
                assert all(part in self.text[self._read_up_to :] for part in parts), self.text
        found = self.text[self._read_up_to :]
        self._read_up_to = len(self.text)
        return found

    def type(self, line: str) -> None:
        """Type a line, when the question has been on the screen for a moment."""
        self.press(f"{line}\n")

    def press(self, keys: str) -> None:
        """Press keys; `\\x03` is Ctrl-C, `\\x04` Ctrl-D."""
        time.sleep(0.3)  # what is typed before a question can be read does not count
        os.write(self._fd, keys.encode())

    def code(self) -> int:
        """The exit code, when the process has ended."""
        while self._more():
            pass
        return self._process.wait(PATIENCE)

    def _more(self) -> bool:
        """Read what is there; False when the process has closed its end."""
        ready, _, _ = select.select([self._fd], [], [], 1.0)
        if not ready:
            return True
        try:
            data = os.read(self._fd, 65536)
        except OSError:  # how Linux tells that nobody has the other end any more
            return False
        self._raw += data
        return bool(data)
