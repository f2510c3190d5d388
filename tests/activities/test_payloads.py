"""Five megabytes through a real Temporal server by every road, with the bytes in the artifact store."""

import asyncio
import hashlib
import shutil
import sysconfig
import uuid
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio
from temporalio import activity, workflow
from temporalio.client import Client, WorkflowHandle
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Replayer, Worker

with workflow.unsafe.imports_passed_through():
    from pydantic import BaseModel

    from activities.payloads import THRESHOLD, data_converter
    from activities.store import BlobCorrupt, BlobMissing, Store, open_store

BIG = 5 * 1024 * 1024


class Letter(BaseModel):
    """Some text, as large as a test wants it."""

    text: str


@activity.defn
async def write_letter(asked: Letter) -> Letter:
    """As many characters as were asked with, of another kind."""
    return Letter(text="r" * len(asked.text))


@workflow.defn
class LetterWorkflow:
    """Sends its input to an activity, waits for a signal, and gives back both, joined."""

    def __init__(self) -> None:
        self.signalled: Letter | None = None

    @workflow.run
    async def run(self, asked: Letter) -> Letter:
        """The activity's text followed by the signal's."""
        result = await workflow.execute_activity(
            write_letter, asked, start_to_close_timeout=timedelta(seconds=30)
        )
        await workflow.wait_condition(lambda: self.signalled is not None)
        assert self.signalled is not None
        return Letter(text=result.text + self.signalled.text)

    @workflow.signal
    def tell(self, letter: Letter) -> None:
        """Ends the waiting."""
        self.signalled = letter

    @workflow.query
    def echo(self, letter: Letter) -> Letter:
        """What was asked with."""
        return letter

    @workflow.update
    async def ask(self, letter: Letter) -> Letter:
        """What was sent."""
        return letter


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def server() -> AsyncIterator[str]:
    binary = shutil.which("temporal", path=sysconfig.get_path("scripts")) or shutil.which("temporal")
    async with await WorkflowEnvironment.start_local(dev_server_existing_path=binary) as environment:
        yield environment.client.service_client.config.target_host


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def store(folder: Path) -> Store:
    return open_store(str(folder))


@pytest_asyncio.fixture(loop_scope="session")
async def client(server: str, store: Store) -> Client:
    return await Client.connect(server, data_converter=data_converter(store))


@pytest.fixture
def queue() -> str:
    return f"letters-{uuid.uuid4()}"


@pytest.fixture
def worker(client: Client, queue: str) -> Callable[[], Worker]:
    return lambda: Worker(client, task_queue=queue, workflows=[LetterWorkflow], activities=[write_letter])


async def start(client: Client, queue: str, text: str) -> WorkflowHandle[LetterWorkflow, Letter]:
    return await client.start_workflow(
        LetterWorkflow.run, Letter(text=text), id=f"letter-{uuid.uuid4()}", task_queue=queue
    )


def blobs(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / "blobs").rglob("*") if path.is_file())


async def test_five_megabytes_by_every_road(
    client: Client, queue: str, worker: Callable[[], Worker], folder: Path, store: Store
) -> None:
    async with worker():
        handle = await start(client, queue, "i" * BIG)
        asked = Letter(text="q" * BIG)
        assert await handle.query(LetterWorkflow.echo, asked) == asked
        assert await handle.execute_update(LetterWorkflow.ask, asked) == asked
        await handle.signal(LetterWorkflow.tell, Letter(text="s" * BIG))
        assert (await handle.result()).text == "r" * BIG + "s" * BIG

    history = await handle.fetch_history()
    assert sum(event.ByteSize() for event in history.events) < 16 * 1024
    # input, question and its echo, signal, activity result, result: each kept once, named by its content
    assert len(blobs(folder)) == 5
    for blob in blobs(folder):
        assert hashlib.sha256(blob.read_bytes()).hexdigest() == blob.parent.name + blob.name

    replayer = Replayer(workflows=[LetterWorkflow], data_converter=data_converter(store))
    await asyncio.wait_for(replayer.replay_workflow(history), 30)


async def test_small_payloads_stay_readable_in_the_history(
    client: Client, queue: str, worker: Callable[[], Worker], folder: Path
) -> None:
    small = THRESHOLD // 2 - 1000
    async with worker():
        handle = await start(client, queue, "i" * small)
        await handle.signal(LetterWorkflow.tell, Letter(text="s" * small))
        await handle.result()
    assert not folder.exists()
    started = (await handle.fetch_history()).events[0].workflow_execution_started_event_attributes
    assert b"i" * small in started.input.payloads[0].data


async def test_a_damaged_result_is_reported_by_name(
    client: Client, queue: str, worker: Callable[[], Worker], folder: Path
) -> None:
    async with worker():
        handle = await start(client, queue, "little")
        await handle.signal(LetterWorkflow.tell, Letter(text="s" * BIG))
        while (await handle.describe()).close_time is None:
            await asyncio.sleep(0.05)
    signalled, result = sorted(blobs(folder), key=lambda path: path.stat().st_mtime_ns)
    result.write_bytes(signalled.read_bytes())
    with pytest.raises(BlobCorrupt, match=result.parent.name + result.name):
        await handle.result()
    result.unlink()
    with pytest.raises(BlobMissing, match=result.parent.name + result.name):
        await handle.result()


async def test_a_damaged_input_is_named_in_the_history_and_the_job_goes_on_once_repaired(
    client: Client, queue: str, worker: Callable[[], Worker], folder: Path, store: Store
) -> None:
    handle = await start(client, queue, "i" * BIG)
    (blob,) = blobs(folder)
    good = blob.read_bytes()
    blob.write_bytes(good[:-1])
    async with worker():
        message = await first_task_failure(handle)
        assert blob.parent.name + blob.name in message
        assert str(folder) in message
        await store.put(good)
        await handle.signal(LetterWorkflow.tell, Letter(text="!"))
        assert (await asyncio.wait_for(handle.result(), 60)).text == "r" * BIG + "!"


async def first_task_failure(handle: WorkflowHandle[LetterWorkflow, Letter]) -> str:
    """What the first failed workflow task says."""
    while True:
        for event in (await handle.fetch_history()).events:
            if event.HasField("workflow_task_failed_event_attributes"):
                return event.workflow_task_failed_event_attributes.failure.message
        await asyncio.sleep(0.1)
