"""From a worktree after a step to the step's result: commit, snapshot, bundle, and what git counts."""

import asyncio
from dataclasses import dataclass

from activities.execution.at_hand import StepAtHand
from activities.execution.bundles import put_bundle
from activities.execution.merging import Point
from activities.execution.outcome import Outcome, StepFailed
from activities.execution.repository import ActRepository
from activities.execution.worktree import Changed, Worktree
from activities.plain_text import strip_line
from activities.store import Store
from states.artifacts.plan import PlanStep
from states.execution import Metrics, StepResult, StepStatus

_FILES = 500
_NOTES = 30


@dataclass(frozen=True)
class Recorder:
    """Makes results. A result names what is in the store, so that any machine can go on from it."""

    store: Store

    async def completed(self, worktree: Worktree, order: StepAtHand, outcome: Outcome) -> StepResult:
        """Commit what a step did. Raises StepFailed when that is nothing that one could want."""
        at, point = order.at, Point(order.at.head, order.at.snapshot)
        before = await worktree.snapshots.read(at.snapshot)
        state, found = await worktree.snapshots.look(before)
        worktree.mend(at.head)
        if not found.stamps and state.files != before.files:
            raise StepFailed("the step deleted everything in the worktree")
        message, head, snapshot = title_of(order.step), at.head, at.snapshot
        if state != before:
            step = Changed(before, state, found, outcome.leave_out)
            head = await worktree.commit(step, at.head, message, at.now)
            snapshot = await worktree.snapshots.keep(state, f"{message} (whole tree)", at.snapshot, at.now)
        own = "is a repository of its own: not on the branch"
        outcome.notes += [f"{strip_line(path)} {own}" for path in found.repositories]
        outcome.notes += [f"{strip_line(path)} is no file: not kept" for path in found.odd]
        done = Point(head, snapshot)
        result = await self._told(worktree.repository, point, done, outcome)
        return result.model_copy(update={"status": StepStatus.COMPLETED})

    async def without_change(self, outcome: Outcome) -> StepResult:
        """The result of a step that waits, was skipped or failed. It names no commit: the branch is wherever
        others have brought it meanwhile."""
        status = StepStatus.WAITING if outcome.asks else StepStatus.FAILED
        errors = Metrics(errors=1) if status is StepStatus.FAILED and not outcome.skipped else Metrics()
        return StepResult(
            status=StepStatus.SKIPPED if outcome.skipped else status,
            error=outcome.error,
            asks=outcome.asks,
            output=await self.output(outcome),
            tail=outcome.tail,
            metrics=outcome.metrics + errors,
            seconds=outcome.seconds,
            notes=tuple([*([outcome.skipped] if outcome.skipped else []), *outcome.notes][:_NOTES]),
        )

    async def bundle(self, repository: ActRepository, new: Point, old: Point) -> str:
        """The digest of a bundle from one point to the next; blank when nothing has changed."""
        if new == old:
            return ""
        return await put_bundle(repository, self.store, (new.head, new.snapshot), (old.head, old.snapshot))

    async def output(self, outcome: Outcome) -> str:
        """The digest of what a step printed; blank when it printed nothing."""
        data = outcome.output
        if outcome.spool and outcome.spool.is_file():
            data = outcome.spool.read_bytes()
            outcome.spool.unlink()
        return await self.store.put(data) if data else ""

    async def _told(
        self, repository: ActRepository, before: Point, after: Point, outcome: Outcome
    ) -> StepResult:
        files, counted = await changes_between(repository, before.head, after.head)
        return StepResult(
            status=StepStatus.COMPLETED,
            commit=after.head,
            snapshot=after.snapshot,
            bundle=await self.bundle(repository, after, before),
            output=await self.output(outcome),
            tail=outcome.tail,
            files=files[:_FILES],
            metrics=outcome.metrics + counted,
            seconds=outcome.seconds,
            notes=tuple(outcome.notes[:_NOTES]),
        )


def title_of(step: PlanStep) -> str:
    """The message of a step's commit (one line, and the description below it)."""
    head = strip_line(f"step {step.id}: {step.title}", 200)
    return f"{head}\n\n{step.description}" if step.description.strip() else head


async def changes_between(repository: ActRepository, old: str, new: str) -> tuple[tuple[str, ...], Metrics]:
    """Files that differ between two commits, and how many were created, modified, deleted, by git."""
    if old == new:
        return (), Metrics()
    changes = await asyncio.to_thread(repository.objects.changes, old, new)
    lines = await asyncio.to_thread(repository.objects.lines_changed, old, new)
    kinds = [change.kind for change in changes]
    names = tuple(strip_line(change.path.decode("utf-8", "replace")) for change in changes)
    return names, Metrics(
        files_created=kinds.count("A"),
        files_deleted=kinds.count("D"),
        files_modified=len(kinds) - kinds.count("A") - kinds.count("D"),
        lines_changed=lines,
    )
