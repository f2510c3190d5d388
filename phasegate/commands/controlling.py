"""`restart`, `rewind`, `pause`, `resume`, `cancel`, `budget`, `models`: where a job goes."""

from typing import Annotated

import typer

from phasegate.commands.options import By, Job, Json, Model, PhaseModel, Reason, ReviewModel
from phasegate.commands.running import run

group = typer.Typer()

_Phase = Annotated[str, typer.Argument(metavar="[PHASE]", help="Where to begin again, in any case.")]
_From = Annotated[str, typer.Option("--from", metavar="PHASE", help="The same as PHASE.")]
_Changes = Annotated[str, typer.Option("--changes", metavar="TEXT", help="What is different now.")]
_Trigger = Annotated[
    str,
    typer.Option("--trigger", metavar="WHY", help="Such as requirements_changed or implementation_failed."),
]
_Preserve = Annotated[
    list[str] | None,
    typer.Option(
        "--preserve", metavar="PHASE", help="Keep only these; partial_PHASE is used as material. Repeatable."
    ),
]
_Invalidate = Annotated[
    list[str] | None,
    typer.Option("--invalidate", metavar="DECISION", help="Leave this out of all further work. Repeatable."),
]
_DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would be kept and redone.")]


@group.command()
def restart(
    job: Job,
    phase: _Phase = "",
    from_phase: _From = "",
    changes: _Changes = "",
    trigger: _Trigger = "",
    preserve: _Preserve = None,
    invalidate: _Invalidate = None,
    dry_run: _DryRun = False,
    by: By = "",
    as_json: Json = False,
) -> int:
    """Plan again from a phase; what lies before it is kept.

    Also for jobs that have ended. --dry-run shows what would happen.
    """
    from phasegate.actions.controlling import restart_job

    payload = {
        "phase": phase or from_phase,
        "changes": changes,
        "trigger": trigger,
        "preserve_artifacts": preserve,
        "invalidated_decisions": invalidate,
        "by": by,
    }
    return run(lambda session: restart_job(session, job, payload, dry_run), as_json)


group.command("rewind", help="The same as restart.")(restart)


@group.command()
def pause(job: Job, reason: Reason = "", by: By = "", as_json: Json = False) -> int:
    """Start no new work. What plans is finished and kept; steps that run are stopped and put back."""
    from phasegate.actions.controlling import pause_job

    return run(lambda session: pause_job(session, job, reason, by), as_json)


@group.command()
def resume(job: Job, reason: Reason = "", by: By = "", as_json: Json = False) -> int:
    """Go on after a pause, by a person or by a failure."""
    from phasegate.actions.controlling import resume_job

    return run(lambda session: resume_job(session, job, reason, by), as_json)


@group.command()
def cancel(
    job: Job,
    reason: Reason = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    by: By = "",
    as_json: Json = False,
) -> int:
    """Stop a job; its artifacts are kept.

    `restart` can take it up again.
    """
    from phasegate.actions.controlling import cancel_job

    return run(lambda session: cancel_job(session, job, reason, yes, by), as_json)


@group.command()
def budget(
    job: Job,
    usd: Annotated[
        float | None, typer.Option("--usd", metavar="USD", help="Most that models may cost.")
    ] = None,
    tokens: Annotated[
        int | None, typer.Option("--tokens", metavar="N", help="Most tokens that models may use.")
    ] = None,
    by: By = "",
    as_json: Json = False,
) -> int:
    """Change what a job's models may use, over its whole life.

    A job that waits for a larger budget goes on.
    """
    from phasegate.actions.controlling import set_budget

    return run(lambda session: set_budget(session, job, usd, tokens, by), as_json)


@group.command()
def models(
    job: Job,
    model: Model = "",
    phase_model: PhaseModel = None,
    review_model: ReviewModel = "",
    by: By = "",
    as_json: Json = False,
) -> int:
    """Which models do what in a job; with flags, change that.

    Agents that begin later work with the new ones. A job that waits because its models could not go on goes
    on with the new ones, where it was.
    """
    from phasegate.actions.ladders import show_or_set_models

    others = tuple(phase_model or ())
    return run(lambda session: show_or_set_models(session, job, model, others, review_model, by), as_json)
