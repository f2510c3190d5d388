"""Executions that a restart leaves behind: the plan becomes another one, what was done can still be found."""

from datetime import datetime

from states.act import FormerAct
from states.acting import told
from states.execution import StepStatus
from states.ledger import EntryKind
from states.record import JobRecord

MOST = 20
"""that a job remembers; the ledger has all"""


def leave_act(record: JobRecord, by: str, now: datetime) -> None:
    """The job is planned anew: its execution, if there is one, is a former one from now on."""
    act = record.act
    if act is None:
        return
    base = record.workspace.commit if record.workspace else ""
    former = FormerAct(
        id=act.id,
        option=act.option,
        branch=act.branch,
        by=act.by,
        started=act.started,
        left=now,
        status=act.status,
        why=told(act.last) if told(act.last) != act.last.end else "",
        head=act.last.head if act.last.head != base else "",
        completed=sum(line.status == StepStatus.COMPLETED for line in act.last.steps),
        steps=len(act.last.steps),
        path=act.last.path,
        kept=act.last.kept,
        patch=act.last.patch,
    )
    record.former = [*record.former, former][-MOST:]
    record.act = None
    record.note(
        now,
        EntryKind.ACT,
        f"{former.id} is left: {former.ended}",
        who=by,
        why=former.where,
        digest=former.kept,
    )
