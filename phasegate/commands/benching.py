"""`cooperbench plan`: planning for the CooperBench benchmark."""

from typing import TYPE_CHECKING, Annotated

import typer

from phasegate.commands.options import Json
from phasegate.commands.running import run

if TYPE_CHECKING:
    from phasegate.session import Outcome, Session

group = typer.Typer(help="Plan features of the CooperBench benchmark.\n\nBy one agent, or by two that talk.")


@group.callback()
def _only() -> None:
    """Keeps `plan` a word of its own: typer folds a group of one command into that command."""


@group.command()
def plan(
    repo_name: Annotated[
        str, typer.Option("--repo-name", metavar="NAME", help="Repository, as the dataset names its folder.")
    ],
    task_id: Annotated[int, typer.Option("--task-id", metavar="N", help="Task of the repository.")],
    feature1_id: Annotated[
        int, typer.Option("--feature1-id", "-i", metavar="N", help="Feature of the first agent.")
    ],
    model1: Annotated[
        str, typer.Option("--model1", "-m1", metavar="MODEL", help="Its model, named as litellm does.")
    ],
    setting: Annotated[
        str, typer.Option("--setting", "-s", metavar="SETTING", help="single, solo, coop or coop_ablation.")
    ] = "coop",
    feature2_id: Annotated[
        int | None,
        typer.Option("--feature2-id", "-j", metavar="N", help="Second feature; needed unless single."),
    ] = None,
    model2: Annotated[
        str,
        typer.Option("--model2", "-m2", metavar="MODEL", help="Model of the second agent. Default: model1."),
    ] = "",
    k: Annotated[int, typer.Option("--k", metavar="K", help="Which repetition of the experiment.")] = 1,
    max_iterations: Annotated[
        int, typer.Option(min=1, max=1000, metavar="N", help="Model calls of one agent, before a forced one.")
    ] = 25,
    dataset: Annotated[
        str, typer.Option(metavar="DIR", help="Folder of the dataset: DIR/NAME/taskN/featureN/feature.md.")
    ] = "dataset",
    output: Annotated[str, typer.Option(metavar="DIR", help="Where plans and trajectories go.")] = "logs",
    save_to_hf: Annotated[
        bool, typer.Option(help="Upload the files, if PHASEGATE_HF_REPO and HF_TOKEN are set.")
    ] = True,
    create_pr: Annotated[
        bool, typer.Option("--create-pr", help="Upload as a pull request, not as a direct commit.")
    ] = False,
    with_solo: Annotated[
        bool, typer.Option("--with-solo", help="With two agents: plan with one as well, to compare.")
    ] = False,
    max_budget_usd: Annotated[
        float | None, typer.Option("--max-budget-usd", metavar="USD", help="Most that the run may cost.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", metavar="N", help="Most tokens that the run may use.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Plan one experiment and write its plans and its trajectory.

    The same words again attach to a run that lasts, go on with one that stopped, and take the result of one
    that is done: nothing is paid twice. Another K is another experiment.
    """

    async def act(session: "Session") -> "Outcome":
        # imported here, where Ctrl-C ends in a sentence: it takes half a second
        from phasegate.actions.benching import plan_bench
        from phasegate.actions.policies import allowance_of
        from phasegate.cooperbench.interface import FileInterface, setting_of

        given = FileInterface(
            setting=setting_of(setting),
            repo_name=repo_name,
            task_id=task_id,
            feature1_id=feature1_id,
            model1=model1,
            feature2_id=feature2_id,
            model2=model2 or None,
            k=k,
            save_to_hf=save_to_hf,
            create_pr=create_pr,
            dataset=dataset,
            output=output,
        )
        allowance = allowance_of(max_budget_usd, max_tokens)
        return await plan_bench(session, given, max_iterations, allowance, with_solo)

    return run(act, as_json)
