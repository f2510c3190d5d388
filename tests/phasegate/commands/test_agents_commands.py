"""Commands about models: what they did and cost, what was said, what they do now, replies and budgets."""

import asyncio
import itertools
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import TemporalServer
from tests.forgetting import forget
from tests.phasegate.commands.driving import Commands, Ran
from tests.phasegate.commands.terminal import Terminal

_numbers = itertools.count(1)
NO_GATES = ("--gates", "none")
NO_DRAFTS = ("--phase-model", "options=none")
GUESS = (*NO_GATES, "--question-handling", "best_guess")


@pytest.fixture
def plan(staffed: Commands, repository: Path) -> Callable[..., tuple[str, Ran]]:
    """`plan` with a model and more words; gives the job and what came of it."""

    def run(model: str, *words: str) -> tuple[str, Ran]:
        job = f"{model.partition(',')[0]}-{next(_numbers)}"
        return job, staffed(
            "plan", "do it", "--repo", str(repository), "--id", job, "--model", model, *NO_DRAFTS, *words
        )

    return run


Plan = Callable[..., tuple[str, Ran]]


def test_show_agents_metrics_and_export_say_what_models_did_and_cost(staffed: Commands, plan: Plan) -> None:
    job, ran = plan("good", *GUESS, "--max-budget-usd", "5")
    assert ran.code == 0
    assert "$0.03" in ran.err
    shown = staffed("show", job).out
    assert "models      good" in shown
    assert "15 calls, 1,650 tokens, $0.15 of $5.00" in shown
    assert "CONTRACTS: 3 calls, 330 tokens, $0.03" in shown
    view = staffed("show", job, "--json").json
    assert view["spending"]["contracts"]["calls"] == 3
    assert (view["model"], view["tokens"]) == (["good"], 1650)
    table = staffed("agents", job).out.splitlines()
    assert table[0].split() == ["agent", "does", "model", "calls", "tokens", "cached", "cost", "end"]
    assert table[1].split() == ["discovery-1", "plan", "good", "2", "220", "0", "$0.02", "submitted"]
    assert table[11].split() == ["all", "15", "1,650", "0", "$0.15"]
    told = staffed("agents", job, "--json").json
    assert (len(told["agents"]), told["running"], told["total"]["calls"]) == (10, None, 15)
    metrics = staffed("metrics", job)
    assert "model calls                 15  by 10 agents" in metrics.out
    assert staffed("metrics", job, "--json").json["cost_usd"] == 0.15
    exported = staffed("export", job).out
    assert "## MODELS" in exported
    assert "- CONTRACTS: 3 calls, 330 tokens, $0.03. Made by model:good." in exported
    assert "contracts-1 submitted: 2 calls, 220 tokens, $0.02  by model:good" in staffed("ledger", job).out
    assert "Made by model:good." in staffed("artifacts", job, "contracts").out


def test_unknown_prices_and_models_that_stood_in_are_said(staffed: Commands, plan: Plan) -> None:
    job, _ = plan("broken,unpriced", *GUESS, "--review-model", "none")
    assert "10 calls, 1,100 tokens; 10 calls at an unknown price" in staffed("show", job).out
    assert "models      broken, then unpriced; options: none; reviews: none" in staffed("show", job).out
    row = staffed("agents", job).out.splitlines()[1]
    assert "unpriced instead of broken" in row
    assert "unknown" in row
    said = staffed("agents", job, "discovery-1").out
    assert "broken could not go on (2 times): there is no key for broken; set BROKEN_API_KEY" in said
    assert "cost                   unknown  no price is known" in staffed("metrics", job).out


def test_a_conversation_is_printed_tame_and_cut_unless_all_is_wanted(staffed: Commands, plan: Plan) -> None:
    job, _ = plan("hostile", *GUESS, "--review-model", "none")
    ran = staffed("agents", job, "disc")
    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out
    assert "<U+001B>[2J" in ran.out
    assert "[bold]x[/bold]" in ran.out
    assert "[3] assistant" in ran.out
    assert "more characters; --full shows all" in ran.out
    assert "[4] answer of look" in ran.out
    assert "… 88 more lines; --full shows all" in ran.out
    assert "line 99" not in ran.out
    full = staffed("agents", job, "discovery-1", "--full").out
    assert "\n  line 99\n" in full
    assert "\x1b" not in full
    found = staffed("agents", job, "discovery-1", "--json").json
    assert [m["role"] for m in found["messages"]] == [
        *("system", "user", "assistant", "tool", "assistant", "tool")
    ]
    assert found["agent"]["id"] == "discovery-1"
    assert [event["kind"] for event in found["trace"]].count("llm_call") == 2


async def test_a_conversation_outlives_the_workflow_that_led_it(
    staffed: Commands, plan: Plan, temporal_server: TemporalServer
) -> None:
    job, _ = await asyncio.to_thread(plan, "good", *GUESS)
    client = await temporal_server.client()
    await forget(client, f"{job}.discovery-1")
    found = (await asyncio.to_thread(staffed, "agents", job, "discovery-1", "--json")).json
    assert found["trace"] == []
    assert [m["role"] for m in found["messages"]] == ["system", "user", "assistant", "tool", "assistant"]


