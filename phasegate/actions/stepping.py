"""Looking at an execution several times a second, and telling what is new: to a person or a program."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from rich.text import Text

from phasegate.client import JobClient
from phasegate.executions import ExecutionView
from phasegate.screen.acting import live_text
from phasegate.screen.moving import Moving
from phasegate.screen.stepping import (
    Event,
    ended_event,
    event_lines,
    output_event,
    progress_event,
    rest_event,
    rest_lines,
    started_event,
    step_events,
)
from states.act import ActNote, StepLine
from states.execution import Progress
from states.view import JobView

LOOK_SECONDS = 0.4
"""between two looks; heartbeats come four times a second"""
Write = Callable[[Event], None]
Say = Callable[[Text], None]


class StepTeller:
    """Give it every view of a job; between them it looks by itself, while the execution runs.

    `write` takes events, `say` lines for people: one of the two, or both. On a terminal what runs is shown
    in the moving lines and not said.
    """

    def __init__(
        self,
        client: JobClient,
        moving: Moving,
        write: Write | None = None,
        say: Say | None = None,
        bar: bool = True,
    ) -> None:
        self._client = client
        self._moving = moving
        self._write = write
        self._say = say
        self._bar = bar
        self._act: ActNote | None = None
        self._seen: ExecutionView | None = None
        self._progress: Progress | None = None
        self._printed: dict[str, int] = {}
        self._rested: tuple[object, ...] = ()
        self._busy = asyncio.Lock()

    @asynccontextmanager
    async def looking(self) -> AsyncIterator[None]:
        """Look while the body runs."""
        task = asyncio.create_task(self._look())
        try:
            yield
        finally:
            task.cancel()

    async def update(self, view: JobView) -> None:
        """What the job says; when its execution rests, what was not told yet, and how it stands."""
        act = self._act = view.act
        if act is None or act.running:
            return
        rested = (act.id, act.status, act.last.end, act.last.kept, act.last.head)
        if rested == self._rested or not act.last.steps:
            return
        self._rested = rested
        async with self._busy:
            await self._tell(ExecutionView(act=act, answered=True))
            self._event(rest_event(act))
            for line in rest_lines(act):
                self._line(line)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            act = self._act
            if act and act.running:
                async with self._busy:
                    now = await self._client.executions.view(act)
                    # While nobody answers, the steps are known as they last rested: that is no news.
                    if self._act is act and (now.answered or self._seen is None):
                        await self._tell(now)

    async def _tell(self, now: ExecutionView) -> None:
        for event, line in step_events(self._seen, now):
            if event == "step_started":
                self._printed[line.id] = 0
                self._event(started_event(line), line)
            else:
                await self._rest_of_output(line)
                self._event(ended_event(line), line)
        for live in now.now:
            new = live.printed - self._printed.get(live.step, 0)
            # Less than before: the step was begun again by another worker.
            new = live.printed if new < 0 else new
            if new:
                self._printed[live.step] = live.printed
                self._output(live.step, live.tail.encode()[-new:].decode("utf-8", "replace"), live.printed)
        self._seen = now
        self._tell_progress(now)

    async def _rest_of_output(self, line: StepLine) -> None:
        """What a step printed after the last look. A person at a terminal is shown what failed at the end."""
        shown = self._printed.get(line.id, 0)
        if self._moving.possible and self._say:
            return
        if text := await self._client.executions.output(line, shown):
            self._output(line.id, text, shown + len(text.encode()))

    def _tell_progress(self, now: ExecutionView) -> None:
        progress = now.act.last.progress
        self._moving.steps(live_text(now, self._moving.width, self._bar))
        if progress is None:
            return
        # Time passes all the time; it is news together with a step.
        still = {"elapsed": 0.0, "remaining": None}
        before = self._progress.model_copy(update=still) if self._progress else None
        if progress.model_copy(update=still) != before:
            self._progress = progress
            self._event(progress_event(progress))

    def _output(self, step: str, text: str, printed: int) -> None:
        if self._moving.possible and self._say:
            return
        self._event(output_event(step, text, printed))

    def _event(self, event: Event, line: StepLine | None = None) -> None:
        if self._write:
            self._write(event)
        for each in event_lines(event, line):
            self._line(each)

    def _line(self, line: Text) -> None:
        if self._say:
            self._say(line)
