"""`list`, `show`, `watch`, `ledger`, `metrics`, `diagram`: look, change nothing."""

from typing import Annotated

import typer

from phasegate.commands.options import Job, Json
from phasegate.commands.running import run

group = typer.Typer()


@group.command("list")
def list_jobs(
    everything: Annotated[bool, typer.Option("--all", "-a", help="Also jobs that have ended.")] = False,
    state: Annotated[str, typer.Option("--state", metavar="STATE", help="Only this state or phase.")] = "",
    awaiting: Annotated[
        str,
        typer.Option(
            "--awaiting",
            metavar="WHOM",
            help="Only jobs that wait for answers, human_review, operator or none.",
        ),
    ] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="At most so many, newest first.")] = 50,
    as_json: Json = False,
) -> int:
    """Jobs, newest first."""
    from phasegate.actions.looking import list_jobs as action

    return run(lambda session: action(session, everything, state, awaiting, limit), as_json)


@group.command()
def show(
    job: Job,
    options: Annotated[
        bool, typer.Option("--options", help="The ways to implement, side by side, with their steps.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Where a job is, whom it waits for, and what to type next."""
    from phasegate.actions.choosing import show_options
    from phasegate.actions.looking import show_job

    if options:
        return run(lambda session: show_options(session, job), as_json)
    return run(lambda session: show_job(session, job), as_json)


@group.command()
def watch(
    job: Job,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="Earlier entries to begin with.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> int:
    """Follow what happens to a job, until nothing more does.

    That is when it is verified, carried out or cancelled. While its plan is carried out: steps as they begin
    and end, and what they print. On a terminal it asks at operator gates.
    """
    from phasegate.actions.watching import watch_job

    return run(lambda session: watch_job(session, job, lines), as_json)


@group.command()
def ledger(job: Job, as_json: Json = False) -> int:
    """What happened to a job, and what was refused."""
    from phasegate.actions.looking import show_ledger

    return run(lambda session: show_ledger(session, job), as_json)


@group.command()
def metrics(job: Job, as_json: Json = False) -> int:
    """How good the plan is, and what it took."""
    from phasegate.actions.looking import show_metrics

    return run(lambda session: show_metrics(session, job), as_json)


@group.command()
def diagram(
    job: Annotated[str, typer.Argument(metavar="[JOB]", help="Mark where this job is.")] = "",
    option: Annotated[
        str, typer.Option("--option", metavar="ID", help="The steps of this option of the job instead.")
    ] = "",
    as_json: Json = False,
) -> int:
    """The states as a mermaid diagram, or the steps of an option."""
    from phasegate.actions.choosing import show_steps
    from phasegate.actions.looking import show_diagram

    if option:
        return run(lambda session: show_steps(session, job, option), as_json)
    return run(lambda session: show_diagram(session, job), as_json)