def test_an_agent_that_is_not_there_is_named_with_those_that_are(staffed: Commands, plan: Plan) -> None:
    job, _ = plan("good", *GUESS)
    ran = staffed("agents", job, "nobody")
    assert ran.code == 2
    assert "there is no agent 'nobody'" in ran.sentence
    assert "discovery-1, review-discovery-1" in ran.sentence
    assert "several agents begin with 'review-'" in staffed("agents", job, "review-").sentence


def test_a_job_without_models_says_so_and_shows_no_costs(phasegate: Commands, repository: Path) -> None:
    words = ("--repo", str(repository), "--id", "model-less", "--question-handling", "best_guess")
    planned = phasegate("plan", "Sessions expire after 30 minutes.", *words)
    assert planned.code == 3, planned
    assert phasegate("agents", "model-less").out == "no model was asked in this job\n"
    assert "has no agents" in phasegate("agents", "model-less", "x").sentence
    assert "models  " not in phasegate("show", "model-less").out
    assert "model calls" not in phasegate("metrics", "model-less").out


def test_say_prints_the_reply_of_the_model(staffed: Commands, plan: Plan) -> None:
    job, ran = plan("good", *NO_GATES)
    assert ran.code == 3
    said = staffed("say", job, "what is the second one?")
    assert said.code == 0
    assert "model:good: it means that" in said.out
    reply = staffed("say", job, "and the first?", "--json").json["reply"]
    assert reply == {"to": 2, "text": "it means that", "by": "model:good"}
    shown = staffed("show", job).out
    assert "said        what is the second one?" in shown
    assert "reply       model:good: it means that" in shown


def test_say_does_not_wait_longer_than_it_was_told(staffed: Commands, plan: Plan) -> None:
    job, _ = plan("slow", *NO_GATES)
    started = time.monotonic()
    said = staffed("say", job, "what is the second one?", "--wait", "0.2", "--json")
    assert time.monotonic() - started < 5
    assert said.json["reply"] is None
    assert said.code == 0


def test_say_without_a_model_waits_for_nothing(staffed: Commands, plan: Plan) -> None:
    job, _ = plan("good", *NO_GATES, "--phase-model", "clarification=none")
    said = staffed("say", job, "sessions are old", "--json").json
    assert (said["note"], said["reply"]) == ("kept", None)


def test_a_reply_of_a_model_cannot_steer_the_terminal(staffed: Commands, plan: Plan) -> None:
    job, _ = plan("hostile", *NO_GATES)
    said = staffed("say", job, "and?")
    assert "\x1b" not in said.out
    assert "<U+001B>" in said.out
    assert "\x1b" not in staffed("show", job).out


def test_at_the_limit_a_program_is_told_the_exact_command(staffed: Commands, plan: Plan) -> None:
    job, ran = plan("good", *GUESS, "--max-budget-usd", "0.035")
    assert ran.code == 5
    assert f"phasegate budget {job} --usd 0.08" in ran.out
    assert f"temporal workflow signal --workflow-id {job} --name set_budget" in ran.out
    assert "4 calls, 440 tokens, $0.04 of $0.0350" in ran.out
    assert staffed("budget", job, "--usd", "1").code == 0
    lines = [json.loads(line) for line in staffed("watch", job, "--json").out.splitlines()]
    ended = [line["what"] for line in lines if line.get("kind") == "agent"]
    assert "review-validation-1 submitted: 1 call, 110 tokens, $0.01" in ended


def test_models_are_shown_and_changed(staffed: Commands, plan: Plan) -> None:
    job, ran = plan("broken", *GUESS, "--review-model", "none")
    assert ran.code == 3
    assert f"phasegate models {job} --model provider/model" in ran.out
    shown = staffed("models", job)
    assert shown.out.splitlines()[0].split() == ["DISCOVERY", "broken;", "reviews:", "none"]
    for wrong, why in (
        (("--phase-model", "coffee=good"), "unknown phase 'coffee'"),
        (("--phase-model", "contracts"), "write PHASE=NAME, such as contracts=openai/gpt-5"),
        (("--model", "a model"), "is no model name; write it as litellm does"),
    ):
        ran = staffed("models", job, *wrong)
        assert (ran.code, why in ran.sentence) == (2, True), ran
    words = ("--model", "good", "--phase-model", "contracts=none", "--review-model", "good")
    told = staffed("models", job, *words)
    assert told.code == 0
    assert "models are good; options: none; reviews: good; CONTRACTS: none; goes on" in told.out
    staffed("watch", job, "--json")
    assert "discovery-1 submitted: 2 calls, 220 tokens, $0.02  by model:good" in staffed("ledger", job).out
    found = staffed("models", job, "--json").json
    assert (found["model"], found["models"]["review"]) == (["good"], ["good"])
    assert found["models"]["contracts"] == ["none"]
    assert found["in_force"]["plan"] == {
        phase: [] if phase == "contracts" else ["good"] for phase in found["in_force"]["plan"]
    }


