"""`doctor`: is everything in place."""

from typing import Annotated

import typer

from phasegate.commands.options import Json
from phasegate.commands.running import run

group = typer.Typer()


@group.command()
def doctor(
    fix: Annotated[bool, typer.Option("--fix", help="Put right what can be put right.")] = False,
    as_json: Json = False,
) -> int:
    """Check what phasegate needs, and what to do about it."""
    from phasegate.actions.doctor import examine

    return run(lambda session: examine(session, fix), as_json)
