"""Work that is under way once, however many wait for it, such as attempts of an activity.

A Temporal server that was away for longer than a heartbeat's time-out gives an activity to a worker again,
perhaps to the very one that still runs it. What is paid for must then not be begun a second time.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

from temporalio import activity

R = TypeVar("R")


class Flights(Generic[R]):
    """Work by key, for one event loop."""

    def __init__(self) -> None:
        self._running: dict[str, asyncio.Task[R]] = {}
        self._waiting: Counter[str] = Counter()

    def is_under_way(self, key: str) -> bool:
        """Whether who joins now waits for what somebody else began."""
        task = self._running.get(key)
        return task is not None and not task.cancelling()

    async def join(self, key: str, work: Callable[[], Coroutine[Any, Any, R]]) -> R:
        """What the work under a key gives; it is begun unless it is under way.

        It ends with its last attempt when that is cancelled, but not when the server has merely lost
        sight of the attempt: the next one is on its way.
        """
        task = self._running.get(key)
        if task is None or not self.is_under_way(key):
            task = self._running[key] = asyncio.create_task(work())
            task.add_done_callback(lambda done: self._landed(key, done))
        self._waiting[key] += 1
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if self._waiting[key] == 1 and not _lost_sight_of():
                task.cancel()
            raise
        finally:
            self._waiting[key] -= 1

    def _landed(self, key: str, done: asyncio.Task[R]) -> None:
        if self._running.get(key) is done:
            del self._running[key]
        self._waiting += Counter()  # drops the keys that nobody waits for
        if not done.cancelled():
            done.exception()  # heard, though perhaps nobody waits for it any more


def _lost_sight_of() -> bool:
    """Whether this attempt was cancelled because the server had timed it out, and nobody wants it stopped."""
    details = activity.cancellation_details() if activity.in_activity() else None
    if details is None or details.cancel_requested or details.worker_shutdown:
        return False
    return details.not_found or details.timed_out
