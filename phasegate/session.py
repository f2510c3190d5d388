"""What a command works with: settings, two consoles, whether a person is there, and the way to the server."""

import getpass
import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType

from phasegate.problems import Exit
from phasegate.screen.consoles import console_on, show, write_json
from phasegate.settings import Settings

if TYPE_CHECKING:
    from phasegate.client import JobClient


@dataclass(frozen=True)
class Outcome:
    """What a command came to: an object for --json, the same for people, and the exit code."""

    data: Any
    parts: tuple[RenderableType, ...] = ()
    code: int = Exit.DONE


@dataclass(frozen=True)
class Session:
    """One run of one command."""

    as_json: bool
    settings: Settings = field(default_factory=Settings.load)
    out: Console = field(default_factory=lambda: console_on(sys.stdout))
    err: Console = field(default_factory=lambda: console_on(sys.stderr))

    @property
    def interactive(self) -> bool:
        """Whether a person can be asked: a terminal on both ends, and nobody who wants JSON."""
        return not self.as_json and sys.stdin.isatty() and sys.stdout.isatty()

    def say(self, *parts: RenderableType) -> None:
        """To the person, now: on stdout in a conversation, else on stderr."""
        show(self.out if self.interactive else self.err, *parts)

    def deliver(self, outcome: Outcome) -> None:
        """What the command was asked for."""
        if self.as_json:
            if outcome.data is not None:
                write_json(outcome.data)
        else:
            show(self.out, *outcome.parts)

    async def client(self) -> "JobClient":
        """A connection as the settings say. Raises NoServer."""
        from phasegate.client import JobClient
        from phasegate.logs import configure_logs, temporal_runtime

        # Temporal's core would write to stdout in a form of its own
        configure_logs("error", self.settings.log_format)
        return await JobClient.connect(self.settings, temporal_runtime())


def person() -> str:
    """Who decides: PHASEGATE_BY, else the user's name on this machine. Self-asserted either way."""
    if name := os.environ.get("PHASEGATE_BY", "").strip():
        return name
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        # a container without a user entry
        return ""
