"""What two agents do at once in one workflow is done in the same order when it is replayed."""

import asyncio
import re
from pathlib import Path

import pytest
from temporalio.client import WorkflowHistory

from states.bench import BenchSetting, FeatureText
from tests.e2e.bench_stage import AGENT1, AGENT2, FIRST, SECOND, BenchStage, bench_stage, plan_for
from tests.model_server.script import Script
from tests.replay.test_replay import replayer

AGREE = "agreement_reached"
LOOK = ("list_files", {"explanation": "look", "path": "."})
SEARCH = ("search_code", {"explanation": "look", "query": "line 7"})
LONG_AND_SHORT = [FeatureText(id=1, text=FIRST * 20_000), FeatureText(id=2, text=SECOND)]
"""the second agent's conversation is opened sooner, though asked for later"""
ROUNDS, RUNS = 3, 5


async def history_of(stage: BenchStage) -> WorkflowHistory:
    """Of a run of two."""
    task = stage.task(BenchSetting.COOP, features=LONG_AND_SHORT)
    state = await stage.run(task)
    assert all(member.plan for member in state.members)
    return await stage.runs.temporal.get_workflow_handle(task.run).fetch_history()


def first_asked(history: WorkflowHistory) -> list[str]:
    """Whose first call was begun first."""
    summaries = [event.user_metadata.summary.data.decode() for event in history.events]
    return re.findall(r"(agent\d) call 1:", "\n".join(summaries))


async def test_two_agents_that_work_at_once(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script()
    for agent, place in ((AGENT1, "Line 4"), (AGENT2, "Line 80")):
        rule = script.when(system=agent)
        for number in range(ROUNDS):
            rule = rule.calls(*[LOOK, SEARCH][: 1 + number % 2])
        rule.call(AGREE, {"plan": plan_for(place)})
    async with bench_stage(address, script, tmp_path, monkeypatch) as stage:
        found = await asyncio.gather(*(history_of(stage) for _ in range(RUNS)))
    for history in found:
        # A replay has the results of local activities in the order in which they were asked for, and would
        # not notice that it gives one agent the replies of the other.
        assert first_asked(history) == ["agent1", "agent2"]
        await asyncio.wait_for(replayer().replay_workflow(history), timeout=30)
