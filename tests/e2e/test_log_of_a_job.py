"""What workers write about a job: everything that happened once, with what it belongs to, and no contents."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from activities.brief import Brief
from activities.store import open_store
from phasegate.logs import configure_logs, temporal_logging
from states.words import Phase, State
from tests.e2e.stage import job_id, stage
from tests.scripted import ScriptedPlanner, scripted_activities

TASK = {"task": "Add a retry to the uploader", "repository": "/srv/shop", "policy": {"gates": ["contracts"]}}


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """Where everything that is logged goes, as a worker sets it up; logging is as before afterwards."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    stream = io.StringIO()
    configure_logs(format="json", stream=stream)
    temporal_logging()
    yield stream
    root.setLevel(level)
    root.handlers[:] = handlers
    structlog.reset_defaults()


async def test_everything_is_logged_once_also_when_another_worker_replays_it(
    address: str, stream: io.StringIO
) -> None:
    tries: list[Phase] = []

    def fail_twice(phase: Phase, _: Brief) -> None:
        tries.append(phase)
        if phase is Phase.CONTRACTS and tries.count(phase) < 3:
            raise OSError("too many open files")

    store, job = open_store("memory://"), job_id("logged")
    parts = scripted_activities(store, ScriptedPlanner(before=fail_twice))
    async with stage(address, parts, store, queue=job) as first:
        await first.cli.start(job, TASK)
        await first.gate(job, "contracts-1")
        await first.cli.signal(job, "aprove")
        await first.refusals(job, 1)
    async with stage(address, parts, store, queue=job) as second:
        await second.cli.signal(job, "approve", {"comment": "between us", "by": "ann"})
        await second.at(job, State.VERIFIED)
        ledger = (await second.record(job)).ledger

    lines: list[dict[str, Any]] = [json.loads(line) for line in stream.getvalue().splitlines()]
    ours = [line for line in lines if line.get("job") == job]
    told = [line for line in ours if "n" in line]
    assert [(line["n"], line["event"], line["who"]) for line in told] == [
        (entry.n, entry.kind.value, entry.who) for entry in ledger
    ]
    assert {"refused", "transition", "message", "gate"} <= {line["event"] for line in told}
    assert all({"state", "phase", "gate"} <= set(line) for line in told)
    refused = next(line for line in told if line["event"] == "refused")
    assert (refused["state"], refused["gate"]) == ("contracts_awaiting_human_review", "contracts-1")
    worked = [line for line in ours if line.get("activity") == "design_contracts"]
    assert [(line["event"], line["attempt"], line["phase"]) for line in worked] == [
        ("activity failed", 1, "contracts"),
        ("activity failed", 2, "contracts"),
        ("activity done", 3, "contracts"),
    ]
    assert {line["state"] for line in worked} == {"contracts"}
    reviews = [line for line in ours if line.get("activity") == "review_artifact"]
    assert "contracts_awaiting_ai_review" in {line["state"] for line in reviews}
    saved = [line for line in ours if line.get("activity") == "save_manifest"]
    assert saved[0]["gate"] == "contracts-1"
    assert "between us" not in stream.getvalue()
