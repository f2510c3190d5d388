"""How the demo speaks: short prose that wraps, and commands that can be copied whole."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.text import Text

from phasegate.screen.artifact import diff_text
from phasegate.screen.tame import tame, tame_line
from states.act_commands import NextCommand
from states.amounts import counted

WIDTH = 80
"""columns of prose where more would fit"""
_MARGIN = "   "
_LONGEST = 200


class Telling:
    """Prints to a console; one that is quiet makes it silent."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._width = min(console.width, WIDTH)

    def heading(self, number: int, count: int, title: str, seconds: float) -> None:
        """The title of a step, and when it began."""
        self._console.print()
        words = Text.assemble((f"{number}/{count}  ", "cyan"), (title, "bold"), (f"  {seconds:.1f} s", "dim"))
        self._console.print(words, width=self._width)

    def gap(self) -> None:
        """An empty line."""
        self._console.print()

    def say(self, text: str, style: str = "") -> None:
        """A paragraph."""
        self._put(Text(tame(text), style))

    def points(self, lines: Iterable[tuple[str, str]]) -> None:
        """Marked lines: a mark and a text each."""
        marked = list(lines)
        longest = max((len(mark) for mark, _ in marked), default=0)
        for mark, text in marked:
            self._put(Text(tame_line(text, _LONGEST)), f"{mark:<{longest}} ")

    def type(self, *commands: str | NextCommand) -> None:
        """What a person would type; a NextCommand in both of its forms. Never wrapped by us."""
        for command in commands:
            if isinstance(command, NextCommand):
                self._command(command.phasegate, "cyan")
                self._command(command.temporal, "dim")
            else:
                self._command(command, "cyan")

    def diff(self, lines: list[str], most: int) -> None:
        """A unified diff, its first lines."""
        for line in diff_text(tame_line(line, _LONGEST) for line in lines[:most]).renderables:
            assert isinstance(line, Text)
            self._put(line)
        if len(lines) > most:
            self.say(f"… {counted(len(lines) - most, 'more line')}", "dim")

    def lines(self, parts: Iterable[Text]) -> None:
        """Lines as other commands print them, as wide as the screen."""
        for part in parts:
            self._put(part, mark="", width=self._console.width, hanging="      ")

    def _command(self, command: str, style: str) -> None:
        self._console.print(Text.assemble(_MARGIN, ("$ ", "dim"), (tame(command), style)), soft_wrap=True)

    def _put(self, text: Text, mark: str = "", width: int = 0, hanging: str = "") -> None:
        margin = _MARGIN + " " * len(mark)
        self._console.print(_Indented(text, _MARGIN + mark, hanging or margin), width=width or self._width)


class _Indented:
    """A text behind a margin; the lines that it wraps to get another one."""

    def __init__(self, text: Text, first: str, others: str) -> None:
        self._text = text
        self._margins = (first, others)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Wrap by words to what the margins leave."""
        room = max(1, options.max_width - max(map(len, self._margins)))
        for number, line in enumerate(self._text.wrap(console, room)):
            line.rstrip()
            margin = self._margins[min(number, 1)]
            yield Segment(margin if line else margin.rstrip())
            yield from line.render(console)
            yield Segment.line()
