"""Jobs at any point of their story, made through the same functions that the loop calls."""

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from typing import Any

from states.advance import advance, begin, record_artifact, record_review, review_trigger
from states.facts import decisions_enough
from states.policy import Policy
from states.receive import receive
from states.record import ArtifactRef, JobRecord, JobSpec
from states.restart import foundation
from states.review import Finding, PhaseFacts, QuestionRef, Review
from states.words import Message, Phase, ReviewKind, Stage, State, Trigger

NOW = datetime(2025, 1, 1, tzinfo=UTC)
SIMPLE = PhaseFacts(files_affected=1, existing_pattern=True, follows_patterns=True)
QUESTION = QuestionRef(id="q1", text="Which of the two services should change?", recommended="the newer one")
_numbers = count()


def fresh_digest() -> str:
    """A digest like no other."""
    return hashlib.sha256(str(next(_numbers)).encode()).hexdigest()


def new_job(**policy: Any) -> JobRecord:
    """A job that has just begun to plan."""
    spec = JobSpec(task="Log each failed sign-in.", repository="/somewhere", policy=Policy(**policy))
    record = JobRecord(job="job-1", spec=spec)
    begin(record, NOW)
    return record


def built_from(record: JobRecord, phase: Phase) -> dict[Phase, str]:
    """What an artifact of this phase is built from now."""
    return {p: ref.digest for p in foundation(record, phase) if (ref := record.current(p))}


def hand_over(record: JobRecord, stale: bool = False) -> str:
    """The work of the current phase is done. `stale`: on artifacts that are not the current ones."""
    phase = record.state.phase
    assert phase is not None
    base = built_from(record, phase)
    wrong = {p: fresh_digest() for p in base} if base else {Phase.VALIDATION: fresh_digest()}
    ref = ArtifactRef(
        phase=phase, version=0, digest=fresh_digest(), built_from=wrong if stale else base, made_by="a test"
    )
    record_artifact(record, ref, NOW)
    return ref.digest


def reviewed(record: JobRecord, *kinds: ReviewKind, facts: PhaseFacts | None = None) -> Trigger:
    """An AI review with one blocking finding per kind is in; what it amounts to."""
    phase = record.state.phase
    assert phase is not None
    ref = record.current(phase)
    assert ref is not None
    review = Review(
        digest=ref.digest,
        findings=tuple(Finding(kind=kind, what=f"a {kind} finding") for kind in kinds),
        facts=facts or PhaseFacts(),
    )
    record_review(record, review, NOW)
    return review_trigger(record, review)


def one_step(record: JobRecord, facts: PhaseFacts) -> None:
    """Go on by one good move: work, pass AI review, approve."""
    match record.state.stage:
        case Stage.WORK:
            hand_over(record)
            advance(record, Trigger.SUBMIT, NOW)
        case Stage.AI_REVIEW:
            advance(record, reviewed(record, facts=facts), NOW)
        case Stage.HUMAN_REVIEW:
            number = 0
            while not decisions_enough(record):
                number += 1
                assert receive(record, Message.APPROVE, [{"by": f"person {number}"}], NOW)
            advance(record, Trigger.HUMAN_APPROVE, NOW)
        case _:
            raise AssertionError(f"nothing goes on from {record.state}")


def story(facts: PhaseFacts | None = None, **policy: Any) -> Iterator[JobRecord]:
    """Copies of one job in every state of its way to VERIFIED. With SIMPLE facts it skips CONTRACTS."""
    record = new_job(**policy)
    yield record.model_copy(deep=True)
    while record.state is not State.VERIFIED:
        one_step(record, facts or PhaseFacts())
        yield record.model_copy(deep=True)


def verified_job(facts: PhaseFacts | None = None, **policy: Any) -> JobRecord:
    """A job at its end."""
    return list(story(facts, **policy))[-1]


def job_in(state: State, **policy: Any) -> JobRecord:
    """A job in this state, with all five gates in its policy."""
    if state is State.CANCELLED:
        record = new_job(**policy)
        assert receive(record, Message.CANCEL, [], NOW)
        advance(record, Trigger.CANCEL, NOW)
        return record
    return next(r for r in story(**{"gates": "all", **policy}) if r.state is state)


def everything_but_the_ledger(record: JobRecord) -> dict[str, Any]:
    """What a refused message must leave as it is."""
    return record.model_dump(mode="json", exclude={"ledger", "ledger_count"})
