"""What people see of a question that comes while other steps go on: at a terminal, and without one."""

import asyncio
import threading
import time
from pathlib import Path

import pytest

from tests.e2e.acted import Acted
from tests.e2e.acting_stage import acting_stage
from tests.e2e.asked_stage import AT_ONCE, asking, sleeper, statuses, steps
from tests.e2e.executions import repository
from tests.phasegate.commands.terminal import Terminal

FILES = {"app.py": "x = 1\n"}


def answered(job: str, act: Acted) -> tuple[str, str]:
    """Act on a terminal and allow what is asked; gives what was on the screen before and after that."""
    with Terminal("act", job, env=act.variables) as screen:
        before = screen.shows("the exact command:", "leave; the job waits", "> ")
        screen.type("1")
        after = screen.shows("The plan was carried out")
        assert screen.code() == 0
    return before, after


async def test_a_terminal_asks_at_once_and_goes_on_telling(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "project", FILES)
    async with acting_stage(address, tmp_path, project, sleeper(8), asking("asks")) as stage:
        job = await stage.act(act=False)
        await stage.until(job, lambda v: v.selected)
        on_screen = asyncio.create_task(asyncio.to_thread(answered, job, Acted(stage)))
        await stage.until(job, lambda v: v.gate)
        assert (await statuses(stage, job))["long"] == "in_progress"
        now = await steps(stage, job, asks="completed")
        assert now["long"] == "in_progress", "the answer was given and taken while the other step ran"
        before, after = await on_screen
    assert "✓ long" not in before
    assert after.index("✓ asks") < after.index("✓ long")


async def test_without_a_terminal_act_leaves_and_watch_stays(address: str, tmp_path: Path) -> None:
    project = repository(tmp_path / "project", FILES)
    async with acting_stage(address, tmp_path, project, sleeper(15), asking("asks")) as stage:
        phasegate = Acted(stage)
        job = await stage.act(act=False)
        await stage.until(job, lambda v: v.selected)
        ran = await phasegate("act", job)
        assert ran.code == 3, ran
        gate = await stage.gate(job, "operator-1")
        assert (await statuses(stage, job)) == {"long": "in_progress", "asks": "waiting"}
        assert "meanwhile other steps go on" in ran.out
        assert f"phasegate approve {job} --gate {gate.id} --digest {gate.digest[:12]}" in ran.out
        shown = await phasegate("show", job, "--json")
        assert shown.json["awaiting"] == "operator"
        assert [step["step"] for step in shown.json["running_steps"]] == ["long"]
        watching = asyncio.create_task(phasegate.lines("watch", job))
        allowed = await phasegate("approve", job, "--gate", gate.id, "--digest", gate.digest)
        assert allowed.code == 0, allowed
        began = time.monotonic()
        await steps(stage, job, asks="completed", long="in_progress")
        assert time.monotonic() - began < AT_ONCE
        code, events = await watching
    assert code == 0
    ended = [event["id"] for event in events if event["type"] == "step_ended"]
    assert ended == ["asks", "long"]


def overtaken(command: str, job: str, act: Acted, asked: threading.Event) -> str:
    """Begin to refuse on a terminal what another person allows; gives what was on the screen after that."""
    with Terminal(command, job, env=act.variables) as screen:
        screen.shows("the exact command:", "leave; the job waits", "> ")
        screen.type("2")
        screen.shows("why not?")
        screen.press("because")
        asked.set()
        after = screen.shows("gate operator-1 is closed: allowed by bob", "✓ asks")
        assert screen.code() == 0
    return after


@pytest.mark.parametrize("command", ["act", "watch"])
async def test_a_gate_that_another_person_answers_leaves_the_screen(
    address: str, tmp_path: Path, command: str
) -> None:
    project = repository(tmp_path / "project", FILES)
    async with acting_stage(address, tmp_path, project, asking("asks")) as stage:
        phasegate = Acted(stage)
        job = await stage.act(act=command == "watch")
        await stage.until(job, lambda v: v.selected)
        asked = threading.Event()
        on_screen = asyncio.create_task(asyncio.to_thread(overtaken, command, job, phasegate, asked))
        gate = await stage.gate(job, "operator-1")
        assert await asyncio.to_thread(asked.wait, 60)
        bound = ("--gate", gate.id, "--digest", gate.digest)
        allowed = await phasegate("approve", job, *bound, "--by", "bob")
        assert allowed.code == 0, allowed
        await on_screen
        assert (await statuses(stage, job))["asks"] == "completed"
