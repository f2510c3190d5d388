"""An operator gate on a terminal: the exact command, why it is asked, and numbered choices."""

from typing import ClassVar

from rich.text import Text

from phasegate.actions.open_gate import OpenGate
from phasegate.screen.acting import operator_lines
from phasegate.screen.asking import ask_lines
from states.words import Awaiting, Message

_ALLOW = ("allow exactly this command", "refuse; the step fails", "leave; the job waits")
_BY_HAND = ("it is done", *_ALLOW[1:])


class OperatorTalk(OpenGate):
    """One waiting step and the person who decides."""

    awaits: ClassVar[Awaiting] = Awaiting.OPERATOR

    async def run(self) -> bool:
        """Until something was decided; False when the person leaves."""
        self._session.say(Text(), *operator_lines(self._gate))
        return await self._decided(_BY_HAND if self._gate.by_hand else _ALLOW)

    async def _choose(self, words: str) -> bool | None:
        match words:
            case "1":
                return await self._approved({})
            case "2":
                feedback = ask_lines("why not? End with an empty line.\n  ")
                if not feedback.strip():
                    self._nothing("there is no reason")
                    return None
                await self._send(Message.REVISE, {"feedback": feedback})
                return True
            case "3":
                return False
            case _:
                self._nothing("type the number of a choice")
        return None
