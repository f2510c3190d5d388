"""Going along with a job: progress, questions and gates on a terminal, the next command elsewhere."""

import asyncio

from rich.text import Text

from phasegate.actions.accompanying import agents_shown
from phasegate.actions.budgets import BudgetTalk
from phasegate.actions.ending import end_of, how_to_come_back
from phasegate.actions.following import follow_views
from phasegate.actions.gates import GateTalk
from phasegate.actions.looking import shown_now
from phasegate.actions.operating import OperatorTalk
from phasegate.actions.questions import QuestionTalk
from phasegate.actions.replies import Replies
from phasegate.actions.stepping import StepTeller
from phasegate.client import JobClient
from phasegate.problems import Exit, Interrupted
from phasegate.screen.asking import Left
from phasegate.screen.consoles import show
from phasegate.screen.job import waiting_text
from phasegate.screen.progress import Progress
from phasegate.session import Outcome, Session
from states.view import JobView
from states.words import Awaiting

_WAITS = {Awaiting.BUDGET: Exit.BUDGET}


class Conversation:
    """One person, or nobody, and one job."""

    def __init__(self, session: Session, client: JobClient, job: str, by: str) -> None:
        self._session = session
        self._client = client
        self._job = job
        self._by = by
        self._view: JobView | None = None
        self._progress = Progress(session.out if session.interactive else session.err)
        self._replies = Replies(session, client, self._progress.moving)
        self._teller = StepTeller(
            client, self._progress.moving, say=session.say, bar=session.settings.progress_bar
        )

    async def run(self) -> Outcome:
        """Until the job has ended, or waits for somebody who is not here."""
        show(
            self._session.out if self._session.interactive else self._session.err,
            Text(f"job {self._job}", "bold"),
        )
        try:
            async with agents_shown(self._client, self._job, self._progress.moving), self._teller.looking():
                return await self._along()
        except (KeyboardInterrupt, asyncio.CancelledError):
            raise Interrupted(f"interrupted; {how_to_come_back(self._job, self._view)}") from None
        finally:
            self._progress.pause()

    async def _along(self) -> Outcome:
        async for view in follow_views(self._session, self._client, self._job):
            self._view = view
            self._progress.update(view)
            await self._teller.update(view)
            if end_of(view) is not None:
                return await self._ended(view)
            self._replies.show(view)
            # What is being stopped is looked at when it has stopped.
            stopping = view.hold is not None and view.act is not None and view.act.running
            if view.awaiting is not Awaiting.NONE and not stopping and not await self._talk(view):
                return await self._waiting(await self._client.view(self._job))
        view = await self._client.view(self._job)
        await self._teller.update(view)
        return await self._ended(view)

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
                case Awaiting.OPERATOR if view.gate and view.hold is None:
                    return await OperatorTalk(self._session, self._client, view, self._by).run()
                case Awaiting.BUDGET:
                    return await BudgetTalk(self._session, self._client, view, self._by).run()
                case _:
                    return False
        except Left:
            return False

    async def _ended(self, view: JobView) -> Outcome:
        if not self._session.interactive or view.act:
            outcome = await shown_now(self._session, self._client, view)
        else:
            hints = tuple(Text(f"{c.what}: {c.phasegate}") for c in view.next_commands)
            outcome = Outcome(None, (waiting_text(view), *hints))
        code = end_of(view)
        return Outcome(outcome.data, outcome.parts, Exit.ERROR if code is None else code)

    async def _waiting(self, view: JobView) -> Outcome:
        outcome = await shown_now(self._session, self._client, view)
        again = Text(f"look again with: phasegate show {view.job}", "dim")
        return Outcome(outcome.data, (*outcome.parts, again), _WAITS.get(view.awaiting, Exit.WAITING))
