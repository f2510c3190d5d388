"""What people say while every worker is dead is kept by the server and honoured by the next worker."""

import asyncio
from pathlib import Path

import pytest

from states.ledger import EntryKind
from states.words import Phase, State
from tests.e2e.mortals import mortals

JOB = "job"
TASK = {"task": "Add a retry to the uploader", "repository": "/srv/shop"}


@pytest.mark.slow
async def test_an_answer_an_approval_and_a_restart_are_honoured(tmp_path: Path) -> None:
    async with mortals(tmp_path) as both:
        await both.cli.start(JOB, TASK)
        await both.next_stop(JOB)
        both.kill_worker()
        await both.cli.signal(JOB, "answer", {"text": "LegacyAuthService", "by": "ann"})
        await both.start_worker()
        view = await both.next_stop(JOB, (State.CLARIFICATION,))
        assert [(q.text, q.by) for q in view.questions] == [("LegacyAuthService", "ann")]

        both.kill_worker()
        await both.cli.signal(JOB, "approve", {"gate": "clarification-1", "by": "ann"})
        await both.kill_and_replace("both")
        view = await both.next_stop(JOB, (State.CLARIFICATION_HUMAN_REVIEW,))
        assert view.gate
        assert view.gate.id == "contracts-1"
        clarified = (await both.record(JOB)).current(Phase.CLARIFICATION)
        assert clarified
        assert clarified.accepted_by == ("ann",)

        both.kill_worker()
        await both.cli.signal(JOB, "restart_from", {"phase": "CONTRACTS", "changes": "SAML too", "by": "bob"})
        await both.cli.signal(JOB, "approve", {"gate": "contracts-1", "by": "ann"})
        waiting = asyncio.create_task(
            both.cli.update(JOB, "approve", {"by": "ann"}, update_id="u1", ok=False)
        )
        await asyncio.sleep(0.5)
        assert not waiting.done()
        await both.start_worker()
        late = await waiting
        view = await both.next_stop(JOB)
        assert view.gate
        assert view.gate.id == "contracts-2"
        record = await both.record(JOB)
        assert record.current(Phase.CLARIFICATION) == clarified
        assert [restart.changes for restart in record.restarts] == ["SAML too"]
        refused = [entry.why for entry in record.ledger if entry.kind is EntryKind.REFUSED]
        # the second message came before the first was acted on, and meant what was there before
        assert refused == ["restart_from_contracts by bob is under way"]
        assert late.code != 0
        assert "restart_from_contracts by bob is under way" in late.err

        said = {"gate": "contracts-2", "by": "ann"}
        first = (await both.cli.update(JOB, "approve", said, update_id="u2")).json()["result"]
        await both.next_stop(JOB, (State.CONTRACTS_HUMAN_REVIEW,))
        before = (await both.record(JOB)).ledger_count
        both.kill_worker()
        await both.start_worker()
        again = (await both.cli.update(JOB, "approve", said, update_id="u2")).json()["result"]
        assert again == first
        assert (await both.record(JOB)).ledger_count == before
