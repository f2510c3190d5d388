"""The one line at the bottom of a terminal that says what goes on now."""

from rich.console import Console
from rich.status import Status
from rich.text import Text

from phasegate.screen.models import agent_words
from states.agents import AgentNote
from states.trace import AgentProgress
from states.view import JobView
from states.words import Awaiting, Phase


class Moving:
    """Drawn again in its place; does nothing where no terminal is."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status: Status | None = None
        self._place = ""
        self.running: AgentNote | None = None
        """the agent to ask about, while the line is there"""
        self._carries_out = False

    @property
    def possible(self) -> bool:
        """Whether anybody could see it."""
        return self._console.is_terminal

    def update(self, view: JobView) -> None:
        """Say where the job is, or take the line away when it waits or has ended."""
        if view.acting and view.awaiting is Awaiting.NONE:
            self.running, self._carries_out = None, True
            if self._status is None:
                self._draw("the plan is carried out")
            return
        if view.awaiting is not Awaiting.NONE or view.phase in (None, Phase.VERIFIED):
            self.stop()
            return
        assert view.phase is not None
        self._place = f"{view.phase.name}: {view.state.stage.replace('_', ' ')}"
        self.running = view.running
        self._draw(f"{self._place}, {view.running.id}" if view.running else self._place)

    def reply(self, view: JobView) -> None:
        """Say that a reply is on its way, whomever the job waits for."""
        if self._status is None:
            self._draw("a model replies")
        self.running = view.running

    def agent(self, live: AgentProgress) -> None:
        """Say what the running agent does."""
        if self._status and self.running and self.running.id == live.agent:
            self._draw(agent_words(live))

    def steps(self, words: Text) -> None:
        """Say how far an execution is, in some lines."""
        if self._carries_out:
            self._draw(words)

    @property
    def width(self) -> int:
        """Columns."""
        return self._console.width

    def stop(self) -> None:
        """Take the line away, so that a question can stand there."""
        self.running, self._carries_out = None, False
        if self._status:
            self._status.stop()
            self._status = None

    def _draw(self, words: str | Text) -> None:
        if not self.possible:
            return
        # as Text: a string would be read as markup, and tools are named by models
        text = words if isinstance(words, Text) else Text(words)
        if self._status is None:
            self._status = self._console.status(text)
            self._status.start()
        else:
            self._status.update(text)
