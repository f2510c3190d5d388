"""`select`, `rank`, `templates`: which of the options is carried out, and ready ones."""

from typing import Annotated

import typer

from phasegate.commands.options import By, Job, Json
from phasegate.commands.running import run

group = typer.Typer()


@group.command()
def select(
    job: Job,
    option: Annotated[str, typer.Argument(metavar="OPTION", help="The option's id, or its rank.")],
    by: By = "",
    as_json: Json = False,
) -> int:
    """Choose the option that is to be carried out.

    At the VALIDATION gate, without passing it, or of a verified plan. The others stay selectable.
    """
    from phasegate.actions.choosing import select_option

    return run(lambda session: select_option(session, job, option, by), as_json)


@group.command()
def rank(
    job: Job,
    weight: Annotated[
        list[str] | None,
        typer.Option(
            "--weight",
            metavar="CRITERION=NUMBER",
            help="speed, safety, simplicity, maintainability, performance or cost. Repeatable.",
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Rank a job's options by score, or by your own weights.

    Reads the store alone: no server, no model. Changes nothing.
    """
    from phasegate.actions.choosing import rank_options

    return run(lambda session: rank_options(session, job, tuple(weight or ())), as_json)


@group.command()
def templates(
    name: Annotated[
        str, typer.Argument(metavar="[NAME_OR_FILE]", help="Show the steps and parameters of this one.")
    ] = "",
    as_json: Json = False,
) -> int:
    """Ready ways to implement common tasks, for `plan --template`."""
    from phasegate.actions.templating import list_templates, show_template

    if name:
        return run(lambda session: show_template(session, name), as_json)
    return run(list_templates, as_json)
