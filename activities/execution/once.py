"""What is remembered of a step in the store, so that it is done once, or it is said that it may not be."""

from dataclasses import dataclass

from activities.execution.at_hand import StepAtHand
from activities.store import Store
from states.artifacts.base import canonical_json, digest_of
from states.execution import StepResult

_LOST = b"lost"


@dataclass(frozen=True)
class Before:
    """What is known of the starts of a command before this one, in the same attempt."""

    lost_now: bool = False
    """whether nobody knows how the last one ended, and nobody has been told"""
    lost: bool = False
    """whether nobody knows of any one"""
    stopped: bool = False
    """whether any one ended without a result, and what it did to the tree was undone"""


class Once:
    """The memory of one attempt of a step, from one state of the tree."""

    def __init__(self, store: Store, order: StepAtHand) -> None:
        self._store = store
        attempt = ("step", order.at.execution, order.step.id, order.attempt, order.done_by)
        step = order.step.model_dump(mode="json")
        self._key = [*attempt, order.at.head, order.at.snapshot, step]
        # Not where it began: an attempt that goes on after a pause may do so from where others have landed.
        self._starts = [*attempt, step]
        self._number = 0

    async def result(self) -> StepResult | None:
        """The result that was reached before, if it was."""
        known = await self._store.recall(digest_of([*self._key, "result"]))
        return StepResult.model_validate_json(known) if known else None

    async def reached(self, result: StepResult) -> StepResult:
        """Keep a result before it is reported; gives the first one that was kept."""
        data = canonical_json(result.model_dump(mode="json"))
        await self._store.remember(digest_of([*self._key, "result"]), data)
        return await self.result() or result

    async def begin(self) -> Before:
        """Say that a command is about to start; gives what is known of its starts before."""
        lost_now, lost, stopped = False, False, False
        while await self._store.recall(self._of("begun")):
            end = await self._store.recall(self._of("stopped"))
            lost_now = end is None
            lost = lost or lost_now or end == _LOST
            stopped = stopped or end not in (None, _LOST)
            if lost_now:
                await self._store.remember(self._of("stopped"), _LOST)
            self._number += 1
        await self._store.remember(self._of("begun"), b"begun")
        return Before(lost_now, lost, stopped)

    async def stopped(self) -> None:
        """Say that the command was ended and what it did was undone."""
        await self._store.remember(self._of("stopped"), b"stopped")

    def _of(self, what: str) -> str:
        return digest_of([*self._starts, what, self._number])
