"""What nobody should send, sent with the `temporal` program: the job stands as it stood and says why."""

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from states.ledger import EntryKind
from states.words import State
from tests.e2e.stage import Stage, job_id

TASK = {"task": "Add a retry to the uploader", "repository": "/srv/shop"}
BYTES = base64.b64encode(b"\xff\xfe\x00{").decode()
SURROGATE = '"\\ud800"'

BAD_STARTS: dict[str, tuple[Sequence[str], str]] = {
    "nothing": ((), "the input must be an object"),
    "null": (("null",), "the input must be an object"),
    "a string": (('"do it"',), "the input must be an object"),
    "a list": (("[1, 2]",), "the input must be an object"),
    "a number": (("5",), "the input must be an object"),
    "no task": (('{"repository": "/x"}',), "the input's task: is required"),
    "no repository": (('{"task": "do it"}',), "the input's repository: is required"),
    "a blank task": (('{"task": " ", "repository": "/x"}',), "task: must not be blank"),
    "a list as task": (('{"task": ["do it"], "repository": "/x"}',), "task: must be text, not a list"),
    "an unknown policy": ((json.dumps({**TASK, "policy": {"gate": []}}),), "policy.gate: is no field here"),
    "an unknown gate": (
        (json.dumps({**TASK, "policy": {"gates": ["design"]}}),),
        "unknown phase 'design'; name one of DISCOVERY",
    ),
    "two inputs": ((json.dumps(TASK), "{}"), "the job takes one input, got 2"),
    "half a character": ((f'{{"task": {SURROGATE}, "repository": "/x"}}',), "cannot be decoded"),
    "an unknown phase": (('{"resume_from": "DESIGN"}',), "unknown phase 'DESIGN'; name one of DISCOVERY"),
    "a forged record": (
        (
            json.dumps(
                {"carry": {"job": "somebody-elses", "spec": TASK, "state": "verified", "mode": "Plan"}}
            ),
        ),
        "carry is what an earlier run of the job hands on",
    ),
    "a job that never was": (('{"resume_from": "CONTRACTS"}',), "the store knows no job"),
}


@pytest.mark.parametrize("name", BAD_STARTS)
async def test_a_bad_start_ends_as_failed_with_one_sentence(plain: Stage, name: str) -> None:
    given, why = BAD_STARTS[name]
    job = job_id("bad")
    await plain.cli.start_raw(job, *(word for each in given for word in ("--input", each)))
    await fails(plain, job, why)


@pytest.mark.parametrize("meta", ["encoding=binary/unknown", "encoding=json/protobuf", "encoding="])
async def test_a_start_that_is_no_payload_of_ours_ends_as_failed(plain: Stage, meta: str) -> None:
    job = job_id("bad")
    await plain.cli.start_raw(job, "--input", json.dumps(TASK), "--input-meta", meta)
    await fails(plain, job, "the input cannot be decoded")


async def fails(plain: Stage, job: str, why: str) -> None:
    """The job ends as failed, in one sentence without a traceback or a cause."""
    ended = await plain.cli.ended(job)
    assert ended["status"] == "FAILED"
    failure = ended["closeEvent"]["workflowExecutionFailedEventAttributes"]["failure"]
    assert why in failure["message"]
    assert "\n" not in failure["message"]
    assert "cause" not in failure


async def test_unknown_fields_of_a_start_are_noted_and_ignored(plain: Stage) -> None:
    job = job_id("cli")
    await plain.cli.start(job, {**TASK, "repo": "x", "Branch": "y"})
    await plain.at(job, State.CLARIFICATION_HUMAN_REVIEW)
    [note] = await plain.refusals(job)
    assert note.what == "start refused"
    assert note.why == "unknown fields are ignored: Branch, repo"


@pytest.fixture(scope="module")
async def standing(plain: Stage) -> str:
    """A job at its CONTRACTS gate, with a gate behind it. Whatever these tests send leaves it there."""
    job = job_id("standing")
    await plain.cli.start(job, TASK)
    await plain.at(job, State.CLARIFICATION_HUMAN_REVIEW)
    await plain.cli.signal(job, "approve", {"by": "ann"})
    await plain.at(job, State.CONTRACTS_HUMAN_REVIEW)
    return job


