"""Following a job that nobody works on: who can wait is told, who cannot is sent away."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from types import SimpleNamespace
from typing import cast

import pytest

from phasegate.actions.following import follow_views
from phasegate.attendance import LATE
from phasegate.client import JobClient
from phasegate.problems import NoWorker
from phasegate.session import Session
from states.view import JobView
from tests.phasegate.test_attendance import PARENT, Server, activity


async def _nothing(_: str) -> AsyncIterator[JobView]:
    await asyncio.Event().wait()
    yield cast(JobView, None)


async def test_a_watcher_is_told_that_nobody_works_and_goes_on_watching(
    capsys: pytest.CaptureFixture[str],
) -> None:
    server = Server({"job": PARENT, "job.act-1": activity(ago=LATE * 2)}, timedelta(minutes=5))
    client = cast(JobClient, SimpleNamespace(temporal=server, follow=_nothing))
    session = Session(as_json=True)

    async def follow(*, patient: bool) -> None:
        async for _ in follow_views(session, client, "job", patient=patient):
            raise AssertionError("nothing has happened")

    watching = asyncio.create_task(follow(patient=True))
    with pytest.raises(NoWorker, match="job job is kept, but no worker takes it up; start one with"):
        await follow(patient=False)
    await asyncio.sleep(0.1)
    assert not watching.done()
    watching.cancel()
    told = capsys.readouterr().err
    assert told.startswith("job job: no worker takes it up; start one with `phasegate worker`")
    assert told.count("\n") == 1
