"""Plans in which one step takes its time and another one asks; what a job shows of both meanwhile."""

import time

from states.artifacts.plan import PlanStep
from states.record import Gate
from tests.e2e.acting_stage import ActingStage
from tests.e2e.executions import a_step
from tests.e2e.stage import until

ASKS = 'python3 -c \'open("asked.txt", "w")\''
"""a command that is not on the list"""
AT_ONCE = 5.0
"""seconds in which a person sees what is asked, or what their answer has led to: half a second on a machine
that has nothing else to do, ten times that where a dozen processes want each core"""


def sleeper(seconds: float, *dependencies: str) -> PlanStep:
    """A step that only takes its time."""
    return a_step("long", *dependencies, command=f"sleep {seconds:g}")


def asking(id: str, *dependencies: str, command: str = ASKS) -> PlanStep:
    """A step that waits for a person."""
    return a_step(id, *dependencies, command=command)


async def statuses(stage: ActingStage, job: str) -> dict[str, str]:
    """step -> status, as the execution has it now."""
    execution = await stage.jobs.execution(job)
    return {line.id: line.status for line in execution.act.last.steps} if execution else {}


async def steps(stage: ActingStage, job: str, **wanted: str) -> dict[str, str]:
    """Wait until these steps have these statuses; gives those of all."""

    def there(now: dict[str, str]) -> bool:
        return wanted.items() <= now.items()

    found: dict[str, str] = await until(lambda: statuses(stage, job), there)
    return found


async def asked(stage: ActingStage, job: str, gate: str, **meanwhile: str) -> Gate:
    """Wait until a gate is open, which it is at once and while these steps have these statuses."""
    began = time.monotonic()
    found = await stage.gate(job, gate)
    assert time.monotonic() - began < AT_ONCE
    now = await statuses(stage, job)
    assert meanwhile.items() <= now.items(), now
    return found


async def approve(stage: ActingStage, job: str, gate: Gate, by: str = "ann") -> None:
    """Allow exactly what was read, by a plain signal."""
    await stage.cli.signal(job, "approve", {"gate": gate.id, "digest": gate.digest, "by": by})
