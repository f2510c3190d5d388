"""The carrying out of a plan: which step may run, what a result means, how far it is.

HelixCode seed, Executor. Pure: times come in as arguments, results from activities.
"""

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from states.artifacts.base import Piece
from states.artifacts.plan import Plan, PlanStep
from states.steps import dependency_graph, resolve

TAIL = 600
"""characters of a step's output that an execution carries along; all of it is in the store"""
FILES = 50
"""changed files of a step that an execution carries along; git knows all"""


class StepStatus(StrEnum):
    """How far a step is."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    WAITING = "waiting"
    """for a person: to write the code, or to allow a command"""
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"


class ExecutionStatus(StrEnum):
    """How far an execution is."""

    RUNNING = "running"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


SETTLED = (StepStatus.COMPLETED, StepStatus.FAILED, StepStatus.SKIPPED)


class Metrics(Piece):
    """What really happened, as git and the processes have it."""

    files_created: int = 0
    files_modified: int = 0
    files_deleted: int = 0
    lines_changed: int = 0
    commands_executed: int = 0
    tests_passed: int = 0
    tests_failed: int = 0
    errors: int = 0
    warnings: int = 0

    def __add__(self, other: "Metrics") -> "Metrics":
        return Metrics(**{name: getattr(self, name) + getattr(other, name) for name in Metrics.model_fields})


class StepResult(Piece):
    """What one attempt of a step came to. `output` is the digest of what it printed, `tail` its end."""

    status: StepStatus
    error: str = ""
    commit: str = ""
    """the branch after a completed step; blank for any other, which changes nothing"""
    snapshot: str = ""
    """commit of the whole tree after the step, with untracked and ignored files"""
    bundle: str = ""
    """digest of the stored git bundle from the commits before to these"""
    output: str = ""
    tail: str = ""
    files: tuple[str, ...] = ()
    metrics: Metrics = Metrics()
    seconds: float | None = None
    """that the attempt was at work; None where nobody looked at a clock"""
    asks: str = ""
    """what a person is asked: the exact command, or the code to write; for `waiting`"""
    notes: tuple[str, ...] = ()


class StepRun(Piece):
    """One step of an execution."""

    id: str
    status: StepStatus = StepStatus.PENDING
    attempts: int = 0
    forgiven: int = 0
    """attempts that no longer count against the step's retries; numbers of attempts are never used twice"""
    commands: int = 0
    """commands that earlier attempts ran, whatever became of them"""
    started: datetime | None = None
    begun: datetime | None = None
    """when the newest attempt began"""
    ended: datetime | None = None
    seconds: float | None = None
    """that its attempts were at work which came to something: no time of waiting for people or for a worker.
    None where nobody has counted"""
    result: StepResult | None = None
    why: str = ""

    @property
    def worked(self) -> float | None:
        """Seconds of attempts that have ended; None for a step that never began."""
        if self.seconds is None and self.started and self.ended:
            return (self.ended - self.started).total_seconds()
        return 0.0 if self.seconds is None and self.started else self.seconds

    @property
    def commands_so_far(self) -> int:
        """Commands of all attempts."""
        return self.commands + (self.result.metrics.commands_executed if self.result else 0)


class Execution(BaseModel):
    """The carrying out of one plan; references and counts only. Mutable: only this file changes it."""

    model_config = ConfigDict(extra="ignore")

    id: str
    branch: str
    base: str
    """the commit that the plan was made on"""
    head: str
    """the branch now"""
    snapshot: str = ""
    plan: str
    """digest of the stored plan"""
    option: str = ""
    steps: dict[str, StepRun] = Field(default_factory=dict)
    status: ExecutionStatus = ExecutionStatus.RUNNING
    started: datetime | None = None
    ended: datetime | None = None
    worked: float = 0.0
    """seconds at work before the last rest; waiting for people is no work"""
    since: datetime | None = None
    """when it went to work; None while it rests"""
    landed: list[str] = Field(default_factory=list)
    """completed steps in the order in which they came onto the branch"""
    bundles: list[str] = Field(default_factory=list)
    """digests of bundles, oldest first: an empty disk becomes the tree by applying them to `base`"""


