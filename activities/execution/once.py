"""What is remembered of a step in the store, so that it is done once, or it is said that it may not be."""

from activities.execution.at_hand import StepAtHand
from activities.store import Store
from states.artifacts.base import canonical_json, digest_of
from states.execution import StepResult

_LOST = b"lost"


class Once:
    """The memory of one attempt of a step, from one state of the tree."""

    def __init__(self, store: Store, order: StepAtHand) -> None:
        self._store = store
        self._key = [
            *("step", order.at.execution, order.step.id, order.attempt, order.done_by),
            *(order.at.head, order.at.snapshot, order.step.model_dump(mode="json")),
        ]
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

    async def begin(self) -> tuple[bool, bool]:
        """Say that a command is about to start; gives whether its last start has no known end, and whether
        that is so of any start."""
        lost, ever = False, False
        while await self._store.recall(self._of("begun")):
            end = await self._store.recall(self._of("stopped"))
            lost = end is None
            ever = ever or lost or end == _LOST
            if lost:
                await self._store.remember(self._of("stopped"), _LOST)
            self._number += 1
        await self._store.remember(self._of("begun"), b"begun")
        return lost, ever

    async def stopped(self) -> None:
        """Say that the command was ended and what it did was undone."""
        await self._store.remember(self._of("stopped"), b"stopped")

    def _of(self, what: str) -> str:
        return digest_of([*self._key, what, self._number])
