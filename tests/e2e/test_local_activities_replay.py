"""What the SDK must hold for our histories to replay (decision 25): 1.32 to 1.35 do not.

Workflows smaller than ours, so that what goes wrong once in ten thousand jobs goes wrong here in seconds.
"""

import asyncio
import contextlib
from datetime import timedelta
from typing import Any

import pytest
from temporalio import activity, workflow
from temporalio.client import Client, WorkflowHandle, WorkflowHistory
from temporalio.worker import Replayer, UnsandboxedWorkflowRunner, Worker

from tests.e2e.stage import job_id

PATIENT = timedelta(seconds=20)
AT_ONCE, TIMES = 12, 12
"""workflows that run at once, and rounds of each: with SDK 1.35 some of them never end"""


@activity.defn
async def think(seconds: float) -> None:
    """A local activity that takes its time."""
    await asyncio.sleep(seconds)


@activity.defn
async def tell(what: str) -> str:
    """A regular activity."""
    return what


@workflow.defn
class Hearing:
    """After each local activity it does what depends on what it has heard by then."""

    def __init__(self) -> None:
        self.heard = 0

    @workflow.signal
    def hear(self) -> None:
        """One more."""
        self.heard += 1

    @workflow.query
    def asked(self) -> int:
        """As a person looks at a job again and again."""
        return self.heard

    @workflow.run
    async def run(self) -> None:
        """As a job: woken by a message, work, and a look at what has come meanwhile."""
        for _ in range(TIMES):
            before = self.heard
            await workflow.wait_condition(lambda before=before: self.heard > before)  # type: ignore[misc]
            for _ in range(2):
                await workflow.execute_local_activity(think, 0.01, start_to_close_timeout=PATIENT)
                if self.heard > before + 1:
                    await workflow.execute_activity(tell, str(self.heard), start_to_close_timeout=PATIENT)


@workflow.defn
class Conversing:
    """Two that converse in one workflow, as the agents of a cooperation do."""

    @workflow.run
    async def run(self) -> None:
        """Local activities of one at a time."""
        turn = asyncio.Lock()

        async def converse(who: str) -> None:
            for number in range(TIMES):
                async with turn:
                    thoughts = [0.002 * (workflow.random().randrange(5)) for _ in range(2)]
                    await asyncio.gather(
                        *(
                            workflow.execute_local_activity(think, each, start_to_close_timeout=PATIENT)
                            for each in thoughts
                        )
                    )
                await workflow.execute_activity(
                    tell, who, activity_id=f"{who}-{number}", start_to_close_timeout=PATIENT
                )

        await asyncio.gather(converse("ann"), converse("ben"))


async def ask_and_tell(handle: WorkflowHandle[Any, Any]) -> None:
    """Look at it and send it messages until it has ended."""

    async def ask() -> None:
        while True:
            await asyncio.sleep(0.005)
            with contextlib.suppress(Exception):
                await asyncio.wait_for(handle.query(Hearing.asked), 1)

    async def tell_it() -> None:
        for number in range(10_000):
            await asyncio.sleep(0.005 * (number % 7))
            with contextlib.suppress(Exception):
                await handle.signal(Hearing.hear)

    tasks = [asyncio.create_task(each()) for each in (ask, tell_it)]
    try:
        await asyncio.wait_for(handle.result(), 60)
    finally:
        for task in tasks:
            task.cancel()


async def replays(history: WorkflowHistory) -> None:
    """Fails when it does not."""
    replayer = Replayer(workflows=[Hearing, Conversing], workflow_runner=UnsandboxedWorkflowRunner())
    await asyncio.wait_for(replayer.replay_workflow(history), timeout=30)


@pytest.mark.parametrize("kind", [Hearing, Conversing])
async def test_what_met_a_local_activity_meets_it_again_in_a_replay(
    address: str, kind: type[Hearing | Conversing]
) -> None:
    client, queue = await Client.connect(address), job_id("sdk")

    async def one(number: int) -> WorkflowHistory:
        handle = await client.start_workflow(kind.run, id=f"{queue}-{number}", task_queue=queue)
        await (ask_and_tell(handle) if kind is Hearing else asyncio.wait_for(handle.result(), 60))
        return await handle.fetch_history()

    async with Worker(
        client,
        task_queue=queue,
        workflows=[Hearing, Conversing],
        activities=[think, tell],
        workflow_runner=UnsandboxedWorkflowRunner(),
    ):
        for history in await asyncio.gather(*(one(number) for number in range(AT_ONCE))):
            await replays(history)
