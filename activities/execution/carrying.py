"""Carrying steps out: from an order to a result, once, in the right tree, with nothing left on the way."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from activities.execution.at_hand import StepAtHand
from activities.execution.commands import Place
from activities.execution.disk import disk_is_full
from activities.execution.folders import Act, Acts, BranchMoved
from activities.execution.landing import Landings
from activities.execution.limits import marked
from activities.execution.listing import TreeTooLarge
from activities.execution.once import Once
from activities.execution.outcome import Outcome, StepFailed
from activities.execution.recording import Recorder
from activities.execution.running import Running, kill
from activities.execution.sandbox import Sandbox
from activities.execution.steps import by_hand, not_needed, perform
from activities.execution.worktree import Worktree
from activities.execution_orders import ExecutionOrder, Landing, LandOrder
from activities.git import GitError
from activities.index.shelf import IndexShelf
from states.execution import StepResult, StepStatus

Started = Callable[[Running], None]


@dataclass(frozen=True)
class Carrier:
    """Everything that a step needs besides its order."""

    acts: Acts
    indexes: IndexShelf
    sandbox: Sandbox | None

    @property
    def _recorder(self) -> Recorder:
        return Recorder(self.acts.store)

    async def carry(self, order: StepAtHand, started: Started = lambda _: None) -> StepResult:
        """Carry a step out. When cancelled, its processes have ended and its tree is as before.

        A step that runs alone is on the branch afterwards; any other is until `land`.
        """
        act, at = await self.acts.open(order.at)
        order = order.model_copy(update={"at": at})
        if by_hand(order.step):
            return await self._by_hand(act, order)
        worktree = act.main if order.alone else act.of_step(order.step.id)
        async with worktree.held() as held:
            if self.sandbox is None:
                kill(marked(str(held.path)))
            if order.alone:
                try:
                    await act.stand(at)
                except BranchMoved as moved:
                    return await self._recorder.without_change(Outcome(error=str(moved)))
            once = Once(self.acts.store, order)
            result = await once.result()
            if result is None:
                result = await self._carry_out(act, held, order, once, started)
            elif order.alone and result.status is StepStatus.COMPLETED:
                await held.bring(at.head, result.snapshot)
            if order.alone and result.bundle:
                await act.move(result.commit, result.snapshot)
                await held.follow(result.commit)
            if not order.alone:
                await held.drop()
        return result

    async def land(self, order: LandOrder) -> tuple[StepResult, ...]:
        """Merge completed steps into branch and tree; one that conflicts fails and changes nothing.

        Doing it again for the same order gives the same commits.
        """
        act, at = await self.acts.open(order.at)
        for each in order.landings:
            await self._have(at, each.result)
        async with act.main.held() as main:
            landing = Landings(self._recorder, main, at)
            try:
                await act.stand(at)
            except BranchMoved as moved:
                return tuple([await landing.failed(each.result, str(moved)) for each in order.landings])
            await landing.begin()
            results = [await landing.merge(each.result) for each in order.landings]
            results = await landing.end(results)
            await act.move(landing.now.head, landing.now.snapshot)
            await main.follow(landing.now.head)
        for each in order.landings:
            async with act.of_step(each.step).held() as own:
                await own.drop()
        return tuple(results)

    async def _have(self, at: ExecutionOrder, result: StepResult) -> None:
        """Have what a step made, on a machine that has not run it too."""
        if result.bundle:
            names = {"head": result.commit, "snapshot": result.snapshot, "bundles": (result.bundle,)}
            await self.acts.open(at.model_copy(update=names))

    async def _carry_out(
        self, act: Act, worktree: Worktree, order: StepAtHand, once: Once, started: Started
    ) -> StepResult:
        outcome = Outcome()
        outcome.notes += await worktree.bring(order.at.head, order.at.snapshot)
        place = Place(worktree, order, once, self.sandbox, self.acts.shown(act))
        started(place.running)
        worktree.begin()
        try:
            with _explained(outcome):
                await perform(place, self.indexes, outcome)
                if not (outcome.error or outcome.asks or outcome.skipped):
                    if not worktree.path.is_dir():
                        raise StepFailed("the step removed the worktree")
                    result = await self._recorder.completed(worktree, order, outcome)
                    result = await once.reached(result)
                    worktree.settle(result.snapshot)
                    return result
        except BaseException:
            # Cancelled, or this machine's trouble: nothing of the step may stay.
            await worktree.bring(order.at.head, order.at.snapshot)
            await once.stopped()
            raise
        outcome.tail = outcome.tail or place.running.tail
        outcome.spool = outcome.spool or worktree.home / "output"
        await worktree.bring(order.at.head, order.at.snapshot)
        await once.stopped()
        result = await self._recorder.without_change(outcome)
        return result if outcome.asks else await once.reached(result)

    async def _by_hand(self, act: Act, order: StepAtHand) -> StepResult:
        """A step that a person writes, in a worktree that waits as long as it takes."""
        worktree, step = act.of_step(order.step.id), order.step
        subject = f"subtask {step.subtask}" if step.subtask else step.title
        wanted = f"; what is wanted: {step.action}" if step.action not in ("", step.title) else ""
        asks = f"write the code of {subject} in {worktree.path}, then say that it is done{wanted}"
        base = worktree.home / "base"
        async with worktree.held() as held:
            if not held.started() or not base.exists():
                await held.bring(order.at.head, order.at.snapshot)
                base.write_text(f"{order.at.head} {order.at.snapshot}")
            if why := not_needed(step, held.path):
                return await self._recorder.without_change(Outcome(skipped=why))
            if not order.done_by:
                return await self._recorder.without_change(Outcome(asks=asks))
            once = Once(self.acts.store, order)
            result = await once.result()
            if result is None:
                head, snapshot = base.read_text().split()
                began = order.at.model_copy(update={"head": head, "snapshot": snapshot})
                written = order.model_copy(update={"at": began})
                outcome = Outcome(notes=[f"written by {order.done_by}"])
                result = await self._recorder.completed(held, written, outcome)
                if result.snapshot == snapshot:
                    waits = Outcome(asks=asks, notes=[f"nothing has been changed in {worktree.path}"])
                    return await self._recorder.without_change(waits)
                result = await once.reached(result)
        if not order.alone:
            return result
        return (await self.land(LandOrder(at=order.at, landings=(Landing(step=step.id, result=result),))))[0]


@contextlib.contextmanager
def _explained(outcome: Outcome) -> Iterator[None]:
    """Failures of the step itself become its error; what another try may mend is raised."""
    try:
        yield
    except (StepFailed, TreeTooLarge) as error:
        outcome.error = str(error)
    except (GitError, OSError) as error:
        if not disk_is_full(error):
            raise
        outcome.error = "the disk is full; free some space and try the step again"
