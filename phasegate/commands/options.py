"""Arguments and options that several commands share."""

from typing import Annotated

import typer

Job = Annotated[str, typer.Argument(metavar="JOB", help="The job's id, or the beginning of it.")]
PhaseName = Annotated[str, typer.Argument(metavar="PHASE", help="The phase, in any case.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else there.")]
By = Annotated[
    str, typer.Option("--by", metavar="NAME", help="Who you are. Default: PHASEGATE_BY, else your user name.")
]
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why, for the ledger.")]
Gate = Annotated[str, typer.Option("--gate", metavar="ID", help="The gate you read, such as contracts-1.")]
Digest = Annotated[
    str, typer.Option("--digest", metavar="SHA256", help="The digest you read, or its beginning.")
]
Model = Annotated[
    str,
    typer.Option(
        "--model", metavar="NAME", help="Plan with this model, named as litellm does. a,b: b stands in."
    ),
]
PhaseModel = Annotated[
    list[str] | None,
    typer.Option("--phase-model", metavar="PHASE=NAME", help="Another model for a phase. Repeatable."),
]
ReviewModel = Annotated[
    str, typer.Option("--review-model", metavar="NAME", help="Another model for reviews; none: no model.")
]
