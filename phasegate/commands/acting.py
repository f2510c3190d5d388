"""`act`, `rollback`: carry a verified plan out, and take it back."""

from typing import Annotated

import typer

from phasegate.commands.options import By, Job, Json
from phasegate.commands.running import run

group = typer.Typer()


@group.command()
def act(
    job: Job,
    option: Annotated[str, typer.Option("--option", metavar="ID", help="Select this option first.")] = "",
    watch: Annotated[bool, typer.Option(help="Go along until it ends or a person is needed.")] = True,
    by: By = "",
    as_json: Json = False,
) -> int:
    """Carry a verified plan out, in a worktree of its own on branch phasegate/JOB.

    Your checkout is not touched. Ctrl-C only stops looking; pause stops the work.
    """
    from phasegate.actions.acting import act_on

    return run(lambda session: act_on(session, job, option, by, watch), as_json)


@group.command()
def rollback(
    job: Job,
    step: Annotated[
        str, typer.Argument(metavar="[STEP]", help="Keep it up to the end of this step. Default: undo all.")
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    by: By = "",
    as_json: Json = False,
) -> int:
    """Undo what carrying the plan out did, in its worktree and on its branch.

    What runs is stopped first; the job is paused behind it, and resume carries the plan out again.
    """
    from phasegate.actions.acting import roll_back

    return run(lambda session: roll_back(session, job, step, yes, by), as_json)
