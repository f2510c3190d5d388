"""What a job remembers of an execution when it is planned anew."""

import pytest

from states.act import ActEnd, ActNote, ActOutcome, StepLine
from states.advance import advance
from states.execution import ExecutionStatus
from states.execution_document import former_document
from states.former import MOST
from states.receive import receive
from states.record import JobRecord
from states.view import view_of
from states.words import Phase, Trigger
from states.workspace import WorkspaceRef
from tests.states.job_maker import NOW, verified_job

STEPS = (
    StepLine(id="fix", status="completed"),
    StepLine(id="test", status="failed", error="command failed: exit status 1"),
)


def acted(record: JobRecord, status: ExecutionStatus, end: ActEnd, head: str = "c0ffee" * 6) -> ActNote:
    """The job's plan was carried out as far as this says."""
    record.acts += 1
    last = ActOutcome(end=end, reason=end.value, head=head, steps=STEPS, kept="kept", path="/srv/act/tree")
    record.act = ActNote(
        id=f"job-1.act-{record.acts}",
        option="a",
        plan="p",
        branch="phasegate/job-1",
        by="ann",
        status=status,
        last=last,
    )
    return record.act


def restarted(record: JobRecord, phase: Phase) -> None:
    """A person has it planned anew."""
    assert receive(record, "restart_from", [{"phase": phase.value, "by": "bob"}], NOW)
    advance(record, Trigger.restart(phase), NOW)


@pytest.mark.parametrize(
    ("status", "end", "words"),
    [
        (ExecutionStatus.COMPLETED, ActEnd.COMPLETED, "completed"),
        (
            ExecutionStatus.FAILED,
            ActEnd.FAILED,
            "failed, 1 of 2 steps: steps failed: test (command failed: exit status 1)",
        ),
        (ExecutionStatus.PAUSED, ActEnd.STOPPED, "not finished, 1 of 2 steps"),
    ],
)
@pytest.mark.parametrize("phase", [Phase.DISCOVERY, Phase.VALIDATION])
def test_a_restart_says_which_execution_it_leaves_and_where_its_commits_are(
    status: ExecutionStatus, end: ActEnd, words: str, phase: Phase
) -> None:
    record = verified_job()
    acted(record, status, end)
    restarted(record, phase)
    assert record.act is None
    (former,) = view_of(record).former
    assert former.ended == words
    assert former.where == "its commits stay on branch phasegate/job-1, at c0ffeec0ffee"
    (entry,) = (each for each in record.ledger if each.what.startswith("job-1.act-1 is left"))
    assert (entry.who, entry.digest, entry.why) == ("bob", "kept", former.where)
    assert words in entry.what
    assert f"- `job-1.act-1`, option `a`: {words}; its commits stay on" in former_document(record.former)


def test_nothing_is_said_of_commits_where_there_is_none() -> None:
    record = verified_job()
    record.workspace = WorkspaceRef(repository="/somewhere", commit="c0" * 20)
    acted(record, ExecutionStatus.PAUSED, ActEnd.STOPPED, record.workspace.commit)
    restarted(record, Phase.DISCOVERY)
    assert record.former[0].where == "nothing of it came onto a branch"


def test_a_restart_of_a_job_that_never_acted_leaves_nothing() -> None:
    record = verified_job()
    restarted(record, Phase.VALIDATION)
    assert record.former == []
    assert former_document(record.former) == ""


def test_the_last_ones_are_remembered() -> None:
    record = verified_job(max_restarts=MOST + 2)
    for _ in range(MOST + 1):
        acted(record, ExecutionStatus.FAILED, ActEnd.FAILED)
        restarted(record, Phase.VALIDATION)
    assert [former.id for former in record.former] == [f"job-1.act-{n}" for n in range(2, MOST + 2)]
