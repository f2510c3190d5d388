"""What a restart would do, before it happens."""

from collections.abc import Iterator

from rich.text import Text

from phasegate.screen.tame import tame_line
from states.record import ArtifactRef
from states.restart import RestartPlan


def restart_lines(plan: RestartPlan) -> Iterator[Text]:
    """Kept, redone, invalidated."""
    for ref in plan.kept:
        yield Text(f"keeps        {_named(ref)}", "green")
    for phase in plan.redone:
        yield Text(f"does again   {phase.name}", "cyan")
    for ref in plan.invalidated:
        yield Text(f"invalidates  {_named(ref)}", "yellow")
    for phase, digest in plan.partial.items():
        yield Text(f"material     {phase.name} {digest[:12]}")


def _named(ref: ArtifactRef) -> str:
    return f"{ref.phase.name} v{ref.version}  {ref.digest[:12]}  {tame_line(ref.summary, 60)}".rstrip()
