"""What happens in an execution, as it happens: events for programs, and the same as lines for people."""

from collections.abc import Iterator
from typing import Any

from rich.text import Text

from phasegate.executions import ExecutionView
from phasegate.screen.acting import progress_words, state_words, step_line
from phasegate.screen.tame import tame, tame_line
from states.act import ActNote, StepLine
from states.amounts import metric_words
from states.execution import SETTLED, Progress, StepStatus

_BEFORE = (StepStatus.PENDING, StepStatus.WAITING)
Event = dict[str, Any]
"""`type` and what belongs to it; a job's id is added by whoever writes it"""


def step_events(before: ExecutionView | None, now: ExecutionView) -> Iterator[tuple[str, StepLine]]:
    """Steps that began and ended since, as (event, step), in the plan's order. None: since the start."""
    for line in now.act.last.steps:
        old = before.step(line.id) if before else None
        was = StepStatus(old.status) if old else StepStatus.PENDING
        status = StepStatus(line.status)
        again = old is not None and line.attempts > old.attempts
        unseen = status in (StepStatus.COMPLETED, StepStatus.FAILED) and was in _BEFORE
        if unseen or (status is StepStatus.IN_PROGRESS and (was is not status or again)):
            yield "step_started", line
        if status in SETTLED and was is not status:
            yield "step_ended", line


def started_event(line: StepLine) -> Event:
    """A step began."""
    return {
        "type": "step_started",
        **line.model_dump(mode="json", include={"id", "title", "attempts"}),
        "step_type": line.type,
    }


def output_event(step: str, text: str, printed: int) -> Event:
    """A step printed something; `printed` counts the bytes of all that it printed so far."""
    return {"type": "output", "id": step, "text": text, "printed": printed}


def ended_event(line: StepLine) -> Event:
    """A step ended."""
    return {"type": "step_ended", **line.model_dump(mode="json", exclude={"type"}), "step_type": line.type}


def progress_event(progress: Progress) -> Event:
    """How far it is. Times in seconds."""
    settled = progress.completed_steps + progress.failed_steps + progress.skipped_steps
    share = settled / progress.total_steps if progress.total_steps else 0.0
    return {"type": "progress", **progress.model_dump(mode="json"), "percent": round(100 * share)}


def rest_event(act: ActNote) -> Event:
    """The execution came to rest."""
    last = act.last
    return {
        "type": "ended",
        "execution": act.id,
        "end": last.end.value,
        "status": act.status.value,
        "reason": last.reason,
        "branch": act.branch,
        "head": last.head,
        "path": last.path,
        "patch": last.patch,
        "metrics": last.metrics.model_dump(mode="json"),
        "errors": list(last.errors),
    }


def event_lines(event: Event, line: StepLine | None = None) -> Iterator[Text]:
    """An event for people; progress is for places that are drawn again."""
    match event["type"]:
        case "step_started" if line:
            again = f", try {line.attempts}" if line.attempts > 1 else ""
            yield Text(f"▸ {tame_line(line.id, 40)}  {tame_line(line.title, 100)}{again}", "cyan")
        case "step_ended" if line:
            yield step_line(line)
        case "output":
            for printed in tame(event["text"]).splitlines():
                yield Text.assemble((f"  {tame_line(event['id'], 20)} | ", "dim"), printed.rstrip())
        case _:
            return


def rest_lines(act: ActNote) -> Iterator[Text]:
    """The end of an execution, or of a part of it."""
    if act.last.progress:
        still = act.last.progress.model_copy(update={"status": act.status})
        yield Text(f"{tame_line(state_words(act))}; {progress_words(still)}", "bold")
    if words := metric_words(act.last.metrics):
        yield Text(f"  {words}")