def _words(job: str, repository: Path, model: str, *more: str) -> tuple[str, ...]:
    return ("plan", "do it", "--repo", str(repository), "--id", job, "--model", model, *more)


def test_on_a_terminal_a_budget_is_raised_by_typing_an_amount_only(
    staffed: Commands, staffed_town: dict[str, str], repository: Path
) -> None:
    words = _words("raised", repository, "good", *GUESS, "--max-budget-usd", "0.035")
    with Terminal(*words, env=staffed_town) as screen:
        screen.shows("used so far: 4 calls, 440 tokens, $0.04 of $0.0350", "Enter leaves it waiting > ")
        for wrong in ("yes", "0.01", "2,50", "nan"):
            screen.type(wrong)
            screen.shows("nothing was raised; type more than the $0.04", "Enter leaves it waiting > ")
        screen.type("$2.50")
        screen.shows("budget set, goes on", "The plan is verified")
        assert screen.code() == 0
    assert staffed("show", "raised", "--json").json["budget_usd"] == 2.5


def test_a_budget_that_another_person_raises_leaves_the_screen(
    staffed: Commands, staffed_town: dict[str, str], repository: Path
) -> None:
    words = _words("raised-beside", repository, "good", *GUESS, "--max-budget-usd", "0.035")
    with Terminal(*words, env=staffed_town) as screen:
        screen.shows("Enter leaves it waiting > ")
        screen.press("9")
        assert staffed("budget", "raised-beside", "--usd", "3", "--by", "bob").code == 0
        screen.shows("budget: set_budget: ", "(bob)", "The plan is verified")
        assert screen.code() == 0
    assert staffed("show", "raised-beside", "--json").json["budget_usd"] == 3


def test_enter_leaves_a_job_at_its_limit(
    staffed: Commands, staffed_town: dict[str, str], repository: Path
) -> None:
    words = _words("left-at-limit", repository, "good", *GUESS, "--max-tokens", "300")
    with Terminal(*words, env=staffed_town, columns=40) as screen:
        screen.shows("in tokens;", "Enter leaves it waiting > ")
        screen.type("")
        screen.shows("nothing was raised", "phasegate budget left-at-limit --tokens")
        assert screen.code() == 5
    assert staffed("show", "left-at-limit", "--json").json["awaiting"] == "budget"


def test_on_a_terminal_a_model_replies_asks_further_and_is_seen_at_work(
    staffed_town: dict[str, str], repository: Path
) -> None:
    words = _words("talked", repository, "asking", *NO_GATES, "--phase-model", "contracts=slow")
    with Terminal(*words, env=staffed_town) as screen:
        screen.shows("Question 1 of 1  q1", "\n> ")
        screen.type("/say what is the second one?")
        screen.shows("kept", "model:asking: it means that", "\n> ")
        screen.type("1")
        screen.shows("q1 answered", "Question 1 of 1  follow-up-1-1", "And which of the two caches?", "\n> ")
        screen.type("the large one")
        screen.shows("follow-up-1-1 answered", "contracts-1, call 2: asks slow (so far 1 call, 110 tokens")
        screen.shows("The plan is verified")
        assert screen.code() == 0
        assert screen.text.count("it means that") == 1


def test_watch_shows_on_a_terminal_what_an_agent_does(
    staffed: Commands, staffed_town: dict[str, str], plan: Plan
) -> None:
    job, _ = plan("slow", *GUESS, "--detach")
    with Terminal("watch", job, env=staffed_town) as screen:
        screen.shows("-1, call 2: asks slow (so far 1 call, 110 tokens, $0.01)")
        running: dict[str, Any] = staffed("agents", job, "--json").json["running"]
        assert running["agent"].endswith("-1")
        assert running["doing"] == "asks slow"
        screen.press("\x03")
        assert screen.code() == 130
    staffed("cancel", job, "--yes")


def test_an_agent_that_goes_on_after_a_pause_is_one_line_with_all_that_it_did(
    staffed: Commands, plan: Plan
) -> None:
    job, _ = plan("slow", *GUESS, "--review-model", "none", "--detach")
    _until(lambda: staffed("agents", job, "--json").json["running"])
    staffed("pause", job)
    _until(lambda: not staffed("agents", job, "--json").json["running"])
    [stopped] = staffed("agents", job, "--json").json["agents"]
    assert (stopped["end"], stopped["usage"]["calls"]) == ("stopped", 1)
    assert staffed("resume", job).code == 0
    _until(lambda: staffed("agents", job, "--json").json["agents"][0]["end"] == "submitted")
    whole = staffed("agents", job, "discovery-1", "--json").json
    assert (whole["agent"]["runs"], whole["agent"]["usage"]["calls"]) == (2, 2)
    assert [event["kind"] for event in whole["trace"]] == ["llm_call", "tool_execution"] * 2
    assert len(whole["messages"]) == 6
    assert "discovery-1, plan of DISCOVERY, put to work 2 times" in staffed("agents", job, "discovery-1").out
    staffed("cancel", job, "--yes")


def _until(holds: Callable[[], object]) -> None:
    """Look again until something holds, 30 seconds at most."""
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end, "waited 30 s in vain"
        time.sleep(0.1)
