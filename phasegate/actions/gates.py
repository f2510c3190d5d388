"""A gate on a terminal: the artifact, what changed since it was refused, and numbered choices."""

from rich.text import Text

from phasegate.actions.editing import edit_in_editor
from phasegate.client import JobClient
from phasegate.problems import Problem, RefusedByJob
from phasegate.screen.artifact import artifact_panel, changes, diff_text, readable
from phasegate.screen.asking import ask, ask_lines
from phasegate.screen.job import current, gate_lines
from phasegate.screen.markdown import as_markdown
from phasegate.screen.options import fact_lines
from phasegate.screen.tame import tame_line
from phasegate.session import Session
from states.artifacts.kinds import StoredArtifact
from states.record import Gate
from states.view import JobView
from states.words import Awaiting, Message, Phase, ReviewKind, Trigger

_CHOICES = ("approve", "ask for changes", "edit", "show in full", "leave; the job waits")
_PLAN_CHOICES = (*_CHOICES[:3], "show in full, with the plan", _CHOICES[4])
_KINDS = {
    ReviewKind.TECHNICAL: "technical: how it is done",
    ReviewKind.REQUIREMENT: "requirement: what is asked for",
    ReviewKind.CONTRACT: "contract: the interfaces",
}


class GateTalk:
    """One open gate and the person who decides."""

    def __init__(self, session: Session, client: JobClient, view: JobView, by: str) -> None:
        assert view.gate is not None, "the job waits for a review, so its gate is open"
        self._session = session
        self._client = client
        self._view = view
        self._gate: Gate = view.gate
        self._by = by

    async def run(self) -> bool:
        """Until something was decided; False when the person leaves."""
        stored = await self._client.store.get_artifact(self._gate.digest)
        choices = _PLAN_CHOICES if self._gate.phase is Phase.VALIDATION else _CHOICES
        await self._show(stored)
        while True:
            for number, choice in enumerate(choices, 1):
                self._session.say(Text.assemble((f"  {number}  ", "bold"), choice))
            try:
                done = await self._choose(ask("> "), stored)
            except RefusedByJob as refused:
                self._session.say(Text(f"refused: {tame_line(refused)}", "red"))
                done = None if await self._still_open() else True
            except Problem as problem:
                self._session.say(Text(tame_line(problem), "red"))
                done = None
            if done is not None:
                return done

    async def _choose(self, words: str, stored: StoredArtifact) -> bool | None:
        """None: nothing is decided yet."""
        match words:
            case "1":
                return await self._approve()
            case "2":
                return await self._revise()
            case "3":
                return await self._edit(stored)
            case "4":
                await self._show_in_full(stored)
            case "5":
                return False
            case _:
                self._session.say(Text("nothing was decided; type the number of a choice", "dim"))
        return None

    async def _show(self, stored: StoredArtifact) -> None:
        gate = self._gate
        title = f"{gate.phase.name}  gate {gate.id}  {gate.digest[:12]}"
        self._session.say(Text(), artifact_panel(stored, title))
        if gate.against:
            refused = await self._client.store.get_artifact(gate.against)
            lines = changes(readable(refused), readable(stored), "refused", "now")
            self._session.say(Text("changed since it was refused", "bold"), diff_text(lines))
        self._session.say(*gate_lines(gate))

    async def _show_in_full(self, stored: StoredArtifact) -> None:
        """At VALIDATION what is decided on is the plan, and no gate has shown it before."""
        plan = current(self._view, Phase.IMPLEMENTATION_PLAN)
        if self._gate.phase is Phase.VALIDATION and plan is not None:
            planned = await self._client.store.get_artifact(plan.digest)
            self._session.say(as_markdown(readable(planned)), Text())
        self._session.say(as_markdown(readable(stored, full=True)))

    async def _approve(self) -> bool | None:
        payload = {"gate": self._gate.id, "digest": self._gate.digest, "by": self._by}
        if len(self._view.options) > 1:
            option = self._which_option()
            if option is None:
                return None
            payload |= {"option": option} if option else {}
        ack = await self._client.send(self._view.job, Message.APPROVE, payload)
        self._session.say(Text(tame_line(ack.note), "green"))
        if await self._still_open():
            self._session.say("the gate needs more people; the job waits for them")
            return False
        return True

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
            self._session.say(Text("nothing was decided; type the number of an option", "dim"))
        return names.get(words)

    async def _revise(self) -> bool | None:
        kinds = [kind for kind in ReviewKind if Trigger.revise(kind) in self._view.allowed]
        for number, kind in enumerate(kinds, 1):
            self._session.say(Text.assemble((f"  {number}  ", "bold"), _KINDS[kind]))
        words = ask("what is it about? ")
        if not (words.isdecimal() and 1 <= int(words) <= len(kinds)):
            self._session.say(Text("nothing was decided", "dim"))
            return None
        feedback = ask_lines("what should change? End with an empty line.\n  ")
        if not feedback.strip():
            self._session.say(Text("nothing was decided: there is no feedback", "dim"))
            return None
        payload = {"feedback": feedback, "kind": kinds[int(words) - 1].value, "by": self._by}
        bound = {"gate": self._gate.id, "digest": self._gate.digest}
        ack = await self._client.send(self._view.job, Message.REVISE, {**payload, **bound})
        self._session.say(Text(tame_line(ack.note), "green"))
        return True

    async def _edit(self, stored: StoredArtifact) -> bool | None:
        ack = await edit_in_editor(self._session, self._client, self._view.job, self._gate, stored, self._by)
        if ack is None:
            return None
        self._session.say(Text(tame_line(ack.note), "green"))
        return True

    async def _still_open(self) -> bool:
        """Whether this very gate still waits."""
        view = await self._client.view(self._view.job)
        gate = view.gate
        same = gate is not None and (gate.id, gate.digest) == (self._gate.id, self._gate.digest)
        return same and view.awaiting is Awaiting.HUMAN_REVIEW
