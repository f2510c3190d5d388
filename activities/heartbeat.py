"""Heartbeats, so that a killed worker is noticed within seconds and not when the time-out ends."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from temporalio import activity

INTERVAL = 2.0
"""seconds between heartbeats"""
BEGUN = "begun"
"""what each heartbeat says: an attempt that the server lost before the first one has done nothing"""


@asynccontextmanager
async def beating() -> AsyncIterator[None]:
    """Heartbeat while the block runs. Local activities live within their workflow task and need none."""
    if activity.info().is_local:
        yield
        return
    beat = asyncio.create_task(_beat())
    try:
        yield
    finally:
        beat.cancel()


async def _beat() -> None:
    while True:
        activity.heartbeat(BEGUN)
        await asyncio.sleep(INTERVAL)
