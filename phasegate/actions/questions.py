"""Questions on a terminal: one at a time, the recommended answer first, free words always."""

from functools import partial

from rich.text import Text

from phasegate.actions.overtaking import how_question, overtaken_unless, tell_settled
from phasegate.actions.replies import Replies
from phasegate.client import JobClient
from phasegate.problems import RefusedByJob
from phasegate.screen.asking import Overtaken, ask
from phasegate.screen.job import choices
from phasegate.screen.tame import tame, tame_line
from phasegate.session import Session
from states.amounts import counted
from states.artifacts.discovery import Ambiguity, ContextDiscoveryArtifact
from states.record import QuestionState
from states.view import JobView
from states.words import Message, Phase, State

_CONTEXT_LINES = 24
_HELP = "a number, or your own words; /skip for later, /say TEXT, /finish to take best guesses, /leave"


class QuestionTalk:
    """The open questions of one view."""

    def __init__(self, session: Session, client: JobClient, view: JobView, by: str, replies: Replies) -> None:
        self._session = session
        self._client = client
        self._view = view
        self._by = by
        self._replies = replies

    async def run(self) -> bool:
        """Ask until nothing is open; False when the person leaves, or skips all that is open."""
        contexts = await self._contexts()
        while open_ones := [q for q in self._view.questions if q.open]:
            before, overtaken = len(open_ones), False
            for number, question in enumerate(open_ones, 1):
                self._show(question, f"Question {number} of {before}", contexts.get(question.ref.id))
                try:
                    with overtaken_unless(self._client, self._view.job, partial(_still_open, question)):
                        go_on = await self._answer(question)
                except Overtaken:
                    record = await self._client.record(self._view.job)
                    await tell_settled(self._session, how_question(record, question))
                    overtaken = True
                    break
                if go_on is not None:
                    return go_on
            self._view = await self._client.view(self._view.job)
            self._replies.show(self._view)
            if self._view.state is not State.CLARIFICATION:
                break
            if not overtaken and {q.ref.id for q in open_ones} <= {
                q.ref.id for q in self._view.questions if q.open
            }:
                self._session.say("every question was skipped; the job waits for answers")
                return False
        return True

    async def _contexts(self) -> dict[str, Ambiguity]:
        """The code that each question is about; the job itself only remembers its words."""
        _, stored = await self._client.artifact(self._view.job, Phase.DISCOVERY)
        found = stored.artifact()
        assert isinstance(found, ContextDiscoveryArtifact)
        return {each.id: each for each in found.ambiguities_discovered}

    def _show(self, question: QuestionState, title: str, about: Ambiguity | None) -> None:
        lines = [Text(), Text.assemble((title, "bold"), (f"  {question.ref.id}", "dim"))]
        lines.append(Text(tame(question.ref.text)))
        if about and about.context.strip():
            code = tame(about.context).rstrip().splitlines()
            lines += [Text(f"    {line}", "dim") for line in code[:_CONTEXT_LINES]]
            if len(code) > _CONTEXT_LINES:
                lines.append(Text(f"    … {counted(len(code) - _CONTEXT_LINES, 'more line')}", "dim"))
        if question.ref.why:
            lines.append(Text(f"Why it matters: {tame_line(question.ref.why)}"))
        summaries = {c.label: c.summary for c in about.candidates} if about else {}
        for number, choice in enumerate(choices(question), 1):
            note = " (recommended)" if choice == question.ref.recommended else ""
            line = Text.assemble((f"  {number}  ", "bold"), tame_line(choice), (note, "green"))
            if summary := summaries.get(choice, ""):
                line.append(f"  {tame_line(summary, 100)}", "dim")
            lines.append(line)
        self._session.say(*lines, Text(_HELP, "dim"))

    async def _answer(self, question: QuestionState) -> bool | None:
        """None: on to the next question; else whether the conversation goes on."""
        while True:
            words = ask("> ")
            if not words:
                self._session.say(Text(f"nothing was sent; {_HELP}", "dim"))
                continue
            if words == "/leave":
                return False
            if words == "/skip":
                return None
            try:
                if words == "/finish":
                    await self._send(Message.FINISH, {})
                    return True
                if words.startswith("/say "):
                    await self._say(words.removeprefix("/say "))
                elif words.startswith("/"):
                    self._session.say(Text(f"{words.split()[0]} is unknown; {_HELP}", "dim"))
                elif text := _chosen(words, choices(question)):
                    await self._send(Message.ANSWER, {"question": question.ref.id, "text": text})
                    return None
            except RefusedByJob as refused:
                self._session.say(Text(f"refused: {tame_line(refused)}", "red"))
                return True

    async def _say(self, text: str) -> None:
        """A model's reply belongs to the question that is on the screen: wait for it here."""
        await self._send(Message.SAY, {"text": text})
        await self._replies.wait(self._view.job)

    async def _send(self, message: Message, payload: dict[str, str]) -> None:
        ack = await self._client.send(self._view.job, message, {**payload, "by": self._by})
        self._session.say(Text(tame_line(ack.note), "green"))


def _still_open(asked: QuestionState, view: JobView) -> bool:
    return view.state is State.CLARIFICATION and asked in view.questions


def _chosen(words: str, offered: tuple[str, ...]) -> str:
    """The choice behind a number; anything else is the person's own words. Empty when it was a slip."""
    if not (words.isdecimal() and offered):
        return words
    if 1 <= int(words) <= len(offered):
        return offered[int(words) - 1]
    sure = ask(f"there is no choice {words}; is {words} your answer? [y/N] ").lower() in ("y", "yes")
    return words if sure else ""
