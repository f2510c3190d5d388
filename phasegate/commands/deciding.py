"""`answer`, `say`, `finish`, `approve`, `revise`, `reject`, `edit`: what people decide. A lone - is stdin."""

from typing import Annotated

import typer

from phasegate.commands.options import By, Digest, Gate, Job, Json
from phasegate.commands.running import run

group = typer.Typer()

_Feedback = Annotated[str, typer.Argument(metavar="FEEDBACK", help="What to change; - is stdin.")]
_Kind = Annotated[
    str, typer.Option("--kind", metavar="KIND", help="technical, requirement or contract: what it is about.")
]


@group.command()
def answer(
    job: Job,
    words: Annotated[
        list[str],
        typer.Argument(metavar="[QUESTION] TEXT", help="The question's id, and the answer; - is stdin."),
    ],
    by: By = "",
    as_json: Json = False,
) -> int:
    """Answer a question, or correct an answer.

    The id may be left out when exactly one question is open.
    """
    from phasegate.actions.deciding import answer_question

    return run(lambda session: answer_question(session, job, words, by), as_json)


@group.command()
def say(
    job: Job,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What you want to be known; - is stdin.")],
    wait: Annotated[
        float,
        typer.Option("--wait", metavar="SECONDS", min=0, help="How long a model's reply is waited for."),
    ] = 60,
    by: By = "",
    as_json: Json = False,
) -> int:
    """Say something in CLARIFICATION.

    It is kept for all later work, and never an approval. While questions are open, the job's model replies.
    """
    from phasegate.actions.deciding import say_something

    return run(lambda session: say_something(session, job, text, by, wait), as_json)


@group.command()
def finish(job: Job, by: By = "", as_json: Json = False) -> int:
    """End the dialogue; open questions become best guesses."""
    from phasegate.actions.deciding import finish_dialogue

    return run(lambda session: finish_dialogue(session, job, by), as_json)


@group.command()
def approve(
    job: Job,
    comment: Annotated[str, typer.Argument(metavar="[COMMENT]", help="Kept with the approval.")] = "",
    gate: Gate = "",
    digest: Digest = "",
    option: Annotated[str, typer.Option("--option", metavar="ID", help="The option you choose.")] = "",
    by: By = "",
    also_comment: Annotated[str, typer.Option("--comment", metavar="TEXT", help="The same as COMMENT.")] = "",
    as_json: Json = False,
) -> int:
    """Pass the open gate.

    With --gate and --digest only if it is still what you read.
    """
    from phasegate.actions.deciding import approve_gate

    return run(
        lambda session: approve_gate(session, job, comment or also_comment, gate, digest, option, by), as_json
    )


@group.command()
def revise(
    job: Job,
    feedback: _Feedback,
    kind: _Kind = "technical",
    gate: Gate = "",
    digest: Digest = "",
    by: By = "",
    as_json: Json = False,
) -> int:
    """Refuse the open gate: the work is done again.

    Your feedback is quoted at the gate that comes back, beside what changed.
    """
    from phasegate.actions.deciding import revise_gate

    return run(lambda session: revise_gate(session, job, feedback, kind, gate, digest, by), as_json)


group.command("reject", help="The same as revise.")(revise)


@group.command()
def edit(
    job: Job,
    file: Annotated[
        str,
        typer.Option(
            "--file", metavar="FILE", help="Your version as JSON, instead of an editor; - is stdin."
        ),
    ] = "",
    plan: Annotated[
        str,
        typer.Option("--plan", metavar="FILE", help="A plan, as act --plan takes it, in an option's place."),
    ] = "",
    option: Annotated[
        str, typer.Option("--option", metavar="ID", help="With --plan: the option whose place it takes.")
    ] = "",
    by: By = "",
    as_json: Json = False,
) -> int:
    """Replace what is under review by your own version.

    It is checked here before anything is sent, and reviewed again. With --plan also after the plan was
    carried out or has failed: its VALIDATION gate opens again.
    """
    if plan:
        from phasegate.actions.mending import put_plan

        return run(lambda session: put_plan(session, job, plan, option, by), as_json)
    from phasegate.actions.editing import edit_artifact

    return run(lambda session: edit_artifact(session, job, file, by), as_json)
