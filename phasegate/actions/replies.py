"""A model's replies to what people say while questions are open: waited for, and each shown once."""

import asyncio
from dataclasses import dataclass

from rich.text import Text

from phasegate.client import JobClient
from phasegate.screen.models import reply_words
from phasegate.screen.moving import Moving
from phasegate.session import Session
from states.agents import AgentKind
from states.models import ladder_for
from states.record import Reply
from states.view import JobView
from states.words import Phase, State

PATIENCE = 60.0
"""seconds that a person looks at a spinner; the reply that comes later is shown later"""
_LOOK_SECONDS = 0.5


@dataclass(frozen=True)
class Waited:
    """What came of waiting for a reply. `why` is blank where no model replies at all."""

    view: JobView
    reply: Reply | None = None
    why: str = ""


async def reply_to(client: JobClient, job: str, seconds: float, moving: Moving) -> Waited:
    """Wait for the reply to everything that was said so far, while one can come."""
    view = await client.view(job)
    said, until = len(view.said), asyncio.get_running_loop().time() + seconds
    replies = _replies(view)
    while True:
        if found := next((reply for reply in view.replies if reply.to >= said), None):
            return Waited(view, found)
        if view.hold:
            return Waited(view, why=f"no reply comes: {view.hold.reason}" if replies else "")
        if not _replies(view):
            return Waited(view, why="the job went on without a reply" if replies else "")
        if asyncio.get_running_loop().time() >= until:
            return Waited(view, why=f"no reply within {seconds:g} s; it may still come")
        moving.reply(view)
        await asyncio.sleep(_LOOK_SECONDS)
        view = await client.view(job)


def _replies(view: JobView) -> bool:
    """Whether a model replies to what is said now."""
    models = ladder_for(view.model, view.models, AgentKind.EXPLAIN, Phase.CLARIFICATION)
    return bool(models) and view.state is State.CLARIFICATION and any(q.open for q in view.questions)


class Replies:
    """The replies of one conversation on a terminal."""

    def __init__(self, session: Session, client: JobClient, moving: Moving) -> None:
        self._session = session
        self._client = client
        self._moving = moving
        self._shown = 0

    def show(self, view: JobView) -> None:
        """Those that were not shown yet."""
        if self._session.interactive:
            for reply in view.replies[self._shown :]:
                self._session.say(Text(reply_words(reply), "cyan"))
        # fewer than before after a restart that forgets the dialogue
        self._shown = len(view.replies)

    async def wait(self, job: str) -> None:
        """Show what a model replies to what was just said; a word when none comes."""
        try:
            waited = await reply_to(self._client, job, PATIENCE, self._moving)
        finally:
            self._moving.stop()
        self.show(waited.view)
        if waited.why:
            self._session.say(Text(waited.why, "dim"))
