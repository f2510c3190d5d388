"""Every recorded path still replays: no server, no activity, the same commands."""

import asyncio
from pathlib import Path

import pytest
from temporalio.api.enums.v1 import EventType
from temporalio.client import WorkflowHistory
from temporalio.worker import Replayer

from activities.payloads import data_converter
from activities.store import open_store
from tests.replay.record import HISTORIES, SCENARIOS
from tests.replay.record_acting import ACTED
from tests.replay.record_cooperation import COOPERATIONS
from worker import workflow_runner
from workflows.agent import AgentWorkflow
from workflows.cooperation import CooperationWorkflow
from workflows.execution import ExecutionWorkflow
from workflows.planning import PlanningWorkflow

MARKER = EventType.EVENT_TYPE_MARKER_RECORDED
RECORDED = sorted(HISTORIES.glob("*.json"))


def replayer() -> Replayer:
    """As a worker would run it."""
    return Replayer(
        workflows=[PlanningWorkflow, AgentWorkflow, CooperationWorkflow, ExecutionWorkflow],
        data_converter=data_converter(open_store("memory://")),
        workflow_runner=workflow_runner(),
    )


@pytest.mark.parametrize("path", RECORDED, ids=lambda p: p.stem)
async def test_replays(path: Path) -> None:
    history = WorkflowHistory.from_json(f"replay-{path.stem.split('.')[0]}", path.read_text())
    # A replay that goes wrong may hang instead of failing.
    await asyncio.wait_for(replayer().replay_workflow(history), timeout=30)


def test_every_scenario_is_recorded() -> None:
    missing = {*SCENARIOS, *COOPERATIONS, *ACTED} - {path.stem.split(".")[0] for path in RECORDED}
    assert not missing, f"run `make histories`: {missing} are not recorded"


async def test_a_changed_story_is_noticed() -> None:
    text = (HISTORIES / "happy.json").read_text()
    history = WorkflowHistory.from_json("replay-happy", text)
    markers = [e.marker_recorded_event_attributes for e in history.events if e.event_type == MARKER]
    for marker in markers:
        for payload in marker.details["data"].payloads:
            payload.data = payload.data.replace(b"design_contracts", b"design_castles")
    with pytest.raises(Exception, match=r"[Nn]ondeterminis"):
        await asyncio.wait_for(replayer().replay_workflow(history), timeout=30)
