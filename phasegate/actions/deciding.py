"""`answer`, `say`, `finish`, `approve`, `revise`: one message each."""

from typing import Any

from rich.text import Text

from phasegate.actions.accompanying import agents_shown
from phasegate.actions.jobs import find_job, given_text, named
from phasegate.actions.replies import reply_to
from phasegate.problems import WrongUse
from phasegate.screen.models import reply_words
from phasegate.screen.moving import Moving
from phasegate.screen.tame import tame, tame_line
from phasegate.session import Outcome, Session
from states.messages import Ack
from states.words import Message


async def answer_question(session: Session, prefix: str, words: list[str], by: str) -> Outcome:
    """`words` is the answer, or the question's id and the answer."""
    if len(words) > 2:
        raise WrongUse("answer takes a question and a text; put quotes around the text")
    question = words[0] if len(words) == 2 else ""
    payload = {"question": question, "text": given_text(words[-1], "answer"), "by": named(by)}
    return await send(session, prefix, Message.ANSWER, payload)


async def say_something(session: Session, prefix: str, text: str, by: str, seconds: float) -> Outcome:
    """A free message, and what a model replies to it within so many seconds."""
    payload = {"text": given_text(text, "message"), "by": named(by)}
    client, job = await find_job(session, prefix)
    ack = await client.send(job, Message.SAY, given(payload))
    told = acknowledged(job, ack)
    if not ack.state:
        return told  # nobody has read it yet
    moving = Moving(session.err)
    try:
        async with agents_shown(client, job, moving):
            waited = await reply_to(client, job, seconds, moving)
    finally:
        moving.stop()
    data = {**told.data, "reply": waited.reply.model_dump(mode="json") if waited.reply else None}
    heard = reply_words(waited.reply) if waited.reply else tame(waited.why)
    note, *hints = told.parts
    return Outcome(data, (note, *([Text(heard)] if heard else []), *hints))


async def finish_dialogue(session: Session, prefix: str, by: str) -> Outcome:
    """End the dialogue with what is there."""
    return await send(session, prefix, Message.FINISH, {"by": named(by)})


async def approve_gate(
    session: Session, prefix: str, comment: str, gate: str, digest: str, option: str, by: str
) -> Outcome:
    """Exactly as said: what was not read is not filled in."""
    text = given_text(comment, "comment") if comment == "-" else comment
    payload = {"comment": text, "gate": gate, "digest": digest, "option": option, "by": named(by)}
    return await send(session, prefix, Message.APPROVE, payload)


async def revise_gate(
    session: Session, prefix: str, feedback: str, kind: str, gate: str, digest: str, by: str
) -> Outcome:
    """Refuse with feedback."""
    text = given_text(feedback, "feedback")
    payload = {"feedback": text, "kind": kind, "gate": gate, "digest": digest, "by": named(by)}
    return await send(session, prefix, Message.REVISE, payload)


async def send(session: Session, prefix: str, message: Message, payload: dict[str, Any]) -> Outcome:
    """Send a message to the job that was meant; blank fields stay away. Raises RefusedByJob."""
    client, job = await find_job(session, prefix)
    return acknowledged(job, await client.send(job, message, given(payload)))


def given(payload: dict[str, Any]) -> dict[str, Any]:
    """The fields that were given."""
    return {name: value for name, value in payload.items() if value not in ("", None)}


def acknowledged(job: str, ack: Ack) -> Outcome:
    """What the job said about a message."""
    follow = Text(f"see what comes of it: phasegate show {job}", "dim")
    return Outcome(
        {"job": job, **ack.model_dump(mode="json")}, (Text(f"{job}: {tame_line(ack.note)}"), follow)
    )
