"""What the running agent does, about once a second, where somebody looks at a terminal."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from phasegate.client import JobClient
from phasegate.screen.moving import Moving

_LOOK_SECONDS = 1.0


@asynccontextmanager
async def agents_shown(client: JobClient, job: str, moving: Moving) -> AsyncIterator[None]:
    """Keep the moving line true while the body runs; without a terminal nobody is asked."""
    if not moving.possible:
        yield
        return
    looking = asyncio.create_task(_look(client, job, moving))
    try:
        yield
    finally:
        looking.cancel()


async def _look(client: JobClient, job: str, moving: Moving) -> None:
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        if moving.running and (live := await client.agent(job, moving.running, trace=False)):
            moving.agent(live)
