"""A job that has closed goes on in a new run, from what the store kept."""

from datetime import datetime, timedelta

from states.acting import go_on_acting
from states.advance import begin
from states.messages import RestartFrom
from states.record import Demand, JobRecord
from states.refusals import Refused, check
from states.words import WORK_PHASES, Mode, Phase, State, Trigger


def reopen(record: JobRecord, request: RestartFrom, now: datetime) -> None:
    """Open it for a restart, or as it was when it was verified. Raises Refused."""
    verified = request.phase is Phase.VERIFIED
    if verified and not _was_verified(record):
        raise Refused(f"the job ended in {record.state} and was not verified; restart from a phase before")
    if record.state is State.CANCELLED:
        record.state = State.VERIFIED if verified else State.DISCOVERY
    record.mode, record.hold, record.paused_from, record.demand = Mode.NORMAL, None, None, None
    record.restarts_in_a_row = 0
    begin(record, now)
    if verified:
        record.open_until = now + timedelta(seconds=record.spec.policy.keep_open_seconds)
        go_on_acting(record, now)
        return
    check(record, request)
    record.demand = Demand(
        trigger=Trigger.restart(request.phase), by=request.who, text=request.changes, restart=request
    )


def _was_verified(record: JobRecord) -> bool:
    """Whether every phase that was not skipped stands accepted."""
    needed = [phase for phase in WORK_PHASES if phase not in record.skipped]
    current = [record.current(phase) for phase in needed]
    return all(ref is not None and ref.accepted_by for ref in current)
