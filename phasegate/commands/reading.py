"""`artifacts`, `agents`, `diff`, `export`: read what the phases handed over, and how it came about."""

from enum import StrEnum
from typing import Annotated

import typer

from phasegate.commands.options import Job, Json, PhaseName
from phasegate.commands.running import run

group = typer.Typer()


class Form(StrEnum):
    """How an artifact or a plan is written."""

    MD = "md"
    JSON = "json"


@group.command()
def artifacts(
    job: Job,
    phase: Annotated[str, typer.Argument(metavar="[PHASE]", help="Print this phase's artifact.")] = "",
    version: Annotated[
        int, typer.Option("--version", metavar="N", min=0, help="Which one. Default: the newest.")
    ] = 0,
    as_json: Json = False,
) -> int:
    """What the phases handed over, with versions and digests."""
    from phasegate.actions.reading import list_artifacts, print_artifact

    if phase:
        return run(lambda session: print_artifact(session, job, phase, version), as_json)
    return run(lambda session: list_artifacts(session, job), as_json)


@group.command()
def agents(
    job: Job,
    agent: Annotated[
        str, typer.Argument(metavar="[AGENT]", help="Print what this one and its model said.")
    ] = "",
    full: Annotated[bool, typer.Option("--full", help="Cut no message.")] = False,
    as_json: Json = False,
) -> int:
    """Who worked with a model, and what it used; or one conversation."""
    from phasegate.actions.agents import list_agents, print_conversation

    if agent:
        return run(lambda session: print_conversation(session, job, agent, full), as_json)
    return run(lambda session: list_agents(session, job), as_json)


@group.command()
def diff(
    job: Job,
    phase: PhaseName,
    old: Annotated[int, typer.Argument(metavar="[V1]", min=0, help="Default: the last but one.")] = 0,
    new: Annotated[int, typer.Argument(metavar="[V2]", min=0, help="Default: the newest.")] = 0,
    form: Annotated[Form, typer.Option("--format", help="What is compared.")] = Form.MD,
    as_json: Json = False,
) -> int:
    """What changed between two versions of an artifact."""
    from phasegate.actions.reading import compare_versions

    return run(lambda session: compare_versions(session, job, phase, old, new, form.value), as_json)


@group.command()
def export(
    job: Job,
    file: Annotated[str, typer.Argument(metavar="[FILE]", help="Where to. Default: stdout.")] = "",
    form: Annotated[
        Form, typer.Option("--format", help="md: the plan to read. json: artifacts, ledger and record.")
    ] = Form.MD,
    patch: Annotated[
        bool, typer.Option("--patch", help="What carrying the plan out changed, for git apply.")
    ] = False,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The same as FILE.")] = "",
    as_json: Json = False,
) -> int:
    """Write the plan, and how carrying it out went; or the patch."""
    from phasegate.actions.exporting import export_job, export_patch

    if patch:
        return run(lambda session: export_patch(session, job, file or output), as_json)
    return run(lambda session: export_job(session, job, form.value, file or output), as_json)
