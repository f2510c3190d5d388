"""Hundreds of messages over many runs of one workflow: nothing is lost and nobody notices."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from obstore.store import MemoryStore
from temporalio.api.enums.v1 import EventType

from activities.store import Store, open_store
from phasegate.server import EmbeddedServer
from phasegate.server_options import ServerOptions
from states.ledger import EntryKind, LedgerEntry
from states.record import LEDGER_KEPT
from states.words import Phase, State
from tests.e2e.stage import Stage, job_id, stage, until
from tests.scripted import QUESTION, SECOND, ScriptedReviewer, scripted_activities
from workflows.attributes import REGISTERED

EVENTS = 50
"""after so many the server suggests to continue as new, instead of 4,096"""
TASK = {"task": "Add a retry to the uploader", "repository": "/srv/shop", "policy": {"approvals": 2}}


@pytest.fixture(scope="module")
async def impatient() -> AsyncIterator[str]:
    """A server that suggests to continue as new after few events."""
    config = {"limit.historyCount.suggestContinueAsNew": EVENTS}
    async with EmbeddedServer(ServerOptions(search_attributes=REGISTERED, dynamic_config=config)) as server:
        yield server.address


class HeldPages(Store):
    """A store in which pages of the ledger wait until they are let in."""

    def __init__(self) -> None:
        super().__init__("memory", MemoryStore())
        self.asked = asyncio.Event()
        self.let_in = asyncio.Event()

    async def put(self, data: bytes) -> str:
        """Keep bytes; pages are lists, artifacts are objects."""
        if data.startswith(b"["):
            self.asked.set()
            await self.let_in.wait()
        return await super().put(data)


async def garbage(stage: Stage, job: str, names: range) -> None:
    """Signals that are refused, ten at once."""
    handle = stage.temporal.get_workflow_handle(job)
    for first in names[::10]:
        some = range(first, min(first + 10, names.stop))
        await asyncio.gather(*(handle.signal(f"garbage-{name}", "x") for name in some))


async def runs_of(stage: Stage, job: str) -> int:
    """How many runs of the workflow have been continued as new, from the history of each."""
    count, run = 0, (await stage.temporal.get_workflow_handle(job).describe()).run_id
    while run:
        first = await anext(aiter(stage.temporal.get_workflow_handle(job, run_id=run).fetch_history_events()))
        assert first.event_type == EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED
        run = first.workflow_execution_started_event_attributes.continued_execution_run_id
        count += bool(run)
    return count


async def whole_ledger(stage: Stage, job: str) -> list[LedgerEntry]:
    """Every entry, from the store and the record; complete."""
    ledger = await stage.jobs.ledger(job)
    assert [entry.n for entry in ledger] == list(range(1, len(ledger) + 1))
    return ledger


def garbage_in(ledger: list[LedgerEntry]) -> list[str]:
    """The garbage that the ledger knows, sorted."""
    return sorted(entry.what for entry in ledger if entry.what.startswith("garbage-"))


def refused(names: int) -> list[str]:
    """What the ledger says of so many, sorted."""
    return sorted(f"garbage-{name} refused" for name in range(names))


async def test_a_job_goes_on_over_many_runs(impatient: str) -> None:
    store = open_store("memory://")
    parts = scripted_activities(store, reviewer=ScriptedReviewer(questions=(QUESTION, SECOND)))
    async with stage(impatient, parts, store) as ready:
        job = job_id("long")
        await ready.cli.start(job, TASK)
        await ready.at(job, State.CLARIFICATION)
        await ready.cli.signal(job, "say", "We use SAML everywhere")
        await ready.cli.signal(job, "answer", {"question": "q2", "text": "no", "by": "ann"})
        await garbage(ready, job, range(80))
        questions = (await ready.view(job)).questions
        assert [(q.text, q.by) for q in questions] == [("", ""), ("no", "ann")]
        await ready.cli.signal(job, "answer", "OAuth2Service")

        gate = await ready.gate(job, "clarification-1")
        await ready.cli.signal(job, "approve", {"by": "ann"})
        await garbage(ready, job, range(80, 160))
        kept = await ready.gate(job, "clarification-1")
        assert kept.model_copy(update={"decisions": ()}) == gate
        assert [decision.by for decision in kept.decisions] == ["ann"]
        await ready.cli.signal(job, "approve", {"by": "bob"})

        await ready.gate(job, "contracts-1")
        # in the middle of a flood, so that it is read by one run and may be acted on by the next
        handle = ready.temporal.get_workflow_handle(job)
        revision = handle.signal("revise", {"feedback": "Name the exceptions", "by": "ann"})
        await asyncio.gather(garbage(ready, job, range(160, 240)), revision)
        again = await ready.gate(job, "contracts-2")
        assert again.feedback == ("Name the exceptions",)
        for name in ("ann", "bob"):
            await ready.cli.signal(job, "approve", {"gate": "contracts-2", "by": name})
        await ready.gate(job, "validation-1")
        for name in ("ann", "bob"):
            await ready.cli.signal(job, "approve", {"gate": "validation-1", "by": name})
        await ready.at(job, State.VERIFIED)

        assert await runs_of(ready, job) >= 3
        record = await ready.record(job)
        assert record.ledger_pages
        assert len(record.ledger) < LEDGER_KEPT + 2 * EVENTS
        ledger = await whole_ledger(ready, job)
        assert garbage_in(ledger) == refused(240)
        assert {e.what for e in ledger if e.kind is EntryKind.REFUSED} == set(garbage_in(ledger))
        assert [entry.kind for entry in ledger].count(EntryKind.MESSAGE) == 10
        clarified = record.current(Phase.CLARIFICATION)
        assert clarified
        stored = await store.get_artifact(clarified.digest)
        assert stored.body["domain_knowledge_gained"] == ["We use SAML everywhere"]


@pytest.mark.slow
async def test_messages_that_come_while_a_page_is_stored_are_kept(impatient: str) -> None:
    store = HeldPages()
    async with stage(impatient, scripted_activities(store), store) as ready:
        job = job_id("slow")
        # a task of two seconds is renewed while the page is stored, and takes new messages in
        await ready.cli.start(job, TASK, "--task-timeout", "2s")
        await ready.gate(job, "clarification-1")
        sent = 0
        while not store.asked.is_set():
            await garbage(ready, job, range(sent, sent + 20))
            sent += 20
        await garbage(ready, job, range(sent, sent + 20))
        await asyncio.sleep(2.5)
        store.let_in.set()
        await until(lambda: ready.record(job), lambda record: record.ledger_pages)
        assert garbage_in(await whole_ledger(ready, job)) == refused(sent + 20)
