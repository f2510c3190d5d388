"""The loop of one CooperBench agent: real workflow, server, toolbox and litellm; a scripted model."""

import json
from pathlib import Path
from typing import Any

import pytest

from phasegate.bench_client import RunStatus
from states.agents import AgentEnd, Allowance
from states.bench import BenchSetting
from states.trace import TraceKind
from tests.e2e.bench_stage import FIRST, SECOND, bench_stage
from tests.forgetting import forget
from tests.model_server.script import FaultKind, Script, fault

CASES = json.loads((Path(__file__).parents[1] / "data" / "cases" / "agent_loop.json").read_text())
AGREE, LOOK = "agreement_reached", ("list_files", {"explanation": "look", "path": "."})
DEMAND = "You must now submit your implementation plan using agreement_reached."


def scripted(replies: list[list[str]]) -> Script:
    """`list_files`, or `agreement_reached:PLAN`; a reply without calls is a text."""
    script = Script()
    rule = script.when()
    for reply in replies:
        calls = [(AGREE, {"plan": call.partition(":")[2]}) if ":" in call else LOOK for call in reply]
        rule = rule.calls(*calls) if calls else rule.say("let me think")
    return script


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
async def test_cases(
    case: dict[str, Any], address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bench_stage(address, scripted(case["replies"]), tmp_path, monkeypatch) as stage:
        task = stage.task(BenchSetting(case["setting"]), max_iterations=case["max_iterations"])
        state = await stage.run(task)
        [member] = state.members
        plan = await stage.plan(member)
        assert plan == (FIRST if case["plan"] == "<feature text>" else case["plan"])
        assert len(stage.models.answered()) == member.usage.calls == case["calls"]
        assert stage.models.unmatched() == []
        assert state.settled
        requests = [r.json for r in stage.models.answered()]
    forced = case["calls"] > case["max_iterations"]
    assert (requests[-1]["messages"][-1]["content"] == DEMAND) is forced
    if forced:
        assert [tool["function"]["name"] for tool in requests[-1]["tools"]] == [AGREE]
        assert requests[-1]["messages"][0]["role"] == "system"
        assert FIRST.strip() in requests[-1]["messages"][1]["content"]


async def test_the_last_of_several_plans_wins_and_other_tools_still_run(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script()
    script.when().calls((AGREE, {"plan": "A"}), LOOK, (AGREE, {"plan": " "}), (AGREE, {"plan": "B"}), LOOK)
    async with bench_stage(address, script, tmp_path, monkeypatch) as stage:
        [member] = (await stage.run(stage.task(BenchSetting.SINGLE))).members
        assert await stage.plan(member) == "B"
        answers = [
            await stage.runs.message(event.answer)
            for event in member.trace
            if event.kind is TraceKind.TOOL_EXECUTION
        ]
    assert [answer["content"].splitlines()[0] for answer in answers] == [
        "A",
        "Found 2 items:",
        "Error: Missing required parameter 'plan'. You must provide a complete implementation plan.",
        "B",
        "Found 2 items:",
    ]


async def test_what_a_model_gets_wrong_is_told_to_it(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script()
    script.when().calls(
        ("sing", {}),
        ("find_symbol", {"name": "x"}),
        ("communicate_with_agent", {"message": "hi", "message_type": "question"}),
        ("read_file", {"explanation": "x"}),
        ("read_file", '{"filename": "src/app.py"'),
        ("read_file", {"explanation": "x", "filename": "../../etc/passwd"}),
        ("read_file", {"explanation": "x", "filename": "src/app.py", "start_line": 1, "end_line": 2}),
    ).call(AGREE, {"plan": "P"})
    async with bench_stage(address, script, tmp_path, monkeypatch) as stage:
        state = await stage.run(stage.task(BenchSetting.SINGLE))
        tools = [m["content"] for m in stage.models.requests[-1].json["messages"] if m["role"] == "tool"]
    assert tools[:4] == [
        "Error: Tool sing not found",
        "Error: Tool find_symbol not found",
        "Error: Tool communicate_with_agent not found",
        "Error: Tool call error: Missing required parameter 'filename'.",
    ]
    assert tools[4].startswith("Error: Tool call error: The arguments are")
    assert tools[5] == "Error: Path ../../etc/passwd is outside agent workspace directory"
    assert tools[6] == "File: src/app.py (lines 1-2 of 151 total)\n\n   1 line 1\n   2 line 2"
    assert state.settled


async def test_solo_plans_both_features_and_falls_back_to_both(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script()
    script.when().say("no")
    async with bench_stage(address, script, tmp_path, monkeypatch) as stage:
        [member] = (await stage.run(stage.task(BenchSetting.SOLO, max_iterations=1))).members
        assert await stage.plan(member) == f"{FIRST}\n\n{SECOND}"
        assert member.forced
        assert "Feature Integration" in stage.models.requests[0].json["messages"][0]["content"]
        shown = stage.models.requests[0].json["messages"][1]["content"]
        assert FIRST.strip() in shown
        assert SECOND.strip() in shown


async def test_a_failed_run_goes_on_where_it_stopped_and_pays_nothing_twice(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script()
    script.when(replies=1).fail(fault(FaultKind.BAD_KEY)).call(AGREE, {"plan": "P"})
    script.when().calls(LOOK)
    async with bench_stage(address, script, tmp_path, monkeypatch) as stage:
        task = stage.task(BenchSetting.SINGLE)
        state = await stage.run(task)
        assert (state.members[0].end, state.settled) == (AgentEnd.FAILED, False)
        assert "key" in state.members[0].reason.lower()
        state = await stage.run(task)
        assert state.settled
        assert state.members[0].usage.calls == len(stage.models.answered()) == 2
        assert stage.models.asked_twice() == []
        kinds = [event.kind for event in state.members[0].trace]
    assert kinds.count(TraceKind.LLM_CALL) == 2


async def test_a_budget_ends_a_run_and_more_of_it_goes_on(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = scripted([["list_files"], ["agreement_reached:P"]])
    async with bench_stage(address, script, tmp_path, monkeypatch) as stage:
        task = stage.task(BenchSetting.SINGLE)
        state = await stage.run(task, Allowance(tokens=10))
        assert (state.members[0].end, len(stage.models.answered())) == (AgentEnd.BUDGET, 1)
        state = await stage.run(task)
        assert (state.settled, len(stage.models.answered())) == (True, 2)


async def test_what_was_paid_for_is_reused_with_another_budget(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = scripted([["list_files"], ["agreement_reached:P"]])
    async with bench_stage(address, script, tmp_path, monkeypatch) as stage:
        task = stage.task(BenchSetting.SINGLE)
        state = await stage.run(task, Allowance(tokens=10))
        assert (state.members[0].end, len(stage.models.answered())) == (AgentEnd.BUDGET, 1)
        # The server knows nothing of the run any more, so it begins anew: the reply lies in the store.
        await forget(stage.runs.temporal, task.run)
        state = await stage.run(task, Allowance(tokens=10**9, usd=7))
        assert (state.settled, len(stage.models.answered())) == (True, 2)


async def test_a_repository_that_cannot_be_opened_is_said(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bench_stage(address, Script(), tmp_path, monkeypatch) as stage:
        with pytest.raises(Exception, match="nowhere"):
            await stage.run(stage.task(BenchSetting.SINGLE, repository=str(tmp_path / "nowhere")))


async def test_a_run_that_the_server_has_forgotten_is_not_paid_again(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bench_stage(address, scripted([["agreement_reached:P"]]), tmp_path, monkeypatch) as stage:
        task = stage.task(BenchSetting.SINGLE)
        state = await stage.run(task)
        assert state.settled
        await forget(stage.runs.temporal, task.run)
        assert await stage.runs.find(task) == (RunStatus.DONE, state)
