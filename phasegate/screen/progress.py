"""How far a job is, while somebody looks on: one line for each phase that is done."""

from rich.console import Console

from phasegate.screen.consoles import show
from phasegate.screen.job import progress_line
from phasegate.screen.moving import Moving
from states.view import JobView
from states.words import Phase, PhaseStatus

_FINISHED = (PhaseStatus.DONE, PhaseStatus.KEPT, PhaseStatus.SKIPPED)


class Progress:
    """Give it every view; it prints what is new. On a terminal it also shows what goes on now."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._said: set[tuple[Phase, str, int, tuple[str, ...]]] = set()
        self.moving = Moving(console)

    def update(self, view: JobView) -> None:
        """Print the lines of phases that were finished since the last time."""
        for each in view.progress:
            key = (
                each.phase,
                each.status if each.status is PhaseStatus.SKIPPED else "",
                each.version,
                each.accepted_by,
            )
            if each.status in _FINISHED and key not in self._said:
                self._said.add(key)
                self.pause()
                show(self._console, progress_line(view, each))
        self.moving.update(view)

    def pause(self) -> None:
        """Take the moving line away, so that a question can stand there."""
        self.moving.stop()
