"""The carrying out of plans: what may run, what follows from what, how far it is."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from states.artifacts.plan import Plan, PlanStep, StepCondition, StepType
from states.execution import (
    SETTLED,
    Execution,
    ExecutionStatus,
    Metrics,
    StepResult,
    StepStatus,
    begin_execution,
    end_step,
    errors_of,
    finish,
    metrics_of,
    progress_of,
    put_back,
    rest,
    runnable,
    skip_what_cannot_run,
    start_step,
    succeeded,
)
from states.undoing import try_again

CASE = json.loads((Path(__file__).parent.parent / "data/cases/execution.json").read_text())
NOW = datetime(2026, 1, 1, tzinfo=UTC)
OK = StepResult(status=StepStatus.COMPLETED)
BAD = StepResult(status=StepStatus.FAILED, error="command failed: exit status 1")


def a_step(id: str, *dependencies: str, **fields: Any) -> PlanStep:
    """A step that runs a command."""
    kind = StepType.SHELL_COMMAND
    return PlanStep(id=id, title=f"Step {id}", action="do", type=kind, dependencies=dependencies, **fields)


def begun(*steps: PlanStep) -> tuple[Execution, Plan]:
    """An execution of these steps."""
    plan = Plan(title="A plan", steps=steps)
    execution = begin_execution(plan, "d" * 64, "job-act-1", "phasegate/job", "c" * 40)
    execution.started = execution.since = NOW
    return execution, plan


def carry_out(execution: Execution, plan: Plan, results: dict[str, StepResult]) -> list[list[str]]:
    """Run everything that can run, wave by wave, as a workflow does; gives the waves."""
    waves = []
    while not finish(execution, plan, NOW):
        skip_what_cannot_run(execution, plan, NOW)
        wave = runnable(execution, plan)
        if not wave:
            assert finish(execution, plan, NOW), "nothing can run and nothing has ended"
            break
        waves.append([step.id for step in wave])
        for step in wave:
            start_step(execution, step.id, NOW)
        for step in wave:
            end_step(execution, plan, step.id, results.get(step.id, OK), NOW)
    return waves


def statuses(execution: Execution) -> dict[str, str]:
    """How each step ended."""
    return {id: run.status.value for id, run in execution.steps.items()}


def test_the_worked_case() -> None:
    steps = [a_step(s["id"], *s.get("dependencies", ()), command=s["shell"]) for s in CASE["steps"]]
    execution, plan = begun(*steps)
    exit_3 = StepResult(status=StepStatus.FAILED, error="command failed: exit status 3")
    waves = carry_out(execution, plan, {"2": exit_3})
    assert waves == [["1", "2"], ["4"]]
    assert statuses(execution) == CASE["statuses"]
    assert succeeded(execution, plan) is CASE["success"]
    assert execution.status is ExecutionStatus.FAILED
    assert list(errors_of(execution, plan)) == CASE["errors"]
    assert execution.steps["3"].why == "step 2 failed"


def test_an_empty_plan_is_an_error() -> None:
    with pytest.raises(ValueError, match="plan must have at least one step"):
        begin_execution(Plan(title="Nothing"), "d" * 64, "e", "b", "c" * 40)


def test_a_skip_goes_down_the_whole_line_and_required_steps_decide() -> None:
    execution, plan = begun(a_step("a"), a_step("b", "a"), a_step("c", "Step b"), a_step("d"))
    carry_out(execution, plan, {"a": BAD})
    assert statuses(execution) == {"a": "failed", "b": "skipped", "c": "skipped", "d": "completed"}
    skipped = StepResult(status=StepStatus.SKIPPED)
    for required in (True, False):
        execution, plan = begun(a_step("a", required=required), a_step("b"))
        carry_out(execution, plan, {"a": skipped})
        assert succeeded(execution, plan) is not required


def test_a_step_can_run_because_another_failed() -> None:
    on_failure = StepCondition(step="a", status="failed")
    for result, ends in ((BAD, "completed"), (OK, "skipped")):
        execution, plan = begun(a_step("a"), a_step("mend", "a", condition=on_failure, required=False))
        carry_out(execution, plan, {"a": result})
        assert statuses(execution)["mend"] == ends
    assert execution.steps["mend"].why == "step a completed, not failed"
    execution, plan = begun(a_step("a", condition=StepCondition(step="nobody")))
    carry_out(execution, plan, {})
    assert execution.steps["a"].why == "its condition names no step nobody"


def test_retries_count_attempts_and_stopping_does_not() -> None:
    execution, plan = begun(a_step("a", retries=1))
    start_step(execution, "a", NOW)
    put_back(execution, "a", "paused")
    assert (execution.steps["a"].status, execution.steps["a"].attempts) == (StepStatus.PENDING, 0)
    waves = carry_out(execution, plan, {"a": BAD})
    assert waves == [["a"], ["a"]]
    assert execution.steps["a"].attempts == 2
    assert statuses(execution) == {"a": "failed"}


def test_only_completed_steps_move_the_branch() -> None:
    execution, plan = begun(a_step("a"), a_step("b"))
    start_step(execution, "a", NOW)
    done = StepResult(status=StepStatus.COMPLETED, commit="1" * 40, snapshot="2" * 40, bundle="3" * 64)
    end_step(execution, plan, "a", done, NOW)
    start_step(execution, "b", NOW)
    end_step(execution, plan, "b", BAD, NOW)
    assert (execution.head, execution.snapshot, execution.bundles) == ("1" * 40, "2" * 40, ["3" * 64])


def test_a_step_that_waits_for_a_person_keeps_the_execution_open() -> None:
    execution, plan = begun(a_step("a"), a_step("b", "a"))
    start_step(execution, "a", NOW)
    end_step(execution, plan, "a", StepResult(status=StepStatus.WAITING, asks="make x"), NOW)
    skip_what_cannot_run(execution, plan, NOW)
    assert not runnable(execution, plan)
    assert not finish(execution, plan, NOW)
    start_step(execution, "a", NOW)
    end_step(execution, plan, "a", OK, NOW)
    assert [step.id for step in runnable(execution, plan)] == ["b"]


def test_remaining_time_is_elapsed_by_completed_times_left() -> None:
    execution, plan = begun(a_step("a"), a_step("b"), a_step("c"))
    assert progress_of(execution, NOW).remaining is None
    start_step(execution, "a", NOW)
    end_step(execution, plan, "a", OK, NOW)
    start_step(execution, "b", NOW)
    progress = progress_of(execution, NOW + timedelta(seconds=10))
    assert (progress.elapsed, progress.remaining, progress.current_steps) == (10.0, 20.0, ("b",))
    end_step(execution, plan, "b", BAD, NOW)
    start_step(execution, "c", NOW)
    end_step(execution, plan, "c", OK, NOW)
    assert finish(execution, plan, NOW + timedelta(seconds=30))
    later = progress_of(execution, NOW + timedelta(days=1))
    assert (later.elapsed, later.remaining, later.failed_steps) == (30.0, 0.0, 1)


def test_metrics_are_the_sum_of_what_steps_did() -> None:
    execution, plan = begun(a_step("a"), a_step("b"))
    some = StepResult(status=StepStatus.COMPLETED, metrics=Metrics(files_created=2, tests_passed=5))
    carry_out(execution, plan, {"a": some, "b": some})
    assert metrics_of(execution) == Metrics(files_created=4, tests_passed=10)


def test_commands_of_earlier_attempts_were_executed_too() -> None:
    execution, plan = begun(a_step("a", retries=2), a_step("b"))
    bad = BAD.model_copy(update={"metrics": Metrics(commands_executed=1, errors=1)})
    carry_out(execution, plan, {"a": bad, "b": OK})
    assert metrics_of(execution) == Metrics(commands_executed=3, errors=1)
    try_again(execution)
    assert metrics_of(execution).commands_executed == 3
    carry_out(execution, plan, {"a": bad})
    assert metrics_of(execution).commands_executed == 6


@st.composite
def plans(draw: st.DrawFn) -> tuple[list[PlanStep], dict[str, StepResult]]:
    """Steps that depend on earlier ones in any order of the plan, some of which fail."""
    count = draw(st.integers(1, 8))
    steps = [
        a_step(f"s{n}", *(f"s{d}" for d in draw(st.sets(st.integers(0, n - 1))) if n)) if n else a_step("s0")
        for n in range(count)
    ]
    failing = draw(st.sets(st.integers(0, count - 1)))
    return draw(st.permutations(steps)), {f"s{n}": BAD for n in failing}


@given(plans())
def test_every_plan_comes_to_an_end_and_only_followers_of_failures_are_skipped(
    drawn: tuple[list[PlanStep], dict[str, StepResult]],
) -> None:
    steps, results = drawn
    execution, plan = begun(*steps)
    ran = [id for wave in carry_out(execution, plan, results) for id in wave]
    assert all(run.status in SETTLED for run in execution.steps.values())
    assert len(ran) == len(set(ran))
    lost = {id for id in results if execution.steps[id].status is StepStatus.FAILED}
    for step in plan.steps:
        hopeless = any(
            execution.steps[d].status in (StepStatus.FAILED, StepStatus.SKIPPED) for d in step.dependencies
        )
        assert (execution.steps[step.id].status is StepStatus.SKIPPED) == hopeless
    assert succeeded(execution, plan) == (not lost)


def test_time_at_rest_does_not_count() -> None:
    plan = Plan(title="p", steps=(a_step("a"), a_step("b")))
    execution = begin_execution(plan, "d", "e", "b", "c")
    execution.started = execution.since = NOW
    start_step(execution, "a", NOW)
    end_step(execution, plan, "a", OK, NOW + timedelta(seconds=10))
    rest(execution, NOW + timedelta(seconds=12))
    resting = progress_of(execution, NOW + timedelta(days=3))
    assert (resting.elapsed, resting.remaining, resting.since) == (12.0, 10.0, None)
    execution.since = NOW + timedelta(days=3)
    again = progress_of(execution, NOW + timedelta(days=3, seconds=3))
    assert (again.elapsed, again.worked) == (15.0, 12.0)
