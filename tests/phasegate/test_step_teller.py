"""Steps are told once, also when their worker was gone in between."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from phasegate.actions import stepping
from phasegate.actions.stepping import StepTeller
from phasegate.client import JobClient
from phasegate.executions import ExecutionView
from states.act import ActNote
from states.view import JobView
from tests.phasegate.screen.test_acting_screen import an_execution


async def test_steps_are_told_once_although_nobody_answered_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stepping, "LOOK_SECONDS", 0.01)
    known = an_execution().act.model_copy(update={"running": True})
    pending = [line.model_copy(update={"status": "pending"}) for line in known.last.steps]
    rested = known.model_copy(update={"last": known.last.model_copy(update={"steps": tuple(pending)})})
    looks = [ExecutionView(act=known, answered=True), ExecutionView(act=rested)] * 2
    seen_all, told = asyncio.Event(), list[dict[str, Any]]()

    async def view(_: ActNote) -> ExecutionView:
        if len(looks) == 1:
            seen_all.set()
        return looks.pop(0) if len(looks) > 1 else looks[0]

    async def output(*_: object) -> str:
        return ""

    client = SimpleNamespace(executions=SimpleNamespace(view=view, output=output))
    moving = SimpleNamespace(possible=False, width=80, steps=lambda _: None)
    teller = StepTeller(cast(JobClient, client), cast(Any, moving), write=told.append)
    await teller.update(cast(JobView, SimpleNamespace(act=known)))
    async with teller.looking():
        await asyncio.wait_for(seen_all.wait(), 5)
    begun = [event["id"] for event in told if event["type"] == "step_started"]
    assert begun
    assert len(begun) == len(set(begun))
