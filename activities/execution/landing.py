"""Landing: what steps did beside each other is merged in turn, and the worktree brought there once."""

from activities.execution.merging import Point, merged_head, merged_state
from activities.execution.outcome import Outcome, StepFailed
from activities.execution.recording import Recorder, changes_between
from activities.execution.snapshots import State
from activities.execution.worktree import Worktree
from activities.execution_orders import ExecutionOrder
from states.execution import StepResult, StepStatus


class Landings:
    """One round of landing on a worktree that is held. `now` is where branch and tree have come to."""

    def __init__(self, recorder: Recorder, main: Worktree, at: ExecutionOrder) -> None:
        self.now = self._began = Point(at.head, at.snapshot)
        self._recorder = recorder
        self._main = main
        self._at = at
        self._notes: tuple[str, ...] = ()

    async def begin(self) -> None:
        """The worktree as the job knows it; what others changed in it is put aside and told."""
        self._notes = await self._main.bring(self.now.head, self.now.snapshot)

    async def merge(self, result: StepResult) -> StepResult:
        """One step's result on top of those before it."""
        if result.status is not StepStatus.COMPLETED or not result.bundle:
            return result.model_copy(update={"commit": self.now.head, "snapshot": self.now.snapshot})
        repository, theirs, before = self._main.repository, Point(result.commit, result.snapshot), self.now
        try:
            head = await merged_head(repository, before.head, theirs.head, self._at.now)
        except StepFailed as refused:
            return await self.failed(result, str(refused))
        snapshot = theirs.snapshot
        if repository.objects.merge_base(before.snapshot, theirs.snapshot) != before.snapshot:
            merged = await merged_state(self._main, before, theirs, head)
            snapshot = await self._keep(merged, before.snapshot)
        self.now = Point(head, snapshot)
        files, _ = await changes_between(repository, before.head, head)
        notes, self._notes = (*result.notes, *self._notes), ()
        landed = {"commit": head, "snapshot": snapshot, "bundle": "", "files": files, "notes": notes}
        return result.model_copy(update=landed)

    async def end(self, results: list[StepResult]) -> list[StepResult]:
        """Bring the worktree to where all has come; the last that landed carries the bundle of the round."""
        if self.now == self._began:
            return results
        snapshots, wanted = self._main.snapshots, await self._main.snapshots.read(self.now.snapshot)
        self._main.begin()
        await snapshots.restore(wanted)
        there, _ = await snapshots.look(wanted)
        if there != wanted:
            # The same tree, written down as a look at it does.
            self.now = Point(self.now.head, await self._keep(there, self.now.snapshot))
        self._main.settle(self.now.snapshot)
        bundle = await self._recorder.bundle(self._main.repository, self.now, self._began)
        last = max(n for n, each in enumerate(results) if each.status is StepStatus.COMPLETED)
        results[last] = results[last].model_copy(update={"snapshot": self.now.snapshot, "bundle": bundle})
        return results

    async def failed(self, result: StepResult, why: str) -> StepResult:
        """A result that cannot land: it changes nothing."""
        failed = await self._recorder.without_change(Outcome(error=why, metrics=result.metrics))
        return failed.model_copy(
            update={"output": result.output, "tail": result.tail, "seconds": result.seconds}
        )

    async def _keep(self, state: State, parent: str) -> str:
        return await self._main.snapshots.keep(state, "Merged (whole tree)", parent, self._at.now)