STALE = "0" * 64
REFUSED: dict[str, tuple[str, Any, str]] = {
    "misspelled": ("aprove", None, "unknown message 'aprove'; messages are approve"),
    "a Temporal word": ("terminate", None, "unknown message"),
    "wrong type": ("approve", 5, "approve takes a string or an object, got int"),
    "a list": ("approve", ["yes"], "approve takes a string or an object, got list"),
    "wrong field type": ("approve", {"gate": 5}, "approve: gate: must be text, not a number"),
    "unknown field": ("approve", {"gat": "contracts-1"}, "approve has no field 'gat'"),
    "closed gate": ("approve", {"gate": "clarification-1"}, "stale: gate clarification-1 is closed"),
    "closed gate, bare": ("approve", "clarification-1", "stale: gate clarification-1 is closed"),
    "gate of the future": ("approve", "validation-1", "stale: the open gate is contracts-1"),
    "stale digest": ("approve", {"digest": STALE}, "stale: gate contracts-1 reviews"),
    "stale digest, bare": ("approve", f"sha256:{STALE}", "stale: gate contracts-1 reviews"),
    "short digest": ("approve", {"digest": "0a"}, "stale: gate contracts-1 reviews"),
    "an option": ("approve", {"option": "2"}, "options are chosen at the VALIDATION gate and later"),
    "no feedback": ("revise", None, "revise needs feedback"),
    "blank feedback": ("revise", "   ", "revise needs feedback"),
    "unknown kind": (
        "revise",
        {"feedback": "x", "kind": "rude"},
        "revise: kind: must be one of technical, requirement or contract, not 'rude'",
    ),
    "stale revision": ("revise", {"feedback": "x", "gate": "contracts-7"}, "stale: the open gate is"),
    "no question": ("answer", "yes", "the job has asked nothing"),
    "no text": ("answer", {"question": "q1"}, "answer needs text"),
    "late message": ("say", "hello", "say is for CLARIFICATION, the job is in contracts_awaiting"),
    "late finish": ("finish", None, "finish is for CLARIFICATION"),
    "text for finish": ("finish", "now", "finish takes no text"),
    "edit of another": ("edit", {"artifact": {}, "base": STALE}, "stale: gate contracts-1 reviews"),
    "edit without base": ("edit", {"artifact": {}}, "edit needs base"),
    "restart nowhere": ("restart_from", None, "restart_from needs phase"),
    "restart from an unknown": ("restart_from", "DESIGN", "unknown phase 'DESIGN'; name one of DISCOVERY"),
    "restart from the end": ("restart_from", "VERIFIED", "a restart from VERIFIED has nothing to redo"),
    "restart too far": ("restart_from", "VALIDATION", "VALIDATION builds on CONTRACTS, whose gate was not"),
    "restart keeps too much": (
        "restart_from",
        {"restart_from": "CLARIFICATION", "context": {"preserve_artifacts": ["contracts"]}},
        "preserve_artifacts names CONTRACTS, which a restart from CLARIFICATION redoes",
    ),
    "restart context": ("restart_from", {"phase": "CONTRACTS", "context": 3}, "context of restart_from must"),
    "select": ("select", "2", "options are chosen at the VALIDATION gate and later"),
    "act": ("act", None, "act is not possible in mode Plan: needs that"),
    "rollback": ("rollback", "step-1", "nothing was carried out"),
    "resume": ("resume", None, "the job is not paused"),
    "no budget": ("set_budget", {}, "set_budget needs usd or tokens"),
    "negative budget": ("set_budget", {"usd": -1}, "set_budget: usd: must be 0 or more"),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_a_refused_signal_changes_nothing_and_is_in_the_ledger(
    plain: Stage, standing: str, name: str
) -> None:
    message, given, why = REFUSED[name]
    before, known = await plain.without_ledger(standing), len(await plain.refusals(standing))
    await plain.cli.signal(standing, message, *([] if given is None else [given]))
    entry = (await plain.refusals(standing, known + 1))[-1]
    assert entry.what == f"{message} refused"
    assert why in entry.why
    assert await plain.without_ledger(standing) == before


@pytest.mark.parametrize("name", REFUSED)
async def test_the_same_as_an_update_is_an_error_and_leaves_no_trace(
    plain: Stage, standing: str, name: str
) -> None:
    message, given, why = REFUSED[name]
    before = (await plain.record(standing)).model_dump()
    outcome = await plain.cli.update(standing, message, *([] if given is None else [given]), ok=False)
    assert outcome.code != 0
    assert why in outcome.err.replace('\\"', '"')
    assert (await plain.record(standing)).model_dump() == before


GARBAGE: dict[str, tuple[Sequence[str], str]] = {
    "an unknown encoding": (("--input", "1", "--input-meta", "encoding=binary/unknown"), "cannot be decoded"),
    "no encoding": (("--input", "1", "--input-meta", "encoding="), "cannot be decoded"),
    "bytes": (
        ("--input", BYTES, "--input-base64", "--input-meta", "encoding=binary/plain"),
        "approve takes a string or an object, got bytes",
    ),
    "bytes as a message": (
        ("--input", BYTES, "--input-base64", "--input-meta", "encoding=binary/protobuf"),
        "cannot be decoded",
    ),
    "no protobuf": (("--input", '"x"', "--input-meta", "encoding=json/protobuf"), "cannot be decoded"),
    "half a character": (("--input", SURROGATE), "cannot be decoded"),
    "two inputs": (("--input", '"a"', "--input", '"b"'), "approve takes one argument, got 2"),
    "deep JSON": (("--input", "[" * 5000 + "]" * 5000), "cannot be decoded"),
}


@pytest.mark.parametrize("name", GARBAGE)
async def test_garbage_leaves_the_job_running(plain: Stage, standing: str, name: str) -> None:
    words, why = GARBAGE[name]
    before, known = await plain.without_ledger(standing), len(await plain.refusals(standing))
    await plain.cli.signal_raw(standing, "approve", *words)
    entry = (await plain.refusals(standing, known + 1))[-1]
    assert why in entry.why
    assert await plain.without_ledger(standing) == before
    update = ("workflow", "update", "execute", "--workflow-id", standing, "--name", "approve", *words)
    outcome = await plain.cli.run(*update, ok=False)
    assert outcome.code != 0
    assert why in outcome.err


async def test_wrong_json_is_refused_by_the_program_itself(plain: Stage, standing: str) -> None:
    before = await plain.record(standing)
    words = ("workflow", "signal", "--workflow-id", standing, "--name", "approve", "--input", "{no json")
    outcome = await plain.cli.run(*words, ok=False)
    assert outcome.code != 0
    assert "not valid JSON" in outcome.err
    assert await plain.record(standing) == before


async def test_a_megabyte_of_garbage_leaves_the_job_running(
    plain: Stage, standing: str, tmp_path: Path
) -> None:
    before, known = await plain.without_ledger(standing), len(await plain.refusals(standing))
    big = tmp_path / "big.json"
    for given in ("x" * 1_000_000, {"comment": "x" * 1_000_000}, {"x" * 1_000_000: 1}, [0] * 300_000):
        big.write_text(json.dumps(given))
        await plain.cli.signal_raw(standing, "approve", "--input-file", str(big))
    entries = (await plain.refusals(standing, known + 4))[known:]
    assert all("approve" in entry.why for entry in entries)
    assert max(len(entry.model_dump_json()) for entry in entries) < 2_000
    assert await plain.without_ledger(standing) == before


async def test_an_approval_before_its_gate_and_a_second_one_change_nothing(plain: Stage) -> None:
    job = job_id("early")
    quorum = {"gates": ["clarification"], "approvals": 2}
    await plain.cli.run(
        *(
            "workflow",
            "signal-with-start",
            "--type",
            "PlanningWorkflow",
            "--task-queue",
            plain.cli.task_queue,
        ),
        *("--workflow-id", job, "--input", json.dumps({**TASK, "policy": quorum})),
        *("--signal-name", "approve", "--signal-input", '{"by": "ann"}'),
    )
    await plain.at(job, State.CLARIFICATION_HUMAN_REVIEW)
    [early] = await plain.refusals(job)
    assert early.why == "no gate is open in discovery"
    await plain.cli.signal(job, "approve", {"by": "ann"})
    before = await plain.without_ledger(job)
    await plain.cli.signal(job, "approve", {"by": "ann"})
    assert await plain.without_ledger(job) == before
    assert (await plain.refusals(job))[-1].why == "duplicate: ann has approved clarification-1 already"
    await plain.cli.signal(job, "approve", {"by": "bob"})
    await plain.at(job, State.VERIFIED)
    await plain.cli.signal(job, "approve", {"by": "bob"})
    last = (await plain.refusals(job, 3))[-1]
    assert last.why.startswith(
        "no gate is open in verified; the last one, clarification-1, approved by ann, bob"
    )


async def test_updates_answer_with_an_ack(plain: Stage, standing: str) -> None:
    sent = {"usd": 1.5, "by": "ann"}
    outcome = await plain.cli.update(standing, "set_budget", sent, update_id="budget-1")
    ack = outcome.json()["result"]
    assert ack["message"] == "set_budget"
    assert ack["note"] == "budget set"
    entry = next(e for e in (await plain.record(standing)).ledger if e.n == ack["entry"])
    assert (entry.kind, entry.who) == (EntryKind.MESSAGE, "ann")
    again = await plain.cli.update(standing, "set_budget", sent, update_id="budget-1")
    assert again.json()["result"] == ack
    assert (await plain.record(standing)).ledger_count == entry.n
