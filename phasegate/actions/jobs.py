"""What most commands begin with: a connection and the one job that was meant."""

import os
import sys

from phasegate.client import JobClient
from phasegate.dev_record import DevRecord
from phasegate.problems import WrongUse
from phasegate.session import Session, person
from states.act_commands import NextCommand
from states.view import JobView
from states.words import Phase

_USUAL = ("127.0.0.1:7233", "localhost:7233")
"""where the plain `temporal` program looks when nobody tells it"""


async def find_job(session: Session, prefix: str) -> tuple[JobClient, str]:
    """A connection, and the full id of the job. Raises NoServer, UnknownJob."""
    client = await session.client()
    return client, await client.resolve(prefix)


def next_commands(session: Session, client: JobClient, view: JobView) -> tuple[NextCommand, ...]:
    """What to type next; the plain Temporal form names the server where `temporal` would not find it."""
    address = client.temporal.service_client.config.target_host
    dev = DevRecord.read(session.settings.state_dir)
    if os.environ.get("TEMPORAL_ADDRESS") or address in _USUAL or dev is None or dev.address != address:
        return view.next_commands
    return tuple(
        command.model_copy(update={"temporal": f"{command.temporal} --address {address}"})
        for command in view.next_commands
    )


def read_phase(name: str) -> Phase:
    """A phase as typed. Raises WrongUse naming the choices."""
    try:
        return Phase.parse(name)
    except ValueError as unknown:
        raise WrongUse(str(unknown)) from None


def given_text(text: str, what: str) -> str:
    """What was typed, or all of stdin for a lone `-`. Raises WrongUse when it is blank."""
    found = sys.stdin.read() if text == "-" else text
    if not found.strip():
        raise WrongUse(f"the {what} is empty; write it after the command, or - to read it from stdin")
    return found.strip()


def named(by: str) -> str:
    """Who acts: as said, else the default."""
    return by.strip() or person()
