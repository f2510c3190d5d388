"""How long a step took: what its attempts were at work, and no waiting, for a person or for a worker."""

from datetime import timedelta

import pytest

from states.act import ActEnd
from states.carrying import decide, outcome_of
from states.execution import (
    Execution,
    StepResult,
    StepStatus,
    end_step,
    progress_of,
    put_back,
    start_step,
)
from states.undoing import try_again
from tests.states.test_execution import BAD, NOW, OK, a_step, begun

DAY = timedelta(days=1)


def took(seconds: float, result: StepResult = OK) -> StepResult:
    """A result that took so long, as its activity says."""
    return result.model_copy(update={"seconds": seconds})


def seconds(execution: Execution, *steps: str) -> float | None:
    """What a list of these steps shows of the first."""
    plan = begun(*(a_step(name, retries=2) for name in steps))[1]
    return outcome_of(execution, plan, ActEnd.STOPPED, "", NOW + 9 * DAY).steps[0].seconds


def test_a_day_without_a_worker_is_no_time_of_the_step_and_no_ground_for_what_remains() -> None:
    execution, plan = begun(a_step("a"), a_step("b"), a_step("c"))
    start_step(execution, "a", NOW)
    end_step(execution, plan, "a", took(4.0), NOW + DAY)
    assert seconds(execution, "a", "b", "c") == 4.0
    progress = progress_of(execution, NOW + DAY)
    assert (progress.elapsed, progress.remaining) == (DAY.total_seconds(), 8.0)
    start_step(execution, "b", NOW + DAY)
    progress = progress_of(execution, NOW + DAY + timedelta(seconds=6))
    assert progress.remaining == 20.0, "a step that runs has taken what it has taken so far"
    assert progress.after(2 * DAY.total_seconds(), running=1.0).remaining == 10.0


def test_steps_beside_each_other_remain_as_long_as_the_clock_says() -> None:
    execution, plan = begun(*(a_step(name) for name in "abcd"))
    for name in "abc":
        start_step(execution, name, NOW)
    for name in "abc":
        end_step(execution, plan, name, took(9.0), NOW + timedelta(seconds=9))
    assert progress_of(execution, NOW + timedelta(seconds=9)).remaining == 3.0


def test_attempts_are_summed_and_waiting_for_a_person_is_none() -> None:
    execution, plan = begun(a_step("a", retries=2))
    for spent in (2.0, 3.0):
        start_step(execution, "a", NOW)
        end_step(execution, plan, "a", took(spent, BAD), NOW + DAY)
    assert seconds(execution, "a") == 5.0
    start_step(execution, "a", NOW)
    waits = StepResult(status=StepStatus.WAITING, asks="make x", seconds=0.5)
    end_step(execution, plan, "a", waits, NOW)
    assert seconds(execution, "a") == 5.5
    decide(execution, plan, {}, ["a"], NOW + DAY)
    start_step(execution, "a", NOW + DAY)
    end_step(execution, plan, "a", took(1.0), NOW + 2 * DAY)
    assert seconds(execution, "a") == 6.5


def test_what_is_refused_took_what_it_took_before() -> None:
    execution, plan = begun(a_step("a"))
    start_step(execution, "a", NOW)
    end_step(execution, plan, "a", StepResult(status=StepStatus.WAITING, asks="make x", seconds=0.5), NOW)
    decide(execution, plan, {"a": "ann refused: no"}, [], NOW + DAY)
    assert execution.steps["a"].status is StepStatus.FAILED
    assert seconds(execution, "a") == 0.5
    try_again(execution)
    assert seconds(execution, "a") is None, "what is done anew begins anew"


def test_what_was_stopped_came_to_nothing() -> None:
    execution, plan = begun(a_step("a"))
    start_step(execution, "a", NOW)
    put_back(execution, "a", "paused")
    assert seconds(execution, "a") == 0.0
    start_step(execution, "a", NOW + DAY)
    end_step(execution, plan, "a", took(2.0), NOW + 2 * DAY)
    assert seconds(execution, "a") == 2.0


@pytest.mark.parametrize("old", ["the result of an old worker", "an execution that was kept before"])
def test_where_nobody_has_counted_it_is_the_time_from_begin_to_end(old: str) -> None:
    execution, plan = begun(a_step("a"), a_step("b"))
    start_step(execution, "a", NOW)
    end_step(execution, plan, "a", OK, NOW + timedelta(seconds=7))
    if old.startswith("an"):
        execution.steps["a"] = execution.steps["a"].model_copy(update={"seconds": None, "begun": None})
    assert seconds(execution, "a", "b") == 7.0
    assert progress_of(execution, NOW + timedelta(seconds=7)).remaining == 7.0
