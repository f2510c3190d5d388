"""What a command takes of the machine is counted with all that it has started, also where no system tells."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from activities.execution import limits
from activities.execution.limits import exceeded, family
from activities.execution_orders import CommandRules

THREE = "sh -c 'sh -c \"sleep 60; true\"; true'; true"


@pytest.fixture(params=[True, False], ids=["told", "searched"])
async def pid(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[int]:
    """A process with three below each other under it."""
    if not request.param:
        monkeypatch.setattr(limits, "_tells_children", lambda: False)
    process = await asyncio.create_subprocess_exec("sh", "-c", THREE)
    while len(family(process.pid)) < 4:
        await asyncio.sleep(0.01)
    yield process.pid
    for each in family(process.pid):
        each.kill()
    await process.wait()


async def test_processes_count_with_all_below_them(pid: int) -> None:
    said = await asyncio.wait_for(exceeded(pid, CommandRules(processes=3)), 5)
    assert said == "command ended: it started more than 3 processes"
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(exceeded(pid, CommandRules(processes=4)), 0.5)


async def test_memory_of_all_counts(pid: int) -> None:
    said = await asyncio.wait_for(exceeded(pid, CommandRules(memory_bytes=1_000)), 5)
    assert said == "command ended: it took more than 1,000 bytes of memory"


async def test_what_has_ended_exceeds_nothing(pid: int) -> None:
    for each in family(pid):
        each.kill()
    while family(pid):
        await asyncio.sleep(0.01)
    assert await asyncio.wait_for(exceeded(pid, CommandRules(processes=3)), 5) == ""
