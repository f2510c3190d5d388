"""Going back within an execution: to a step, to the start, or to those steps that failed."""

from states.artifacts.plan import Plan
from states.execution import Execution, ExecutionStatus, StepRun, StepStatus
from states.steps import resolve

START = ("", "start", "base", "0")
"""what people call the state before the first step"""


def target_of(execution: Execution, plan: Plan, to: str) -> str:
    """The id of the step whose end is meant; blank for the start. Raises ValueError with the choices."""
    if to.strip().casefold() in START:
        return ""
    step = resolve(plan, to)
    if step is None:
        raise ValueError(f"the plan has no step {to[:60]!r}; steps are {', '.join(execution.steps)}")
    if step.id not in execution.landed:
        done = ", ".join(execution.landed) or "none"
        raise ValueError(f"step {step.id} is {execution.steps[step.id].status}; completed are {done}")
    return step.id


def point_of(execution: Execution, target: str) -> tuple[str, str]:
    """Commit and snapshot after a completed step, or before the first one."""
    if not target:
        return execution.base, ""
    result = execution.steps[target].result
    assert result is not None, "a step that landed has a result"
    return result.commit, result.snapshot


def undo(execution: Execution, target: str) -> None:
    """Steps that came onto the branch after `target` are to be done again, and so is what never came."""
    kept = execution.landed[: execution.landed.index(target) + 1] if target else []
    for name, run in execution.steps.items():
        if name not in kept:
            execution.steps[name] = _fresh(run)
    execution.landed = kept
    execution.head, execution.snapshot = point_of(execution, target)
    _reopen(execution)


def try_again(execution: Execution) -> None:
    """Steps that failed, and those that were skipped for them, are to be done again."""
    for name, run in execution.steps.items():
        if run.status in (StepStatus.FAILED, StepStatus.SKIPPED):
            execution.steps[name] = _fresh(run)
    _reopen(execution)


def _fresh(run: StepRun) -> StepRun:
    """Pending, with all its retries; the next attempt has a number of its own and is really made."""
    return StepRun(id=run.id, attempts=run.attempts, forgiven=run.attempts, commands=run.commands_so_far)


def _reopen(execution: Execution) -> None:
    execution.status, execution.ended = ExecutionStatus.RUNNING, None
