"""What the steps of the demo share: the job, what was seen so far, and claims that must hold."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phasegate.client import JobClient
from phasegate.demo.stage import DemoFailed, Stage
from phasegate.demo.telling import Telling
from phasegate.problems import NoServer, NoWorker
from states.act_commands import NextCommand, command
from states.artifacts.base import Artifact
from states.record import Gate
from states.view import JobView
from states.words import Message, Phase

JOB = "demo"
_PATIENCE = 60.0
_LOOK_SECONDS = 0.05


@dataclass
class Story:
    """One run of the demo."""

    stage: Stage
    tell: Telling
    by: str
    output: Path
    started: float = field(default_factory=time.monotonic)
    claims: int = 0
    workers: list[int] = field(default_factory=list)
    refused: str = ""
    """digest of the contracts that were refused"""
    approved: str = ""
    """digest of the contracts that were approved while no worker ran"""
    kept: dict[Phase, str] = field(default_factory=dict)
    """digests that must not change any more"""
    ledger: int = 0
    _client: JobClient | None = None

    @property
    def client(self) -> JobClient:
        """The connection; there from the first step on."""
        assert self._client is not None
        return self._client

    @client.setter
    def client(self, client: JobClient) -> None:
        self._client = client

    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self.started

    def claim(self, holds: bool, otherwise: str) -> None:
        """Something that the demo says. Raises DemoFailed with what is true instead."""
        if not holds:
            raise DemoFailed(otherwise)
        self.claims += 1

    async def until(self, holds: Callable[[JobView], bool], what: str) -> JobView:
        """Wait for something to hold for the job. Raises DemoFailed when it stands still before."""
        deadline, seen = time.monotonic() + _PATIENCE, "nobody answered for it"
        while time.monotonic() < deadline:
            try:
                view = await self.client.live_view(JOB)
            except (NoWorker, NoServer) as nobody:
                # a new worker may need a moment
                seen = str(nobody)
            else:
                if holds(view):
                    return view
                seen = f"the job is in {view.state}, awaiting {view.awaiting}"
                if view.hold:
                    raise DemoFailed(f"the job stands still instead of {what}: {view.hold.reason}")
            await asyncio.sleep(_LOOK_SECONDS)
        raise DemoFailed(f"waited {_PATIENCE:.0f} s in vain for {what}; {seen}")

    async def gate(self, gate_id: str) -> Gate:
        """Wait for a gate to open."""
        view = await self.until(
            lambda view: view.gate is not None and view.gate.id == gate_id, f"gate {gate_id}"
        )
        assert view.gate is not None
        return view.gate

    async def artifact(self, phase: Phase, version: int = 0) -> Artifact:
        """What a phase handed over."""
        return (await self.client.artifact(JOB, phase, version))[1].artifact()

    async def digests(self) -> dict[Phase, str]:
        """The artifacts that the job stands on now."""
        record = await self.client.record(JOB)
        return {phase: ref.digest for phase in Phase if (ref := record.current(phase))}

    async def send(self, words: str, message: Message, payload: dict[str, Any]) -> str:
        """Show what a person would type, and do it; gives what the job said."""
        self.tell.type(self.typed(words, message, payload))
        ack = await self.client.send(JOB, message, {**payload, "by": self.by})
        return ack.note

    async def approve(self, gate: Gate, option: str = "") -> None:
        """Approve exactly what was shown. Raises DemoFailed when the job did not take it so."""
        note = await self.send(*self.approval(gate, option))
        wanted = f"{gate.id} approved" + (f", option {option} selected" if option else "")
        self.claim(note == wanted, f"{gate.id} was approved, and the job says {note!r}")

    def approval(self, gate: Gate, option: str = "") -> tuple[str, Message, dict[str, Any]]:
        """Words, message and payload of an approval that names what was read, and an option to carry out."""
        digest = gate.digest[:12]
        words = f"approve {JOB} --gate {gate.id} --digest {digest}" + (
            f" --option {option}" if option else ""
        )
        payload = {"gate": gate.id, "digest": digest}
        return words, Message.APPROVE, {**payload, "option": option} if option else payload

    def typed(self, words: str, message: Message, payload: dict[str, Any]) -> NextCommand:
        """Both forms of a command; the plain one has to say who acts."""
        return command(JOB, message.value, words, message, {**payload, "by": self.by})
