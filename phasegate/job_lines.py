"""Jobs as lines of a list: what the server's index shows, completed from what the store kept."""

from datetime import datetime

from pydantic import BaseModel
from temporalio.client import WorkflowExecution, WorkflowExecutionStatus

from states.record import JobRecord
from states.words import Awaiting
from workflows.attributes import AWAITING, MODE, STATE


class JobLine(BaseModel):
    """One job in a list."""

    job: str
    state: str
    mode: str = ""
    awaiting: str
    open: bool
    title: str = ""
    started: datetime | None = None


async def line_of(each: WorkflowExecution) -> JobLine:
    """A job as the server's index shows it."""
    attributes = each.typed_search_attributes
    memo = await each.memo()
    return JobLine(
        job=each.id,
        state=attributes.get(STATE) or (each.status.name.lower() if each.status else ""),
        mode=attributes.get(MODE) or "",
        awaiting=attributes.get(AWAITING) or Awaiting.NONE.value,
        open=each.status is WorkflowExecutionStatus.RUNNING,
        title=str(memo.get("title", "")),
        started=each.start_time,
    )


def titled(line: JobLine | None, record: JobRecord) -> JobLine:
    """A line of the list, completed from what the store kept."""
    title = record.spec.headline()
    if line:
        return line.model_copy(update={"title": title})
    return JobLine(
        job=record.job,
        state=record.state.value,
        mode=record.mode.value,
        awaiting=Awaiting.NONE.value,
        open=False,
        title=title,
        started=record.started,
    )