class Progress(Piece):
    """How far an execution is (HelixCode seed, ExecutionProgress). Times in seconds; unknown is None."""

    execution: str
    current_steps: tuple[str, ...] = ()
    total_steps: int = 0
    completed_steps: int = 0
    failed_steps: int = 0
    skipped_steps: int = 0
    elapsed: float = 0.0
    remaining: float | None = None
    status: ExecutionStatus = ExecutionStatus.RUNNING
    worked: float = 0.0
    since: datetime | None = None
    """with `worked`, what `elapsed` comes from while it is at work"""
    spent: float | None = None
    """what the steps have taken that ended, one beside the other or not; None where nobody has counted"""

    @property
    def at(self) -> tuple[tuple[str, ...], int, int, int]:
        """Where it is, whatever the time."""
        return self.current_steps, self.completed_steps, self.failed_steps, self.skipped_steps

    def after(self, elapsed: float, running: float = 0.0) -> "Progress":
        """The same after so many seconds, with steps that have been running for `running` seconds in all.

        Remaining time = elapsed / completed * left, where no more counts as elapsed than the steps have
        taken: not the time in which no worker was there.
        """
        most = elapsed if self.spent is None else min(elapsed, self.spent + running)
        done = self.completed_steps
        left = self.total_steps - done - self.failed_steps - self.skipped_steps
        remaining = 0.0 if not left else most / done * left if done else None
        return self.model_copy(update={"elapsed": elapsed, "remaining": remaining})


def begin_execution(plan: Plan, plan_digest: str, execution: str, branch: str, base: str) -> Execution:
    """An execution with every step pending. Raises ValueError for an empty plan."""
    if not plan.steps:
        raise ValueError("plan must have at least one step")
    steps = {step.id: StepRun(id=step.id) for step in plan.steps}
    return Execution(id=execution, branch=branch, base=base, head=base, plan=plan_digest, steps=steps)


def runnable(execution: Execution, plan: Plan) -> tuple[PlanStep, ...]:
    """Steps that may begin now, in the plan's order."""
    return tuple(
        step
        for step in plan.steps
        if execution.steps[step.id].status is StepStatus.PENDING
        and all(execution.steps[other].status is StepStatus.COMPLETED for other in _needs(plan, step))
        and _decided(execution, plan, step)
    )


def skip_what_cannot_run(execution: Execution, plan: Plan, now: datetime) -> None:
    """Skip pending steps that wait for one that failed or was skipped, and those behind them."""
    changed = True
    while changed:
        changed = False
        for step in plan.steps:
            why = _hopeless(execution, plan, step)
            if execution.steps[step.id].status is StepStatus.PENDING and why:
                _settle(execution, step.id, StepStatus.SKIPPED, now, why)
                changed = True


def start_step(execution: Execution, step: str, now: datetime) -> None:
    """A step begins, or begins again."""
    run = execution.steps[step]
    update = {
        "status": StepStatus.IN_PROGRESS,
        "attempts": run.attempts + 1,
        "started": run.started or now,
        "begun": now,
        "ended": None,
    }
    execution.steps[step] = run.model_copy(update=update)


def end_step(execution: Execution, plan: Plan, step: str, result: StepResult, now: datetime) -> None:
    """Enter a result. A failed step with retries left is pending again."""
    run = execution.steps[step]
    retries = next(each.retries for each in plan.steps if each.id == step)
    again = result.status is StepStatus.FAILED and run.attempts - run.forgiven <= retries
    status = StepStatus.PENDING if again else result.status
    ended = now if status in SETTLED else None
    kept = result.model_copy(update={"tail": result.tail[-TAIL:], "files": result.files[:FILES]})
    # Waiting for a person is no try.
    forgiven = run.forgiven + (result.status is StepStatus.WAITING)
    spent = result.seconds
    if spent is None:
        spent = (now - run.begun).total_seconds() if run.begun else 0.0
    update = {
        "status": status,
        "ended": ended,
        "commands": run.commands_so_far,
        "seconds": (run.seconds or 0.0) + spent,
        "result": kept,
        "forgiven": forgiven,
    }
    execution.steps[step] = run.model_copy(update=update)
    if status is StepStatus.COMPLETED:
        execution.landed.append(step)
    if result.commit:
        execution.head = result.commit
    if result.snapshot:
        execution.snapshot = result.snapshot
    if result.bundle:
        execution.bundles.append(result.bundle)


