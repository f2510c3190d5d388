"""The append-only list of everything that happened to a job and everything that was refused."""

from datetime import datetime
from enum import StrEnum

from states.artifacts.base import Piece

LONGEST = 400
"""characters of a ledger text; longer ones are cut, the artifact or the message's event holds the rest"""


class EntryKind(StrEnum):
    """What a ledger entry records."""

    TRANSITION = "transition"
    MODE = "mode"
    MESSAGE = "message"
    REFUSED = "refused"
    ARTIFACT = "artifact"
    REVIEW = "review"
    GATE = "gate"
    QUESTION = "question"
    AGENT = "agent"
    FAILURE = "failure"
    ACT = "act"
    NOTE = "note"


class LedgerEntry(Piece):
    """One line. `n` counts from 1 over the job's life; `who` is a person, a policy or a part of phasegate."""

    n: int
    at: datetime
    kind: EntryKind
    what: str
    who: str = "phasegate"
    why: str = ""
    state: str = ""
    digest: str = ""


def cut(text: object) -> str:
    """A text short and tame enough for the ledger: one line, no control characters, at most LONGEST."""
    flat = " ".join(str(text)[: LONGEST * 4].split())
    # Asked whole first: thousands of messages come in one task, which has two seconds of time.
    tame = flat if flat.isprintable() else "".join(c for c in flat if c.isprintable())
    return tame if len(tame) <= LONGEST else f"{tame[: LONGEST - 1]}…"
