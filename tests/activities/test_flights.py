"""Work that several attempts wait for is done once, and ends when nobody wants it any more."""

import asyncio
from dataclasses import replace

import pytest
from temporalio import activity
from temporalio.testing import ActivityEnvironment

from activities.flights import Flights

LOST = activity.ActivityCancellationDetails(not_found=True)
UNWANTED = activity.ActivityCancellationDetails(cancel_requested=True)


class Work:
    """Counts how often it was begun, and waits until it may end."""

    def __init__(self) -> None:
        self.begun = 0
        self.free = asyncio.Event()
        self.cancelled = False

    async def __call__(self) -> int:
        self.begun += 1
        try:
            await self.free.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return self.begun


def attempt(flights: Flights[int], work: Work) -> tuple[ActivityEnvironment, asyncio.Task[int]]:
    """An attempt of an activity that waits for the work."""
    environment = ActivityEnvironment()

    async def join() -> int:
        return await flights.join("key", work)

    return environment, asyncio.create_task(environment.run(join))


async def settled() -> None:
    """Let everything run that can."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_attempts_at_once_share_the_work() -> None:
    flights, work = Flights[int](), Work()
    attempts = [attempt(flights, work)[1] for _ in range(3)]
    await settled()
    work.free.set()
    assert await asyncio.gather(*attempts) == [1, 1, 1]
    assert await attempt(flights, work)[1] == 2


async def test_an_attempt_that_the_server_lost_sight_of_leaves_the_work_to_the_next_one() -> None:
    flights, work = Flights[int](), Work()
    environment, first = attempt(flights, work)
    await settled()
    environment.cancel(cancellation_details=LOST)
    with pytest.raises(asyncio.CancelledError):
        await first
    _, second = attempt(flights, work)
    await settled()
    work.free.set()
    assert await second == 1
    assert not work.cancelled


@pytest.mark.parametrize("details", [UNWANTED, replace(LOST, cancel_requested=True)])
async def test_what_nobody_wants_is_stopped(details: activity.ActivityCancellationDetails) -> None:
    flights, work = Flights[int](), Work()
    environment, first = attempt(flights, work)
    await settled()
    environment.cancel(cancellation_details=details)
    with pytest.raises(asyncio.CancelledError):
        await first
    await settled()
    assert work.cancelled


async def test_the_cancellation_of_one_attempt_does_not_stop_the_other() -> None:
    flights, work = Flights[int](), Work()
    environment, first = attempt(flights, work)
    _, second = attempt(flights, work)
    await settled()
    environment.cancel(cancellation_details=UNWANTED)
    with pytest.raises(asyncio.CancelledError):
        await first
    work.free.set()
    assert await second == 1


async def test_an_error_reaches_all_and_is_not_kept() -> None:
    flights = Flights[int]()
    environment = ActivityEnvironment()

    async def fail() -> int:
        await asyncio.sleep(0)
        raise ValueError("no")

    async def join() -> int:
        return await flights.join("key", fail)

    for _ in range(2):
        found = await asyncio.gather(environment.run(join), environment.run(join), return_exceptions=True)
        assert [str(each) for each in found] == ["no", "no"]


async def test_work_that_is_being_stopped_is_begun_anew() -> None:
    flights, work = Flights[int](), Work()
    environment, first = attempt(flights, work)
    await settled()
    environment.cancel(cancellation_details=UNWANTED)
    with pytest.raises(asyncio.CancelledError):
        await first
    _, second = attempt(flights, work)
    await settled()
    work.free.set()
    assert await second == 2
