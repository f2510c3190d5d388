"""Standing still and going on: how a job comes into mode Paused and out of it."""

from datetime import datetime

from states.facts import mode_facts_of
from states.ledger import EntryKind
from states.machine import move_mode
from states.record import Hold, JobRecord
from states.words import Mode, ModeTrigger

UNSAID = "paused"
"""the reason of a pause for which its person gave none"""


def pause(record: JobRecord, hold: Hold, now: datetime) -> None:
    """Stop starting new work. A lasting failure replaces a person's pause, never the other way round."""
    if record.mode is not Mode.PAUSED:
        before = record.mode
        record.mode = move_mode(before, ModeTrigger.PAUSE, mode_facts_of(record))
        record.paused_from = before
        record.note(now, EntryKind.MODE, f"{before} -> {record.mode}", who=hold.by, why=hold.reason)
    record.hold = hold


def unpause(record: JobRecord, trigger: ModeTrigger, by: str, now: datetime) -> None:
    """Leave Paused by `resume` or `replan`; nothing happens when the job is not paused."""
    if record.mode is not Mode.PAUSED:
        return
    before = record.mode
    record.mode = move_mode(before, trigger, mode_facts_of(record))
    record.paused_from = None
    record.hold = None
    record.note(now, EntryKind.MODE, f"{before} -> {record.mode}", who=by)


def replan(record: JobRecord, by: str, now: datetime) -> None:
    """A restart leaves Paused and Act, and opens a job again whose plan was carried out."""
    before = record.mode
    if before is Mode.PAUSED:
        unpause(record, ModeTrigger.REPLAN, by, now)
    elif before in (Mode.ACT, Mode.NORMAL):
        trigger = ModeTrigger.REPLAN if before is Mode.ACT else ModeTrigger.PLAN
        record.mode = move_mode(before, trigger, mode_facts_of(record))
        record.note(now, EntryKind.MODE, f"{before} -> {record.mode}", who=by)