def put_back(execution: Execution, step: str, why: str) -> None:
    """A step that was stopped in the middle is pending again; its attempt does not count."""
    run = execution.steps[step]
    update = {"status": StepStatus.PENDING, "attempts": max(run.attempts - 1, 0), "why": why}
    execution.steps[step] = run.model_copy(update=update)


def finish(execution: Execution, plan: Plan, now: datetime) -> bool:
    """End the execution if nothing is left to do; gives whether it has ended."""
    if any(run.status not in SETTLED for run in execution.steps.values()):
        return False
    execution.status = ExecutionStatus.COMPLETED if succeeded(execution, plan) else ExecutionStatus.FAILED
    execution.ended = now
    return True


def succeeded(execution: Execution, plan: Plan) -> bool:
    """No step failed, and no required step was skipped (behaviours, Execution)."""
    by_id = {step.id: step for step in plan.steps}
    return all(
        run.status is StepStatus.COMPLETED
        or (run.status is StepStatus.SKIPPED and not by_id[run.id].required)
        for run in execution.steps.values()
    )


def progress_of(execution: Execution, now: datetime) -> Progress:
    """How far it is."""
    runs = list(execution.steps.values())
    count = {status: sum(1 for run in runs if run.status is status) for status in StepStatus}
    end = execution.ended or now
    elapsed = execution.worked + ((end - execution.since).total_seconds() if execution.since else 0.0)
    progress = Progress(
        execution=execution.id,
        current_steps=tuple(run.id for run in runs if run.status is StepStatus.IN_PROGRESS),
        total_steps=len(runs),
        completed_steps=count[StepStatus.COMPLETED],
        failed_steps=count[StepStatus.FAILED],
        skipped_steps=count[StepStatus.SKIPPED],
        status=execution.status,
        worked=execution.worked,
        since=None if execution.ended else execution.since,
        spent=sum(run.worked or 0.0 for run in runs),
    )
    now_at_it = [run.begun for run in runs if run.status is StepStatus.IN_PROGRESS and run.begun]
    return progress.after(elapsed, sum((now - begun).total_seconds() for begun in now_at_it))


def rest(execution: Execution, now: datetime) -> None:
    """The execution comes to rest: from here on no time counts until it goes to work again."""
    if execution.since:
        execution.worked += ((execution.ended or now) - execution.since).total_seconds()
    execution.since = None


def metrics_of(execution: Execution) -> Metrics:
    """Everything that the steps did; of earlier attempts, which left nothing, the commands."""
    runs = execution.steps.values()
    before = Metrics(commands_executed=sum(run.commands for run in runs))
    return sum((run.result.metrics for run in runs if run.result), before)


def errors_of(execution: Execution, plan: Plan) -> tuple[str, ...]:
    """What went wrong, in the plan's order."""
    return tuple(
        run.result.error
        for step in plan.steps
        if (run := execution.steps[step.id]).status is StepStatus.FAILED and run.result and run.result.error
    )


def _needs(plan: Plan, step: PlanStep) -> tuple[str, ...]:
    """The steps whose success a step depends on; one that its condition names need not succeed."""
    asked = resolve(plan, step.condition.step) if step.condition and step.condition.step else None
    needs = dependency_graph(plan)[step.id]
    return tuple(other for other in needs if asked is None or other != asked.id)


def _decided(execution: Execution, plan: Plan, step: PlanStep) -> bool:
    """Whether the step that the condition asks about ended as it must. Paths are looked at on the spot."""
    if step.condition is None or not step.condition.step:
        return True
    asked = resolve(plan, step.condition.step)
    return asked is not None and execution.steps[asked.id].status.value == step.condition.status


def _hopeless(execution: Execution, plan: Plan, step: PlanStep) -> str:
    """Why a step can never run; blank while it can."""
    for other in _needs(plan, step):
        status = execution.steps[other].status
        if status in (StepStatus.FAILED, StepStatus.SKIPPED):
            return f"step {other} {status}"
    if step.condition and step.condition.step:
        asked = resolve(plan, step.condition.step)
        if asked is None:
            return f"its condition names no step {step.condition.step}"
        status = execution.steps[asked.id].status
        if status in SETTLED and status.value != step.condition.status:
            return f"step {asked.id} {status}, not {step.condition.status}"
    return ""


def _settle(execution: Execution, step: str, status: StepStatus, now: datetime, why: str) -> None:
    run = execution.steps[step]
    execution.steps[step] = run.model_copy(update={"status": status, "ended": now, "why": why})
