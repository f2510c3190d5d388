"""A job's views as they change, and a word when nobody works on it."""

import asyncio
from collections.abc import AsyncIterator

from rich.text import Text

from phasegate.attendance import HELP, trouble_with
from phasegate.client import JobClient
from phasegate.problems import NoWorker
from phasegate.session import Session
from states.view import JobView

_LOOK_SECONDS = 5.0


async def follow_views(
    session: Session, client: JobClient, job: str, *, patient: bool = False
) -> AsyncIterator[JobView]:
    """Each view as `JobClient.follow`, and a word when nobody works on the job.

    Without a person who could help, raises NoWorker then, unless it is `patient`.
    """
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
                _tell(session, job, trouble, patient)
    finally:
        coming.cancel()


def _tell(session: Session, job: str, trouble: str, patient: bool) -> None:
    if not session.interactive and not patient:
        raise NoWorker(f"job {job} is kept, but {trouble}; {HELP}, then look with `phasegate show {job}`")
    # Text, as a plain string is written past the moving lines, which are then drawn over it.
    session.say(Text(f"job {job}: {trouble}; {HELP} in another terminal, then it goes on here", "yellow"))
