"""Looking at a job until it is where a story wants it."""

import asyncio
from collections.abc import Callable
from typing import Any

from temporalio.client import WorkflowHandle

from states.view import JobView


async def view(handle: WorkflowHandle[Any, Any]) -> JobView:
    """The job now."""
    seen: JobView = await handle.query("view", result_type=JobView)
    return seen


async def until(handle: WorkflowHandle[Any, Any], ready: Callable[[JobView], bool]) -> JobView:
    """Wait for the job to look like this, 20 seconds at most."""
    for _ in range(400):
        seen = await view(handle)
        if ready(seen):
            return seen
        await asyncio.sleep(0.05)
    raise AssertionError(f"the job stays in {seen.state}, awaiting {seen.awaiting}")
