"""The dialogue of CLARIFICATION as a model leads it: further questions, and replies to what people say."""

from datetime import datetime

from states.ledger import EntryKind
from states.record import JobRecord, QuestionState, Reply
from states.review import QuestionRef

LONGEST_REPLY = 2_000
"""characters of a reply that the record keeps"""


def may_follow_up(record: JobRecord) -> bool:
    """Whether a model may ask people further questions."""
    return not record.finished and record.follow_ups < record.spec.policy.max_follow_ups


def follow_up(record: JobRecord, questions: tuple[QuestionRef, ...], now: datetime) -> None:
    """Take up questions that a model asks after those of DISCOVERY, under ids of their own."""
    record.follow_ups += 1
    for number, question in enumerate(questions, 1):
        named = question.model_copy(update={"id": f"follow-up-{record.follow_ups}-{number}"})
        record.questions.append(QuestionState(ref=named))
        record.note(now, EntryKind.QUESTION, f"{named.id}: {named.text}")


def replied(record: JobRecord) -> int:
    """How many of the messages of people have a reply."""
    return record.replies[-1].to if record.replies else 0


def reply(record: JobRecord, to: int, text: str, models: tuple[str, ...], now: datetime) -> None:
    """Keep a model's reply to the messages up to number `to`. Nothing else follows from it."""
    by = ", ".join(f"model:{name}" for name in models)
    record.replies.append(Reply(to=to, text=text[:LONGEST_REPLY], by=by))
    record.note(now, EntryKind.AGENT, f"reply: {text}", who=by)
