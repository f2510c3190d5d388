"""A job's views as they change, and a word when nobody works on it."""

import asyncio
from collections.abc import AsyncIterator

from phasegate.attendance import trouble_with
from phasegate.client import JobClient
from phasegate.problems import NoWorker
from phasegate.session import Session
from states.view import JobView

_LOOK_SECONDS = 5.0


async def follow_views(session: Session, client: JobClient, job: str) -> AsyncIterator[JobView]:
    """Each view as `JobClient.follow`. Without a person who could help, raises NoWorker when none works."""
    views = client.follow(job)
    warned = False
    coming = asyncio.ensure_future(anext(views))
    try:
        while True:
            done, _ = await asyncio.wait({coming}, timeout=_LOOK_SECONDS)
            if done:
                try:
                    view = coming.result()
                except StopAsyncIteration:
                    return
                warned = False
                yield view
                coming = asyncio.ensure_future(anext(views))
            elif not warned and (trouble := await trouble_with(client.temporal, job)):
                warned = True
                _tell(session, job, trouble)
    finally:
        coming.cancel()


def _tell(session: Session, job: str, trouble: str) -> None:
    help_ = "start one with `phasegate worker` or `phasegate dev`"
    if not session.interactive:
        raise NoWorker(f"job {job} is kept, but {trouble}; {help_}, then look with `phasegate show {job}`")
    session.say(f"job {job}: {trouble}; {help_} in another terminal, then it goes on here")
