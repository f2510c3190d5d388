"""How long a step took, as its activity says: on workers that were lost too, and not twice."""

from dataclasses import replace
from typing import Any

import pytest
from temporalio.testing import ActivityEnvironment

from activities.execution.activities import ExecutionActivities
from activities.execution_orders import Live, StepOrder
from states.artifacts.plan import StepType
from states.execution import StepResult
from tests.activities.execution.acting import Acting, completed, step

BEFORE = Live(step="1", seconds=4.0).model_dump(mode="json")


async def test_a_result_says_how_long_its_command_took(acting: Acting) -> None:
    acting.rules = acting.rules.model_copy(update={"allow": ("sleep *",)})
    order = acting.order(step(StepType.SHELL_COMMAND, command="sleep 0.5"))
    first = completed(await acting.run(order))
    assert first.seconds is not None
    assert 0.5 <= first.seconds < 5
    assert (await acting.run(order)).seconds == first.seconds, "remembered, and not measured again"


class _Given:
    """An executor whose steps all end with one result, after a command or without one."""

    def __init__(self, result: StepResult, *, ran: bool) -> None:
        self._result, self._ran = result, ran

    async def run_step(self, order: StepOrder, started: Any) -> StepResult:  # noqa: ARG002
        """A step."""
        if self._ran:
            started(_Shown())
        return self._result


class _Shown:
    tail, printed, seconds = "", 0, 0.0


@pytest.mark.parametrize(
    ("details", "ran", "seconds"),
    [((BEFORE,), True, 5.5), ((BEFORE,), False, 1.5), (("begun",), True, 1.5), ((), True, 1.5)],
)
async def test_what_lost_workers_did_counts_unless_the_result_was_remembered(
    acting: Acting, details: tuple[Any, ...], ran: bool, seconds: float
) -> None:
    made = acting.order(step(StepType.SHELL_COMMAND, command="ls"))
    order = StepOrder(at=made.at, plan="p", step="1", attempt=1)
    given: Any = _Given(StepResult(status="completed", seconds=1.5), ran=ran)
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, heartbeat_details=details)
    result = await environment.run(ExecutionActivities(given).run_step, order)
    assert result.seconds == seconds
