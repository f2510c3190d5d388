"""Thousands of messages in one workflow task: each costs the same, however many came before."""

from collections.abc import Iterator
from datetime import UTC, datetime

from states.ledger import EntryKind, LedgerEntry
from states.record import JobRecord, JobSpec
from workflows.job import Job

NOW = datetime(2025, 1, 1, tzinfo=UTC)


class Counted(list[LedgerEntry]):
    """A ledger that counts how often it is walked through from the start."""

    walks = 0

    def __iter__(self) -> Iterator[LedgerEntry]:
        Counted.walks += 1
        return super().__iter__()


def test_each_entry_is_logged_once_without_a_walk_through_the_older_ones() -> None:
    record = JobRecord(job="job-1", spec=JobSpec(task="t", repository="/r"))
    record.note(NOW, EntryKind.NOTE, "an earlier run logged this")
    job = Job(record)
    record.ledger = Counted(record.ledger)
    logged: list[int] = []
    job.log = type("Log", (), {"info": lambda _self, _event, **said: logged.append(said["n"])})()
    for _ in range(3):
        record.note(NOW, EntryKind.NOTE, "one")
        record.note(NOW, EntryKind.NOTE, "two")
        job.log_ledger()
        job.log_ledger()
    assert logged == [2, 3, 4, 5, 6, 7]
    assert Counted.walks == 0
