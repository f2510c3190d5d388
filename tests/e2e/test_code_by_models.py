"""Code that a model writes in Act: looked at, tried, refused, applied, tested; all over real HTTP."""

from pathlib import Path

import pytest

from activities.desks.coding import SUBMIT_CHANGES
from activities.models.provider import LiteLlmProvider
from states.artifacts.plan import PlanStep, StepType
from states.execution import ExecutionStatus
from states.words import Mode, Phase
from tests.e2e.acting_stage import acting_stage
from tests.e2e.asked_stage import approve, asked, sleeper
from tests.e2e.asked_stage import steps as at
from tests.e2e.executions import a_step, repository
from tests.e2e.whole_job import MODEL
from tests.model_server.script import Script
from tests.model_server.server import ModelServer

FILES = {
    "app.py": "def add(a, b):\n    return a - b\n",
    "test_app.py": "from app import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
}
TESTS = "python3 -m pytest -q -p no:cacheprovider --junitxml=report.xml"
LOOK = ("read_file", {"explanation": "the code", "filename": "app.py"})
RIGHT = {"files": [{"path": "app.py", "kind": "modify", "edits": [{"old": "a - b", "new": "a + b"}]}]}
NOT_THERE = {"files": [{"path": "app.py", "kind": "modify", "edits": [{"old": "a * b", "new": "a + b"}]}]}
BROKEN = {"files": [{"path": "app.py", "kind": "modify", "edits": [{"old": "a - b", "new": "a +"}]}]}
OUTSIDE = {"files": [{"path": "../app.py", "kind": "create", "content": "x"}]}


def steps() -> tuple[PlanStep, ...]:
    """The code, then the tests."""
    return (
        a_step("code", type=StepType.CODE_GENERATION),
        a_step("test", "code", type=StepType.TESTING, command=TESTS, report="report.xml"),
    )


async def test_a_model_writes_the_code_that_the_tests_ask_for(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = repository(tmp_path / "project", FILES)
    script = Script()
    rule = script.when(tool=SUBMIT_CHANGES).calls(LOOK)
    for wrong in (OUTSIDE, NOT_THERE, BROKEN):
        rule.call(SUBMIT_CHANGES, wrong)
    rule.call(SUBMIT_CHANGES, RIGHT)
    with ModelServer(script) as models:
        for name, value in models.environment.items():
            monkeypatch.setenv(name, value)
        await LiteLlmProvider().warm()
        async with acting_stage(address, tmp_path, project, *steps()) as stage:
            job = await stage.act(models={"code": MODEL}, agents={"max_repairs": 4})
            done = await stage.until(job, lambda v: v.mode is not Mode.ACT and v.act and v.act.last.steps)
            assert done.hold is None, done.hold
            assert done.act
            assert done.act.status is ExecutionStatus.COMPLETED
            assert "a + b" in (Path(done.act.last.path) / "app.py").read_text()
            assert done.act.last.metrics.tests_passed == 1
            agent = done.agents[-1]
            assert (agent.id, agent.phase, agent.used) == ("code-verified-1", Phase.VERIFIED, (MODEL,))
            assert agent.usage.calls == 5
        told = [r.json["messages"][-1]["content"] for r in models.answered()[2:]]
        assert "must not" in told[0] or "relative" in told[0] or ".." in told[0]
        assert "cannot modify app.py" in told[1]
        assert "app.py: this is no python that can be parsed" in told[2]
        seen = models.answered()[1].json["messages"][-1]["content"]
        assert "return a - b" in seen


async def test_people_are_asked_at_once_and_models_when_nothing_else_goes_on(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = repository(tmp_path / "project", FILES)
    script = Script()
    script.when(tool=SUBMIT_CHANGES).call(SUBMIT_CHANGES, RIGHT)
    asks = a_step("asks", command="python3 -c 1")
    plan = (*steps(), sleeper(4), asks, a_step("more", "code", "asks", command="python3 -c 2"))
    with ModelServer(script) as models:
        for name, value in models.environment.items():
            monkeypatch.setenv(name, value)
        await LiteLlmProvider().warm()
        async with acting_stage(address, tmp_path, project, *plan) as stage:
            job = await stage.act(models={"code": MODEL})
            await at(stage, job, long="in_progress")
            gate = await asked(stage, job, "operator-1", long="in_progress", code="waiting")
            assert gate.step == "asks"
            await approve(stage, job, gate)
            await at(stage, job, long="in_progress", asks="completed")
            assert not models.answered()
            await approve(stage, job, await stage.gate(job, "operator-2"))
            done = await stage.until(job, lambda v: v.mode is Mode.NORMAL)
            assert done.act
            assert done.act.status is ExecutionStatus.COMPLETED
            assert list((await stage.record(job)).gates_closed.values()) == ["allowed by ann"] * 2
