"""`dev`, `worker`, `plan`, `demo`: bring things up."""

from typing import TYPE_CHECKING, Annotated

import typer

from phasegate.commands.options import By, Json, Model, PhaseModel, ReviewModel
from phasegate.commands.running import run

if TYPE_CHECKING:
    from phasegate.session import Outcome, Session

group = typer.Typer()


@group.command()
def dev(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the server. 0: 7233 if free.")] = 0,
    ui: Annotated[bool, typer.Option(help="Temporal's own page beside it.")] = True,
    as_json: Json = False,
) -> int:
    """Run a Temporal server and a worker; Ctrl-C stops both.

    Data is kept on this machine and found again by the next dev, also after a crash or a reboot.
    """
    from phasegate.actions.dev import run_dev

    return run(lambda session: run_dev(session, port, ui), as_json)


@group.command()
def worker(as_json: Json = False) -> int:
    """Run a worker alone; SIGTERM or Ctrl-C drains it."""
    from phasegate.actions.dev import run_only_worker

    return run(run_only_worker, as_json)


@group.command()
def plan(
    task: Annotated[str, typer.Argument(metavar="TASK", help="What is to be done.")] = "",
    repo: Annotated[
        str, typer.Option("--repo", metavar="PATH_OR_URL", help="Default: the repository you are in.")
    ] = "",
    task_file: Annotated[
        str, typer.Option("--task-file", metavar="FILE", help="Read the task from a file; - is stdin.")
    ] = "",
    requirement: Annotated[
        list[str] | None, typer.Option("--requirement", metavar="TEXT", help="Must be met. Repeatable.")
    ] = None,
    constraint: Annotated[
        list[str] | None, typer.Option("--constraint", metavar="TEXT", help="Must be kept. Repeatable.")
    ] = None,
    ref: Annotated[str, typer.Option("--ref", metavar="REF", help="Branch, tag or commit.")] = "HEAD",
    job: Annotated[
        str, typer.Option("--id", metavar="ID", help="The job's id. Default: from the task.")
    ] = "",
    model: Model = "",
    phase_model: PhaseModel = None,
    review_model: ReviewModel = "",
    max_budget_usd: Annotated[
        float | None, typer.Option("--max-budget-usd", metavar="USD", help="Most that models may cost.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", metavar="N", help="Most tokens that models may use.")
    ] = None,
    max_iterations: Annotated[
        int | None,
        typer.Option("--max-iterations", metavar="N", help="Model calls of one agent, before a forced one."),
    ] = None,
    max_output_tokens: Annotated[
        int | None,
        typer.Option("--max-output-tokens", metavar="N", help="Most tokens of one reply of a model."),
    ] = None,
    detach: Annotated[bool, typer.Option("--detach", help="Print the id and leave.")] = False,
    gates: Annotated[
        str,
        typer.Option("--gates", metavar="PHASES", help="Where people decide: contracts,... or all, none."),
    ] = "",
    approvals: Annotated[
        int | None, typer.Option("--approvals", metavar="N", help="People who must approve each gate.")
    ] = None,
    require_digest: Annotated[
        bool | None, typer.Option(help="Whether approvals must name the digest that was read.")
    ] = None,
    forbid_self_approval: Annotated[
        bool | None, typer.Option(help="Whether you may not approve your own job.")
    ] = None,
    max_revisions: Annotated[
        int | None,
        typer.Option("--max-revisions", metavar="N", help="AI revisions before a person is asked."),
    ] = None,
    skip_human_reviews: Annotated[
        bool | None, typer.Option(help="Waive gates whose facts are harmless; recorded as a policy.")
    ] = None,
    auto_approve_contracts: Annotated[
        bool | None, typer.Option(help="Waive CONTRACTS where it follows existing patterns.")
    ] = None,
    question_handling: Annotated[
        str, typer.Option("--question-handling", metavar="HOW", help="ask, best_guess or skip_task.")
    ] = "",
    keep_open: Annotated[
        str,
        typer.Option(
            "--keep-open", metavar="TIME", help="How long a verified job takes messages: 7d, 12h, 0."
        ),
    ] = "",
    options: Annotated[
        int | None, typer.Option("--options", metavar="N", help="How many ways to implement are drawn up.")
    ] = None,
    auto_select_best: Annotated[
        bool | None, typer.Option(help="Select the best option of a verified plan if nobody did.")
    ] = None,
    option_confidence: Annotated[
        float | None,
        typer.Option("--option-confidence", metavar="SHARE", help="Least confidence of such an option."),
    ] = None,
    max_plan_complexity: Annotated[
        str,
        typer.Option(
            "--max-plan-complexity",
            metavar="LEVEL",
            help="Highest complexity of such an option: low, medium, high or very_high.",
        ),
    ] = "",
    weight: Annotated[
        list[str] | None,
        typer.Option("--weight", metavar="CRITERION=NUMBER", help="Rank options by this. Repeatable."),
    ] = None,
    act: Annotated[
        bool, typer.Option("--act", help="Carry the plan out as soon as it is verified and selected.")
    ] = False,
    allow: Annotated[
        list[str] | None,
        typer.Option("--allow", metavar="'CMD *'", help="Such commands run without asking. Repeatable."),
    ] = None,
    command_seconds: Annotated[
        float | None,
        typer.Option("--command-seconds", metavar="N", help="Most that one command may take. Default: 600."),
    ] = None,
    template: Annotated[
        str,
        typer.Option("--template", metavar="NAME_OR_FILE", help="Offer this way too; see `templates`."),
    ] = "",
    param: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="NAME=VALUE", help="A parameter of the template. Repeatable."),
    ] = None,
    by: By = "",
    as_json: Json = False,
) -> int:
    """Plan a task: start a job and, on a terminal, talk it through.

    Without a terminal it goes on until a person is needed, says where it waits, and exits 3.
    """
    from phasegate.actions.planning import Wish, plan_task

    flags = {
        "gates": gates,
        "approvals": approvals,
        "require_digest": require_digest,
        "forbid_self_approval": forbid_self_approval,
        "max_revisions": max_revisions,
        "skip_human_reviews": skip_human_reviews,
        "auto_approve_contracts": auto_approve_contracts,
        "question_handling": question_handling,
        "keep_open": keep_open,
        "budget_usd": max_budget_usd,
        "budget_tokens": max_tokens,
        "option_count": options,
        "auto_select_best": auto_select_best,
        "option_confidence_threshold": option_confidence,
        "max_plan_complexity": max_plan_complexity,
    }
    wish = Wish(
        task=task,
        task_file=task_file,
        repository=repo,
        ref=ref,
        requirements=tuple(requirement or ()),
        constraints=tuple(constraint or ()),
        job=job,
        by=by,
        model=model,
        phase_models=tuple(phase_model or ()),
        review_model=review_model,
        max_iterations=max_iterations,
        max_output_tokens=max_output_tokens,
        weights=tuple(weight or ()),
        template=template,
        parameters=tuple(param or ()),
        act=act,
        allow=tuple(allow or ()),
        command_seconds=command_seconds,
        policy={name: value for name, value in flags.items() if value not in ("", None)},
    )
    return run(lambda session: plan_task(session, wish, detach), as_json)


@group.command()
def demo(
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Default: phasegate-demo-plan.md.")
    ] = "",
    keep: Annotated[
        bool, typer.Option("--keep", help="Leave server, worker and data, to look around.")
    ] = False,
    as_json: Json = False,
) -> int:
    """A whole job on a small repository, narrated; needs no set-up."""

    async def tell(session: "Session") -> "Outcome":
        # imported here, where Ctrl-C ends in a sentence: it takes half a second
        from phasegate.demo.run import run_demo

        return await run_demo(session, output, keep)

    return run(tell, as_json)
