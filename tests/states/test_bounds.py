"""What people say to a job is bounded, and what may be a password is not shown."""

import pytest

from states.advance import advance, record_artifact
from states.messages import Malformed
from states.receive import read, receive
from states.record import ArtifactRef, JobSpec
from states.refusals import MOST_WORDS, Refused
from states.view import view_of
from states.words import Message, Phase, State, Trigger
from tests.states.job_maker import NOW, fresh_digest, hand_over, job_in, new_job
from workflows.attributes import REPOSITORY, values_of


def test_feedback_is_bounded() -> None:
    record = job_in(State.CONTRACTS_HUMAN_REVIEW)
    record.spec = record.spec.model_copy(
        update={"policy": record.spec.policy.model_copy(update={"max_human_revisions": 1000})}
    )
    for _ in range(MOST_WORDS // 20_000):
        assert receive(record, Message.REVISE, ["x" * 20_000], NOW)
        advance(record, Trigger.REVISE_TECHNICAL, NOW)
        hand_over(record)
        advance(record, Trigger.SUBMIT, NOW)
        advance(record, Trigger.AI_APPROVE, NOW)
    with pytest.raises(Refused, match="feedback are kept already"):
        read(record, Message.REVISE, ["one more"])
    assert receive(record, Message.APPROVE, [], NOW), "a decision is possible all the same"


def test_edits_count_as_revisions() -> None:
    record = job_in(State.CONTRACTS_HUMAN_REVIEW)
    record.spec = record.spec.model_copy(
        update={"policy": record.spec.policy.model_copy(update={"max_human_revisions": 1})}
    )
    assert record.gate
    old = record.gate.digest
    assert receive(record, Message.EDIT, [{"artifact": {}, "base": old}], NOW)
    built = record.current(Phase.CONTRACTS)
    assert built
    edited = ArtifactRef(phase=Phase.CONTRACTS, version=0, digest=fresh_digest(), built_from=built.built_from)
    record_artifact(record, edited, NOW)
    advance(record, Trigger.EDIT, NOW)
    advance(record, Trigger.AI_APPROVE, NOW)
    assert record.gate
    assert record.gate.against == old, "the gate shows what the person changed"
    with pytest.raises((Refused, Malformed), match="max_human_revisions"):
        read(record, Message.EDIT, [{"artifact": {}, "base": record.gate.digest}])


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("https://ann:secret@host/x.git", "https://***@host/x.git"),
        ("https://token@host/x.git", "https://***@host/x.git"),
        ("/srv/a@b/c", "/srv/a@b/c"),
        ("https://host/x@y", "https://host/x@y"),
        ("/srv/a\x00b\x1b[31m", "/srv/ab[31m"),
    ],
)
def test_a_repository_is_shown_without_secrets(given: str, shown: str) -> None:
    record = new_job()
    record.spec = JobSpec(task="Do it", repository=given)
    assert view_of(record).repository == shown
    assert values_of(record)[REPOSITORY] == shown
