"""What every gate on a terminal has in common: numbered choices until something is decided."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from rich.text import Text

from phasegate.actions.overtaking import how_gate, overtaken_unless, tell_settled
from phasegate.client import JobClient
from phasegate.problems import Problem, RefusedByJob
from phasegate.screen.asking import Overtaken, ask
from phasegate.screen.tame import tame_line
from phasegate.session import Session
from states.record import Gate
from states.view import JobView
from states.words import Awaiting, Message


class OpenGate(ABC):
    """One open gate and the person who decides. Enter alone decides nothing, nor does what is no choice."""

    awaits: ClassVar[Awaiting]
    """what a job waits for while such a gate is open"""

    def __init__(self, session: Session, client: JobClient, view: JobView, by: str) -> None:
        assert view.gate is not None, "the job waits for somebody to decide, so its gate is open"
        self._session = session
        self._client = client
        self._view = view
        self._gate: Gate = view.gate
        self._by = by

    @abstractmethod
    async def _choose(self, words: str) -> bool | None:
        """Act on what was typed. True: decided; False: the person leaves; None: nothing is decided yet."""

    async def _decided(self, choices: Sequence[str]) -> bool:
        """Offer the choices until something was decided, here or elsewhere; False when the person leaves."""
        try:
            with overtaken_unless(self._client, self._view.job, self._open_in):
                return await self._chosen(choices)
        except Overtaken:
            record = await self._client.record(self._view.job)
            await tell_settled(self._session, how_gate(record, self._gate))
            return True

    async def _chosen(self, choices: Sequence[str]) -> bool:
        while True:
            for number, choice in enumerate(choices, 1):
                self._session.say(Text.assemble((f"  {number}  ", "bold"), choice))
            try:
                done = await self._choose(ask("> "))
            except RefusedByJob as refused:
                self._session.say(Text(f"refused: {tame_line(refused)}", "red"))
                done = None if await self._still_open() else True
            except Problem as problem:
                self._session.say(Text(tame_line(problem), "red"))
                done = None
            if done is not None:
                return done

    async def _send(self, message: Message, payload: dict[str, Any]) -> None:
        """Send a decision, bound to what was shown."""
        bound = {"gate": self._gate.id, "digest": self._gate.digest, "by": self._by}
        ack = await self._client.send(self._view.job, message, {**payload, **bound})
        self._session.say(Text(tame_line(ack.note), "green"))

    async def _approved(self, payload: dict[str, Any]) -> bool:
        """Approve; False when the gate needs more people."""
        await self._send(Message.APPROVE, payload)
        if await self._still_open():
            self._session.say("the gate needs more people; the job waits for them")
            return False
        return True

    def _nothing(self, why: str) -> None:
        self._session.say(Text(f"nothing was decided{why and f'; {why}'}", "dim"))

    async def _still_open(self) -> bool:
        """Whether this very gate still waits."""
        return self._open_in(await self._client.view(self._view.job))

    def _open_in(self, view: JobView) -> bool:
        gate = view.gate
        same = gate is not None and (gate.id, gate.digest) == (self._gate.id, self._gate.digest)
        return same and view.awaiting is self.awaits
