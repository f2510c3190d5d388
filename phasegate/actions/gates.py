"""A gate on a terminal: the artifact, what changed since it was refused, and numbered choices."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text

from phasegate.actions.editing import edit_in_editor
from phasegate.actions.open_gate import OpenGate
from phasegate.screen.artifact import artifact_panel, changes, diff_text, readable
from phasegate.screen.asking import ask, ask_lines
from phasegate.screen.job import current, gate_lines
from phasegate.screen.markdown import as_markdown
from phasegate.screen.options import fact_lines
from phasegate.screen.tame import tame_line
from states.artifacts.kinds import StoredArtifact
from states.option_checks import options_of, stand_alone
from states.words import Awaiting, Message, Phase, ReviewKind, Trigger

_CHOICES = ("approve", "ask for changes", "edit", "show in full", "leave; the job waits")
_PLAN_CHOICES = (*_CHOICES[:3], "show in full, with the plan", _CHOICES[4])
_OWN_CHOICES = (*_CHOICES[:3], "show in full, with the planner's own plan", _CHOICES[4])
_KINDS = {
    ReviewKind.TECHNICAL: "technical: how it is done",
    ReviewKind.REQUIREMENT: "requirement: what is asked for",
    ReviewKind.CONTRACT: "contract: the interfaces",
}


class GateTalk(OpenGate):
    """An artifact under review and the person who decides."""

    awaits: ClassVar[Awaiting] = Awaiting.HUMAN_REVIEW

    async def run(self) -> bool:
        """Until something was decided; False when the person leaves."""
        self._stored: StoredArtifact = await self._client.store.get_artifact(self._gate.digest)
        await self._show(self._stored)
        return await self._decided(self._choices())

    def _choices(self) -> Sequence[str]:
        if self._gate.phase is not Phase.VALIDATION:
            return _CHOICES
        return _OWN_CHOICES if self._stand_alone() else _PLAN_CHOICES

    def _stand_alone(self) -> bool:
        return stand_alone(options_of(self._stored.artifact()))

    async def _choose(self, words: str) -> bool | None:
        match words:
            case "1":
                return await self._approve()
            case "2":
                return await self._revise()
            case "3":
                return await self._edit(self._stored)
            case "4":
                await self._show_in_full(self._stored)
            case "5":
                return False
            case _:
                self._nothing("type the number of a choice")
        return None

    async def _show(self, stored: StoredArtifact) -> None:
        gate = self._gate
        self._session.say(Text(), artifact_panel(stored, gate))
        if gate.against:
            refused = await self._client.store.get_artifact(gate.against)
            lines = changes(readable(refused), readable(stored), "refused", "now")
            self._session.say(Text("changed since it was refused", "bold"), diff_text(lines))
        self._session.say(*gate_lines(gate))

    async def _show_in_full(self, stored: StoredArtifact) -> None:
        """At VALIDATION what is decided on is the plan, and no gate has shown it before.

        A plan that people wrote is in the artifact itself, and the planner's stands beside it: it comes last.
        """
        shown = [as_markdown(readable(stored, full=True))]
        plan = current(self._view, Phase.IMPLEMENTATION_PLAN)
        if self._gate.phase is Phase.VALIDATION and plan is not None:
            planned = as_markdown(readable(await self._client.store.get_artifact(plan.digest)))
            shown = [*shown, planned] if self._stand_alone() else [planned, *shown]
        for number, part in enumerate(shown):
            self._session.say(*([Text()] if number else []), part)

    async def _approve(self) -> bool | None:
        if len(self._view.options) <= 1:
            return await self._approved({})
        option = self._which_option()
        if option is None:
            return None
        return await self._approved({"option": option} if option else {})

    def _which_option(self) -> str | None:
        """The option to carry out; blank leaves that open, None decides nothing."""
        options = self._view.options
        self._session.say(*fact_lines(self._view))
        self._session.say(Text.assemble(("  0  ", "bold"), "none yet; `phasegate select` chooses later"))
        words = ask("which option? ").strip().casefold()
        if words == "0":
            return ""
        names = {str(each.rank): each.id for each in options} | {
            each.id.casefold(): each.id for each in options
        }
        if words not in names:
            self._nothing("type the number of an option")
        return names.get(words)

    async def _revise(self) -> bool | None:
        kinds = [kind for kind in ReviewKind if Trigger.revise(kind) in self._view.allowed]
        for number, kind in enumerate(kinds, 1):
            self._session.say(Text.assemble((f"  {number}  ", "bold"), _KINDS[kind]))
        words = ask("what is it about? ")
        if not (words.isdecimal() and 1 <= int(words) <= len(kinds)):
            self._nothing("")
            return None
        feedback = ask_lines("what should change? End with an empty line.\n  ")
        if not feedback.strip():
            self._nothing("there is no feedback")
            return None
        await self._send(Message.REVISE, {"feedback": feedback, "kind": kinds[int(words) - 1].value})
        return True

    async def _edit(self, stored: StoredArtifact) -> bool | None:
        ack = await edit_in_editor(self._session, self._client, self._view.job, self._gate, stored, self._by)
        if ack is None:
            return None
        self._session.say(Text(tame_line(ack.note), "green"))
        return True
