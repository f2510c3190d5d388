"""`act`, `rollback`: carry a verified plan out, and take it back."""

from typing import Annotated

import typer

from phasegate.commands.options import By, Job, Json
from phasegate.commands.running import run

group = typer.Typer()


@group.command()
def act(
    job: Annotated[
        str,
        typer.Argument(metavar="JOB", help="The job, or the beginning of its id; with --plan a repository."),
    ] = "",
    option: Annotated[str, typer.Option("--option", metavar="ID", help="Select this option first.")] = "",
    watch: Annotated[bool, typer.Option(help="Go along until it ends or a person is needed.")] = True,
    plan: Annotated[
        str, typer.Option("--plan", metavar="FILE", help="Start a job for this plan, and carry that out.")
    ] = "",
    ref: Annotated[str, typer.Option("--ref", metavar="REF", help="With --plan: branch or commit.")] = "HEAD",
    new: Annotated[str, typer.Option("--id", metavar="ID", help="With --plan: the new job's id.")] = "",
    allow: Annotated[
        list[str] | None,
        typer.Option("--allow", metavar="'CMD *'", help="With --plan: commands that run without asking."),
    ] = None,
    command_seconds: Annotated[
        float | None,
        typer.Option("--command-seconds", metavar="N", help="With --plan: most that one command may take."),
    ] = None,
    by: By = "",
    as_json: Json = False,
) -> int:
    """Carry a verified plan out, in a worktree of its own.

    That is on branch phasegate/JOB; your checkout is not touched. Ctrl-C only stops looking; pause stops the
    work. With --plan FILE [REPO] a new job has the plan of that file as its only option, and asks once: at
    the VALIDATION gate.
    """
    from phasegate.actions.acting import act_on, act_on_plan

    if plan:
        wish = {"repository": job, "ref": ref, "job": new, "ready": plan, "by": by}
        limits = {"allow": tuple(allow or ()), "command_seconds": command_seconds}
        return run(lambda session: act_on_plan(session, {**wish, **limits}, watch), as_json)
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
    """Undo what carrying the plan out did.

    That is in its worktree and on its branch. What runs is stopped first; the job is paused behind it, and
    resume carries the plan out again.
    """
    from phasegate.actions.acting import roll_back

    return run(lambda session: roll_back(session, job, step, yes, by), as_json)
