"""Going along with a job: progress, questions and gates on a terminal, the next command elsewhere."""

import asyncio

from rich.text import Text

from phasegate.actions.accompanying import agents_shown
from phasegate.actions.budgets import BudgetTalk
from phasegate.actions.following import follow_views
from phasegate.actions.gates import GateTalk
from phasegate.actions.looking import shown
from phasegate.actions.questions import QuestionTalk
from phasegate.actions.replies import Replies
from phasegate.client import JobClient
from phasegate.problems import Exit, Interrupted
from phasegate.screen.asking import Left
from phasegate.screen.consoles import show
from phasegate.screen.job import waiting_text
from phasegate.screen.progress import Progress
from phasegate.session import Outcome, Session
from states.view import JobView
from states.words import Awaiting, State

_ENDS = {State.VERIFIED: Exit.DONE, State.CANCELLED: Exit.REFUSED}
_WAITS = {Awaiting.BUDGET: Exit.BUDGET}


class Conversation:
    """One person, or nobody, and one job."""

    def __init__(self, session: Session, client: JobClient, job: str, by: str) -> None:
        self._session = session
        self._client = client
        self._job = job
        self._by = by
        self._progress = Progress(session.out if session.interactive else session.err)
        self._replies = Replies(session, client, self._progress.moving)

    async def run(self) -> Outcome:
        """Until the job has ended, or waits for somebody who is not here."""
        show(
            self._session.out if self._session.interactive else self._session.err,
            Text(f"job {self._job}", "bold"),
        )
        try:
            async with agents_shown(self._client, self._job, self._progress.moving):
                return await self._along()
        except (KeyboardInterrupt, asyncio.CancelledError):
            raise Interrupted(f"interrupted; the job goes on: phasegate show {self._job}") from None
        finally:
            self._progress.pause()

    async def _along(self) -> Outcome:
        async for view in follow_views(self._session, self._client, self._job):
            self._progress.update(view)
            if view.state in _ENDS:
                return self._ended(view)
            self._replies.show(view)
            if view.awaiting is not Awaiting.NONE and not await self._talk(view):
                return self._waiting(await self._client.view(self._job))
        return self._ended(await self._client.view(self._job))

    async def _talk(self, view: JobView) -> bool:
        """Whether the conversation goes on."""
        if not self._session.interactive:
            return False
        try:
            match view.awaiting:
                case Awaiting.ANSWERS:
                    talk = QuestionTalk(self._session, self._client, view, self._by, self._replies)
                    return await talk.run()
                case Awaiting.HUMAN_REVIEW:
                    return await GateTalk(self._session, self._client, view, self._by).run()
                case Awaiting.BUDGET:
                    return await BudgetTalk(self._session, self._client, view, self._by).run()
                case _:
                    return False
        except Left:
            return False

    def _ended(self, view: JobView) -> Outcome:
        if not self._session.interactive:
            outcome = shown(self._session, self._client, view)
        else:
            hints = tuple(Text(f"{c.what}: {c.phasegate}") for c in view.next_commands)
            outcome = Outcome(None, (waiting_text(view), *hints))
        return Outcome(outcome.data, outcome.parts, _ENDS.get(view.state, Exit.ERROR))

    def _waiting(self, view: JobView) -> Outcome:
        outcome = shown(self._session, self._client, view)
        again = Text(f"look again with: phasegate show {view.job}", "dim")
        return Outcome(outcome.data, (*outcome.parts, again), _WAITS.get(view.awaiting, Exit.WAITING))
