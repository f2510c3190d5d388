"""An operator gate on a terminal: the exact command, why it is asked, and numbered choices."""

from rich.text import Text

from phasegate.client import JobClient
from phasegate.problems import Problem, RefusedByJob
from phasegate.screen.acting import operator_lines
from phasegate.screen.asking import ask, ask_lines
from phasegate.screen.tame import tame_line
from phasegate.session import Session
from states.record import Gate
from states.view import JobView
from states.words import Awaiting, Message

_ALLOW = ("allow exactly this command", "refuse; the step fails", "leave; the job waits")
_BY_HAND = ("it is done", *_ALLOW[1:])


class OperatorTalk:
    """One waiting step and the person who decides."""

    def __init__(self, session: Session, client: JobClient, view: JobView, by: str) -> None:
        assert view.gate is not None, "the job waits for an operator, so its gate is open"
        self._session = session
        self._client = client
        self._view = view
        self._gate: Gate = view.gate
        self._by = by

    async def run(self) -> bool:
        """Until something was decided; False when the person leaves."""
        self._session.say(Text(), *operator_lines(self._gate))
        while True:
            for number, choice in enumerate(_BY_HAND if self._gate.by_hand else _ALLOW, 1):
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

    async def _choose(self, words: str) -> bool | None:
        """None: nothing is decided yet."""
        match words:
            case "1":
                await self._send(Message.APPROVE, {})
                if await self._still_open():
                    self._session.say("the gate needs more people; the job waits for them")
                    return False
                return True
            case "2":
                feedback = ask_lines("why not? End with an empty line.\n  ")
                if not feedback.strip():
                    self._session.say(Text("nothing was decided: there is no reason", "dim"))
                    return None
                await self._send(Message.REVISE, {"feedback": feedback})
                return True
            case "3":
                return False
            case _:
                self._session.say(Text("nothing was decided; type the number of a choice", "dim"))
        return None

    async def _send(self, message: Message, payload: dict[str, str]) -> None:
        bound = {"gate": self._gate.id, "digest": self._gate.digest, "by": self._by}
        ack = await self._client.send(self._view.job, message, {**payload, **bound})
        self._session.say(Text(tame_line(ack.note), "green"))

    async def _still_open(self) -> bool:
        """Whether this very gate still waits."""
        view = await self._client.view(self._view.job)
        gate = view.gate
        same = gate is not None and (gate.id, gate.digest) == (self._gate.id, self._gate.digest)
        return same and view.awaiting is Awaiting.OPERATOR
