"""The scripted server itself: choosing answers, faults, files, the command line."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from tests.model_server.script import Answer, FaultKind, Script, fault, rate_limited
from tests.model_server.server import ModelServer


def post(
    address: str, *messages: tuple[str, str], tools: tuple[str, ...] = (), timeout: float = 10
) -> tuple[int, Any]:
    """Ask the chat completions API with the standard library alone."""
    body = {
        "model": "m",
        "messages": [{"role": role, "content": text} for role, text in messages],
        "tools": [{"type": "function", "function": {"name": name}} for name in tools],
    }
    request = urllib.request.Request(
        f"{address}/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=timeout) as reply:
            return reply.status, json.load(reply)["choices"][0]["message"]
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)["error"]["message"]


def whole_job() -> Script:
    script = Script()
    script.when(system="DISCOVERY", tool="submit").call("read_file", {"filename": "a"}).call(
        "submit", {"n": 1}
    )
    script.when(system="CONTRACTS", tool="submit").after(rate_limited(0)).call("submit", {"n": 2})
    script.when(tool="review").call("review", {"verdict": "approve"})
    return script


def names(message: Any) -> list[str]:
    return [call["function"]["name"] for call in message["tool_calls"]]


def test_a_conversation_gets_its_answers_in_order_however_often_it_asks() -> None:
    opening = [("system", "DISCOVERY"), ("user", "go")]
    with ModelServer(whole_job()) as server:
        for _ in range(2):
            assert names(post(server.address, *opening, tools=("submit",))[1]) == ["read_file"]
        later = [*opening, ("assistant", "reading"), ("user", "text")]
        for _ in range(2):
            assert names(post(server.address, *later, tools=("submit",))[1]) == ["submit"]
        assert names(post(server.address, ("system", "DISCOVERY, as a reviewer"), tools=("review",))[1]) == [
            "review"
        ]
        assert len(server.asked_twice()) == 2
        assert len(server.answered()) == 5


def test_a_rule_that_fits_late_begins_with_its_first_answer() -> None:
    script = Script()
    script.when(last="did not validate").say("repair 1").say("repair 2")
    script.when().say("first").say("second")
    talk = [("user", "go")]
    heard = []
    with ModelServer(script) as server:
        for reply in ("did not validate", "did not validate", "fine", "did not validate"):
            heard.append(post(server.address, *talk)[1]["content"])
            talk += [("assistant", heard[-1]), ("user", reply)]
    assert heard == ["first", "repair 1", "repair 2", "second"]


def test_faults_are_given_once_each_and_then_the_answer() -> None:
    script = Script()
    script.when(contains="go").fail(fault(FaultKind.SERVER_ERROR, times=2))
    script.when().after(rate_limited(0)).say("done")
    with ModelServer(script) as server:
        assert [post(server.address, ("user", "go"))[0] for _ in range(5)] == [500, 500, 429, 200, 200]
        assert [r.fault for r in server.requests] == ["server_error", "server_error", "rate_limited", "", ""]


def test_no_rule_says_what_was_asked() -> None:
    with ModelServer(whole_job()) as server:
        status, message = post(server.address, ("system", "VALIDATION"), tools=("submit",))
        assert (status, len(server.unmatched())) == (400, 1)
    assert "no rule of the script is for this request: tools submit" in message
    assert "VALIDATION" in message


async def test_a_client_that_goes_away_was_not_answered() -> None:
    script = Script()
    script.when(last="slow").answer(Answer(text="late", delay=30))
    script.when().say("hi")
    with ModelServer(script) as server:
        ask = f"from tests.test_model_server import post; post({server.address!r}, ('user', 'slow'))"
        mortal = await asyncio.create_subprocess_exec(sys.executable, "-c", ask)
        while not server.requests:
            await asyncio.sleep(0.02)
        mortal.send_signal(signal.SIGKILL)
        await mortal.wait()
        assert post(server.address, ("user", "quick"))[0] == 200
        assert [r.answered for r in server.requests] == [False, True]


def test_a_script_survives_its_file(tmp_path: Path) -> None:
    script = whole_job()
    script.delay = 0.5
    assert Script.load(script.save(tmp_path / "job.json")) == script
    assert "waiting" not in (tmp_path / "job.json").read_text()


def test_the_command_line_serves_a_file(tmp_path: Path) -> None:
    path = whole_job().save(tmp_path / "job.json")
    command = [sys.executable, "-m", "tests.model_server", str(path), "--delay", "0.3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ}) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert process.stdout.readline() == "export OPENAI_API_KEY=test-key-of-openai\n"
        assert names(post(address, ("system", "x"), tools=("review",))[1]) == ["review"]
        with urllib.request.urlopen(f"{address}/requests") as listed:
            (recorded,) = json.load(listed)
        assert recorded["answered"]
        assert recorded["until"] - recorded["at"] >= 0.3
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
