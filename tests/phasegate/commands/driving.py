"""Run commands as people and programs do, without a terminal."""

import io
import json
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from phasegate.cli import code_of


@dataclass(frozen=True)
class Ran:
    """What came of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on stdout; anything else there fails the test."""
        return json.loads(self.out)

    @property
    def sentence(self) -> str:
        """The one line on stderr, when there is nothing else."""
        assert self.out == ""
        [line] = self.err.splitlines()
        assert line.startswith("phasegate: ")
        return line


class Commands:
    """Runs commands in this process, in a thread of their own: they own an event loop, as tests do."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, *words: str, stdin: str = "") -> Ran:
        """Run `phasegate` with these words."""
        self._monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        self._capsys.readouterr()
        codes: list[int] = []
        thread = threading.Thread(target=lambda: codes.append(code_of(list(words))))
        thread.start()
        thread.join(60)
        told = self._capsys.readouterr()
        assert codes, f"{words} did not come back: {told}"
        return Ran(codes[0], told.out, told.err)


def until(phasegate: Commands, job: str, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The view as soon as something holds."""
    for _ in range(100):
        view: dict[str, Any] = phasegate("show", job, "--json").json
        if holds(view):
            return view
        time.sleep(0.05)
    raise AssertionError(f"it never came to that: {view}")
