"""Workers and servers killed while a model writes the code of a step: written, paid for and applied once.

One job for each place, each with a model of its own name; one kill hits all.
"""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import astuple
from enum import StrEnum
from pathlib import Path

import pytest

from activities.desks.coding import SUBMIT_CHANGES
from states.agents import AgentEnd
from states.execution import ExecutionStatus
from states.record import JobRecord
from tests.activities.conftest import git
from tests.e2e.coding_mortals import FILES, CodingMortals, coding_mortals
from tests.e2e.coding_worker import APPLYING
from tests.e2e.executions import repository
from tests.e2e.kill_table import PROPERTY, VICTIMS, Cell
from tests.model_server.script import Script, slow

LONG = 20.0
"""seconds that a model takes whose worker is to be killed meanwhile"""
LOOK = ("read_file", {"explanation": "the code", "filename": "app.py"})
WRITTEN = {
    "files": [
        {"path": "app.py", "kind": "modify", "edits": [{"old": "a - b", "new": "a + b"}]},
        {"path": "notes.md", "kind": "create", "content": "# Sums\n"},
    ]
}
AGENT = "code-verified-1"
CALLS = 2
"""of the agent that writes the code: it looks, and hands over"""

Note = Callable[[str, object], None]


class Moment(StrEnum):
    """How far the code has come when somebody dies."""

    BEFORE_CALL = "before the model is asked"
    DURING_CALL = "while the model writes"
    AFTER_CALL = "the reply is kept and nobody knows"
    AFTER_TOOL = "the code is taken and not entered"
    BEFORE_STEP = "before the code is applied"
    APPLYING = "half of the code is applied"
    AFTER_STEP = "the code is applied and nobody knows"


JOBS = {moment: f"code-{number}" for number, moment in enumerate(Moment)}


def hold_of(moment: Moment) -> str:
    """The file by which the worker is stopped; blank where the model does it."""
    job = JOBS[moment]
    return {
        Moment.BEFORE_CALL: f"{job}.{AGENT}.call-2.before",
        Moment.AFTER_CALL: f"{job}.{AGENT}.call-2.after",
        Moment.AFTER_TOOL: f"{job}.{AGENT}.{SUBMIT_CHANGES}-0.after",
        Moment.BEFORE_STEP: f"{job}.act-1.run_step.code.before",
        Moment.APPLYING: f"{job}.{APPLYING}-notes.md",
        Moment.AFTER_STEP: f"{job}.act-1.run_step.code.after",
    }.get(moment, "")


def script() -> Script:
    """Look, then hand over; where the call is to be cut short its first request waits in the server."""
    made = Script()
    made.when(model=JOBS[Moment.DURING_CALL], replies=1).fail(slow(LONG))
    made.when(tool=SUBMIT_CHANGES).calls(LOOK).call(SUBMIT_CHANGES, WRITTEN)
    return made


async def stopped(all_: CodingMortals, moment: Moment) -> None:
    """Wait until a job is in its place."""
    if moment is Moment.DURING_CALL:
        await all_.asked_slowly(JOBS[moment])
    else:
        await all_.reached(hold_of(moment))


async def as_if_nothing_had_happened(all_: CodingMortals, record: JobRecord, *, lost: int) -> None:
    """Each effect once, each commit once, each reply paid once."""
    assert record.act
    assert record.act.status is ExecutionStatus.COMPLETED, record.hold
    tree, job = Path(record.act.last.path), record.job
    assert (tree / "app.py").read_text() == "def plus(a, b):\n    return a + b\n"
    assert (tree / "notes.md").read_text() == "# Sums\n"
    assert (tree / "done").read_text() == "before\nbehind\n"
    assert record.act.last.metrics.tests_passed == 1
    titles = [line.split(":")[0] for line in git(tree, "log", "--format=%s", record.act.branch).splitlines()]
    assert titles == ["step behind", "step code", "step before", "step name", "first"]
    assert git(tree, "status", "--porcelain") == ""
    [agent] = record.agents
    assert (agent.id, agent.end) == (AGENT, AgentEnd.SUBMITTED)
    # Who was killed while a model replied may get a bill for that as well.
    assert (agent.usage.calls, agent.usage.estimated_calls) == (CALLS + lost, lost)
    written = [entry for entry in record.ledger if entry.what == "the code of step code is written"]
    assert len(written) == 1
    assert Counter(all_.asked())[job] == CALLS + lost, "what is booked is what was asked"
    assert sum(request.json["model"] == job for request in all_.models.answered()) == CALLS


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("victims", VICTIMS)
async def test_code_is_written_once_whoever_dies(tmp_path: Path, victims: str, record_property: Note) -> None:
    project = repository(tmp_path / "project", FILES)
    async with coding_mortals(tmp_path, script()) as all_:
        for moment, job in JOBS.items():
            if hold := hold_of(moment):
                all_.hold(hold)
            await all_.begin(job, project, models={"code": f"openai/{job}"})
        for moment in Moment:
            await stopped(all_, moment)
        began = time.monotonic()
        await all_.kill_and_replace(victims)
        for moment in Moment:
            if hold := hold_of(moment):
                all_.release(hold)
        for moment, job in JOBS.items():
            record = await all_.done(job)
            note = Cell("coding", moment.value, victims, time.monotonic() - began, same=True)
            record_property(PROPERTY, astuple(note))
            lost = moment is Moment.DURING_CALL and victims != "server"
            await as_if_nothing_had_happened(all_, record, lost=lost)
        assert all_.models.asked_twice() == []
