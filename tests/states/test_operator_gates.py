"""A command is allowed by whoever has read it, and by nothing that was meant for another gate."""

from typing import Any

import pytest

from states.act import ActNote, StepAsk
from states.acting import open_ask, settle_ask
from states.facts import decisions_enough
from states.receive import receive
from states.record import JobRecord
from tests.states.job_maker import NOW, verified_job


def asking(*commands: str, by_hand: bool = False, **policy: Any) -> JobRecord:
    """A job at the gate of the first command."""
    record = verified_job(**policy)
    record.act = ActNote(id="job-1.act-1", option="a", plan="p", branch="b", by="ann")
    for number, command in enumerate(commands, 1):
        open_ask(record, StepAsk(step=str(number), asks=command, by_hand=by_hand), NOW)
        if number < len(commands):
            assert receive(record, "approve", [{"gate": f"operator-{number}", "by": "ann"}], NOW)
            settle_ask(record, NOW)
    return record


@pytest.mark.parametrize("bare", [[], [{"by": "ann"}], ["fine"], [{"comment": "yes", "by": "bob"}]])
def test_a_yes_that_names_no_gate_allows_no_command(bare: list[object]) -> None:
    record = asking("make install", "rm -rf /")
    assert receive(record, "approve", bare, NOW) is None
    assert "name the gate or the digest" in record.ledger[-1].why
    assert not decisions_enough(record)


@pytest.mark.parametrize("key", ["gate", "digest"])
def test_a_yes_to_the_gate_that_is_open_allows_its_command(key: str) -> None:
    record = asking("make install", "rm -rf build")
    assert record.gate
    name = record.gate.id if key == "gate" else record.gate.digest
    assert receive(record, "approve", [{key: name, "by": "ann"}], NOW)
    settle_ask(record, NOW)
    assert record.act
    assert record.act.allowed == ("make install", "rm -rf build")


def test_a_second_yes_to_a_gate_that_is_closed_is_stale() -> None:
    record = asking("make install", "rm -rf /")
    assert receive(record, "approve", [{"gate": "operator-1", "by": "ann"}], NOW) is None
    assert "stale: gate operator-1 is closed" in record.ledger[-1].why


def test_that_code_is_written_can_be_said_without_a_name() -> None:
    assert receive(asking("write it", by_hand=True), "approve", [{"by": "ann"}], NOW)
