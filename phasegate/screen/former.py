"""Executions that restarts have left behind: how each ended, and where its commits are."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from phasegate.screen.consoles import whole
from phasegate.screen.models import pair
from phasegate.screen.tame import tame, tame_line
from states.act import FormerAct


def former_lines(left: Sequence[tuple[FormerAct, str]]) -> Iterator[Text]:
    """Each former execution with the command that brings its branch, blank where there is none."""
    for act, command in left:
        yield pair("formerly", f"{tame_line(act.id)}, option {tame_line(act.option)}: {tame_line(act.ended)}")
        yield Text(f"  {tame_line(act.where)}")
        if command:
            yield whole(f"    {tame(command)}")
    if left:
        yield Text()
