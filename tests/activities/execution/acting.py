"""An execution in a real repository, driven as a workflow would."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from temporalio.testing import ActivityEnvironment

from activities.execution.activities import ExecutionActivities
from activities.execution.at_hand import StepAtHand
from activities.execution.executor import WorktreeExecutor
from activities.execution.plans import Plans
from activities.execution.sandbox import Sandbox, find_sandbox
from activities.execution_orders import (
    CommandRules,
    ExecutionOrder,
    Landed,
    Landing,
    LandOrder,
    Prepared,
    RollbackOrder,
    StepOrder,
    Summary,
)
from activities.index.shelf import IndexShelf
from activities.store import Store, open_store
from activities.workspace import Workspaces
from states.artifacts.plan import Plan, PlanStep, StepType
from states.execution import StepResult, StepStatus

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@dataclass
class Acting:
    """A job's execution: `at` follows what steps come to, as the workflow's record does."""

    activities: ExecutionActivities
    store: Store
    at: ExecutionOrder
    rules: CommandRules = field(default_factory=CommandRules)
    environment: ActivityEnvironment = field(default_factory=ActivityEnvironment)
    attempts: dict[str, int] = field(default_factory=dict)

    async def prepare(self) -> Prepared:
        """Make ready."""
        made: Prepared = await self._run(self.activities.prepare_execution, self.at)
        self.at = self.at.model_copy(update={"head": made.head, "snapshot": made.snapshot})
        self.tree = Path(made.path)
        return made

    def order(self, step: PlanStep, **more: Any) -> StepAtHand:
        """The order of the next attempt of a step."""
        self.attempts[step.id] = self.attempts.get(step.id, 0) + 1
        return StepAtHand(at=self.at, step=step, attempt=self.attempts[step.id], rules=self.rules, **more)

    async def step(self, step: PlanStep, **more: Any) -> StepResult:
        """Run a step alone, and enter its result."""
        return self.enter(await self.run(self.order(step, **more)))

    async def run(self, order: StepAtHand) -> StepResult:
        """One attempt."""
        result: StepResult = await self._run(self.activities.run_step, await named(self.store, order))
        return result

    async def land(self, step: PlanStep, result: StepResult) -> StepResult:
        """Merge what a step did beside others, and enter the result."""
        return (await self.land_all([(step, result)]))[0]

    async def land_all(self, done: Sequence[tuple[PlanStep, StepResult]]) -> tuple[StepResult, ...]:
        """Merge what several steps did, in one go."""
        landings = tuple(Landing(step=step.id, result=result) for step, result in done)
        order = LandOrder(at=self.at, landings=landings)
        landed: Landed = await self._run(self.activities.land_steps, order)
        return tuple(self.enter(result) for result in landed.results)

    def enter(self, result: StepResult) -> StepResult:
        """Follow a result that is on the branch."""
        if result.commit:
            bundles = (*self.at.bundles, *([result.bundle] if result.bundle else []))
            self.at = self.at.model_copy(
                update={"head": result.commit, "snapshot": result.snapshot, "bundles": bundles}
            )
        return result

    async def roll_back(self, to: ExecutionOrder) -> Prepared:
        """Go back to an earlier state."""
        order = RollbackOrder(at=self.at, commit=to.head, snapshot=to.snapshot, expected=self.at.head)
        done: Prepared = await self._run(self.activities.roll_back, order)
        self.at = self.at.model_copy(update={"head": done.head, "snapshot": done.snapshot})
        return done

    async def summary(self) -> Summary:
        """What has been changed in all."""
        found: Summary = await self._run(self.activities.summarise_execution, self.at)
        return found

    async def leave(self) -> None:
        """Remove the worktrees."""
        await self._run(self.activities.leave_execution, self.at)

    async def _run(self, activity: Any, order: Any) -> Any:
        return await self.environment.run(activity, order)


async def named(store: Store, order: StepAtHand) -> StepOrder:
    """The order as a workflow gives it: the step lies in the store."""
    plan = await Plans(store).put(Plan(title="A plan", steps=(order.step,)))
    told = order.model_dump(include={"at", "attempt", "rules", "alone", "done_by"})
    return StepOrder(plan=plan, step=order.step.id, **told)


async def no_sandbox(_: Iterable[Path]) -> Sandbox | None:
    """What a machine without bwrap offers."""
    return None


async def act_on(
    repository: Path, state: Path, store: Store | None = None, bare: bool = False, **rules: Any
) -> Acting:
    """An execution of job `job-1` on a repository's HEAD, prepared; `state` is one machine's disk, `bare`
    one without a sandbox."""
    store = store or open_store(str(state / "store"))
    workspaces = Workspaces(state / "workspaces")
    opened = await workspaces.open("job-1", str(repository))
    find = no_sandbox if bare else find_sandbox
    confined = rules.get("sandbox", True)
    executor = WorktreeExecutor(store, workspaces, IndexShelf(None), unconfined=not confined, find=find)
    activities = ExecutionActivities(executor)
    at = ExecutionOrder(
        job="job-1",
        execution="job-1-act-1",
        workspace=opened.ref,
        branch="phasegate/job-1",
        head=opened.ref.commit,
        now=NOW,
    )
    # The tests' own environment may lie where the sandbox shows nothing: below a home, or /tmp.
    visible = (sys.prefix, sys.base_prefix)
    acting = Acting(activities, store, at, CommandRules(**{"visible": visible, **rules}))
    await acting.prepare()
    return acting


def step(kind: StepType, id: str = "1", **fields: Any) -> PlanStep:
    """A step of a plan."""
    return PlanStep(id=id, title=f"Do {id}", type=kind, action="do it", **fields)


def shell(command: str, id: str = "1", **fields: Any) -> PlanStep:
    """A step that runs a command."""
    return step(StepType.SHELL_COMMAND, id, command=command, **fields)


def completed(result: StepResult) -> StepResult:
    """The result of a step that must have gone well."""
    assert result.status is StepStatus.COMPLETED, (result.error, result.asks, result.notes, result.tail)
    return result


def failed(result: StepResult, error: str) -> StepResult:
    """The result of a step that must have failed with this in its error."""
    assert result.status is StepStatus.FAILED
    assert error in result.error
    return result
