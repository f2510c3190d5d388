"""Who looks on while a person is asked: trouble of the server or a worker ends nothing and prints nothing."""

import threading
from typing import Any, cast

import pytest

import phasegate.actions.overtaking as overtaking
from phasegate.client import JobClient
from phasegate.history import Length
from phasegate.problems import NoServer, NoWorker
from phasegate.screen.asking import Overtaken, ask
from states.view import JobView


class Troubled:
    """Of a job that has gone on and cannot be asked at first."""

    temporal: Any = None

    def __init__(self) -> None:
        self.answers: list[Exception | str] = [NoServer("gone"), NoWorker("gone"), "settled"]

    async def live_view(self, job: str) -> JobView:
        """Trouble, and then what `still` is asked about."""
        match self.answers.pop(0):
            case Exception() as trouble:
                raise trouble
            case _:
                return cast(JobView, job)


def test_trouble_is_no_end_of_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    async def length_of(*_: object) -> Length:
        return Length("run", 7, closed=False)

    def wait_for_ever(_: str) -> str:
        threading.Event().wait(10)
        return ""

    monkeypatch.setattr(overtaking, "length_of", length_of)
    monkeypatch.setattr(overtaking, "_LOOK_SECONDS", 0.01)
    monkeypatch.setattr("builtins.input", wait_for_ever)
    monkeypatch.setattr("phasegate.screen.asking._forget_typed", lambda: None)
    client = Troubled()
    with (
        pytest.raises(Overtaken),
        overtaking.overtaken_unless(cast(JobClient, client), "job", lambda _: False),
    ):
        ask("> ")
    assert not client.answers
