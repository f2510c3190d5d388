"""A question on a terminal that others settle meanwhile ends by itself, with a line that says how."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from rich.text import Text

from phasegate.client import JobClient
from phasegate.history import length_of
from phasegate.problems import Problem
from phasegate.screen.asking import overtake
from phasegate.screen.tame import tame_line
from phasegate.session import Session
from states.ledger import EntryKind, LedgerEntry
from states.record import Gate, JobRecord, QuestionState
from states.view import JobView

_LOOK_SECONDS = 1.0
_AGAIN_SECONDS = 0.1
"""between two attempts to end a question: one that comes between two of them does nothing"""
_STARTLED_SECONDS = 1.0
"""for fingers to stop: what is typed at a question that vanishes is no answer to the next one"""


@contextmanager
def overtaken_unless(client: JobClient, job: str, still: Callable[[JobView], bool]) -> Iterator[None]:
    """Within the body, `ask` raises Overtaken as soon as `still` does not hold for the job any more.

    A thread looks on, as a question blocks the event loop.
    """
    loop, over = asyncio.new_event_loop(), threading.Event()
    looking = loop.create_task(_look(client, job, still))

    def look() -> None:
        with suppress(asyncio.CancelledError):
            loop.run_until_complete(looking)
            while not over.wait(_AGAIN_SECONDS):
                overtake()
        loop.close()

    # a daemon never holds up the end of the command
    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        with suppress(RuntimeError):  # the loop is closed already
            loop.call_soon_threadsafe(looking.cancel)


async def _look(client: JobClient, job: str, still: Callable[[JobView], bool]) -> None:
    """Come back when it does not hold any more. The job is only asked when something happened to it."""
    seen = None
    while True:
        now = await length_of(client.temporal, job)
        if now and now != seen:
            with suppress(Problem):  # no worker or server for a moment; the next look asks again
                if not still(await client.live_view(job)):
                    return
                seen = now
            if now.closed:
                return
        await asyncio.sleep(_LOOK_SECONDS)


def how_gate(record: JobRecord, gate: Gate) -> str:
    """How a gate was settled that a person was asked about."""
    outcome = record.gates_closed.get(gate.id)
    if outcome is None:
        return f"gate {gate.id}: {_last_word(record)}"
    who = _last_message(record)
    named = f" ({who.who})" if who and who.who not in outcome else ""
    return f"gate {gate.id} is closed: {outcome}{named}"


def how_question(record: JobRecord, asked: QuestionState) -> str:
    """How a question was settled that a person was asked."""
    now = next((each for each in record.questions if each.ref.id == asked.ref.id and not each.open), None)
    how = f" is answered by {now.by}: {now.text}" if now else f": {_last_word(record)}"
    return f"question {asked.ref.id}{how}"


def how_budget(record: JobRecord) -> str:
    """Why a job does not wait for a larger budget any more."""
    return f"budget: {_last_word(record)}"


def _last_word(record: JobRecord) -> str:
    last = _last_message(record)
    return f"{last.what} ({last.who})" if last else f"the job is in {record.state}"


def _last_message(record: JobRecord) -> LedgerEntry | None:
    """What somebody last said and the job took."""
    return next((entry for entry in reversed(record.ledger) if entry.kind is EntryKind.MESSAGE), None)


async def tell_settled(session: Session, line: str) -> None:
    """Say it, and leave a moment to read it: what is typed meanwhile is forgotten by the next question."""
    session.say(Text(tame_line(line), "yellow"))
    await asyncio.sleep(_STARTLED_SECONDS)
