"""WorktreeExecutor: executions carried out in worktrees of this machine, their commands in its sandbox."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from pathlib import Path
from typing import TypeVar

from temporalio.exceptions import ApplicationError

from activities.briefing import lasting
from activities.execution.activities import Shown
from activities.execution.at_hand import StepAtHand
from activities.execution.bundles import BundleUnusable
from activities.execution.carrying import Carrier
from activities.execution.disk import disk_is_full
from activities.execution.folders import Act, Acts, BranchMoved
from activities.execution.listing import remove
from activities.execution.mending import mended
from activities.execution.merging import can_merge
from activities.execution.plans import Plans
from activities.execution.repository import BRANCH, HEAD
from activities.execution.sandbox import Sandbox, find_sandbox, sandbox_offered
from activities.execution.summing import summarise
from activities.execution.worktree import Worktree
from activities.execution_orders import (
    ExecutionOrder,
    Landed,
    LandOrder,
    Opened,
    OpenOrder,
    Prepared,
    RollbackOrder,
    StepOrder,
    Summary,
)
from activities.git import GitError
from activities.index.shelf import IndexShelf
from activities.store import Store
from activities.workspace import Workspaces
from states.execution import Execution, StepResult

T = TypeVar("T")
N = TypeVar("N", Prepared, StepResult)


class RollbackRefused(Exception):
    """One sentence: why branch and tree stay as they are."""


class WorktreeExecutor:
    """What `activities.execution.activities` does its work with.

    `hidden` are folders that no command may see: the store, the state of servers. `visible` are such as
    every command may read. `unconfined`: commands need no sandbox here, which only the worker's operator
    can say. `find` gives what confines commands on this machine.
    """

    def __init__(
        self,
        store: Store,
        workspaces: Workspaces,
        indexes: IndexShelf,
        hidden: Iterable[Path] = (),
        visible: Iterable[Path] = (),
        unconfined: bool = False,
        find: Callable[[Iterable[Path]], Awaitable[Sandbox | None]] = find_sandbox,
    ) -> None:
        self._acts = Acts(store, workspaces)
        self._indexes = indexes
        self._hidden = (workspaces.root, *hidden)
        self._visible = tuple(map(str, visible))
        self._unconfined = unconfined
        self._plans = Plans(store)
        self._find = find

    async def open(self, order: OpenOrder) -> Opened:
        """The plan in outline, and the execution to go on with."""
        return await self._plans.open(order)

    async def keep(self, execution: Execution) -> str:
        """Keep how far an execution is; gives the digest."""
        return await self._plans.keep(execution)

    async def prepare(self, order: ExecutionOrder) -> Prepared:
        """Have the worktree on its branch as the order says, on an empty disk too."""
        prepared, notes = await self._done(order, lambda: self._prepared(order))
        return _noted(prepared, notes)

    async def _prepared(self, order: ExecutionOrder) -> Prepared:
        act, at = await self._acts.open(order)
        async with act.main.held() as main:
            return await _brought(act, main, at)

    async def run_step(self, order: StepOrder, started: Callable[[Shown], None]) -> StepResult:
        """Carry out one step, having told `started` of its command. Cancelled, all of it has ended."""
        result, notes = await self._done(order.at, lambda: self._carried(order, started))
        return _noted(result, notes)

    async def _carried(self, order: StepOrder, started: Callable[[Shown], None]) -> StepResult:
        carrier = await self._carrier()
        return await carrier.carry(await self._at_hand(order), started)

    async def _at_hand(self, order: StepOrder) -> StepAtHand:
        rules = order.rules.model_copy(
            update={
                "visible": (*self._visible, *order.rules.visible),
                "sandbox": not self._unconfined,
            }
        )
        return StepAtHand(
            at=order.at,
            step=await self._plans.step(order.plan, order.step, order.written),
            attempt=order.attempt,
            rules=rules,
            alone=order.alone,
            done_by=order.done_by,
        )

    async def land(self, order: LandOrder) -> Landed:
        """Merge steps that ran beside each other into branch and tree."""
        (first, *others), notes = await self._done(order.at, lambda: self._landed(order))
        return Landed(results=(_noted(first, notes), *others))

    async def _landed(self, order: LandOrder) -> tuple[StepResult, ...]:
        carrier = await self._carrier()
        return await carrier.land(order)

    async def roll_back(self, order: RollbackOrder) -> Prepared:
        """Bring branch and whole tree back. Refused when the branch is not where the job knows it to be."""
        prepared, notes = await self._done(order.at, lambda: self._rolled_back(order))
        return _noted(prepared, notes)

    async def _rolled_back(self, order: RollbackOrder) -> Prepared:
        act, _ = await self._acts.open(order.at)
        back = order.at.model_copy(update={"head": order.commit, "snapshot": order.snapshot})
        _, at = await self._acts.open(back)
        async with act.main.held() as main:
            refs = await act.repository.refs(f"{BRANCH}{at.branch}", HEAD)
            here = refs.get(f"{BRANCH}{at.branch}", order.expected)
            if here not in (order.expected, at.head, refs.get(HEAD)):
                why = (
                    f"branch {at.branch} has been moved by other hands: it is at {here[:12]}, not at "
                    f"{order.expected[:12]}; nothing was rolled back"
                )
                raise ApplicationError(why, type=RollbackRefused.__name__, non_retryable=True)
            for commit in (order.expected, order.at.snapshot):
                if commit and await act.repository.has(commit):
                    await act.repository.keep(commit)
            return await _brought(act, main, at, order.expected)

    async def summarise(self, order: ExecutionOrder) -> Summary:
        """What the execution has changed in all."""
        summary, _ = await self._done(order, lambda: self._summed(order))
        return summary

    async def _summed(self, order: ExecutionOrder) -> Summary:
        act, at = await self._acts.open(order)
        return await summarise(act.repository, self._acts.store, at.workspace.commit, at.head)

    async def leave(self, order: ExecutionOrder) -> None:
        """Remove the worktrees. The branch stays: in its repository here, and in the store."""
        await self._done(order, lambda: self._left(order))

    async def _left(self, order: ExecutionOrder) -> None:
        act, _ = await self._acts.open(order)
        async with act.main.held() as main:
            await main.drop()
        if (act.home / "steps").exists():
            await asyncio.to_thread(remove, act.home / "steps")

    async def _done(self, at: ExecutionOrder, work: Callable[[], Awaitable[T]]) -> tuple[T, tuple[str, ...]]:
        """Do work on an execution's repository; gives notes on it too. What no retry mends goes to the
        workflow as that, in one sentence."""
        async with _space():
            try:
                done: tuple[T, tuple[str, ...]] = await lasting(mended(self._acts, at, work))
                return done
            except (BundleUnusable, BranchMoved) as error:
                raise ApplicationError(str(error), type=type(error).__name__, non_retryable=True) from None

    async def _carrier(self) -> Carrier:
        return Carrier(self._acts, self._indexes, await self._find(self._hidden))


async def _brought(act: Act, main: Worktree, at: ExecutionOrder, was: str = "") -> Prepared:
    """Bring branch and tree to where the order says, from where the job left them (`was`) or half of the way;
    what stood in the way is noted."""
    await act.stand(at, was)
    notes = await main.bring(at.head, at.snapshot)
    await main.follow(at.head)
    sandbox, why = await sandbox_offered()
    return Prepared(
        path=str(main.path),
        branch=at.branch,
        head=at.head,
        snapshot=at.snapshot,
        sandbox=sandbox,
        parallel=await can_merge(act.repository),
        notes=(*notes, *([why] if why else [])),
    )


def _noted(done: N, notes: tuple[str, ...]) -> N:
    return done.model_copy(update={"notes": (*notes, *done.notes)}) if notes else done


@contextlib.asynccontextmanager
async def _space() -> AsyncIterator[None]:
    """A full disk goes to the workflow at once, in one sentence: people make space, no further try does."""
    try:
        yield
    except (GitError, OSError) as error:
        if not disk_is_full(error):
            raise
        why = "the disk is full; free some space, then resume"
        raise ApplicationError(why, type="DiskFull", non_retryable=True) from None
