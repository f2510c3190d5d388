"""`watch`: what happens to a job, as it happens."""

import asyncio
from typing import Any

from rich.text import Text

from phasegate.actions.accompanying import agents_shown
from phasegate.actions.jobs import find_job, next_commands
from phasegate.client import JobClient
from phasegate.problems import Exit, Interrupted
from phasegate.screen.consoles import show, write_json
from phasegate.screen.job import waiting_text
from phasegate.screen.lists import ledger_line
from phasegate.screen.moving import Moving
from phasegate.screen.options import fact_lines
from phasegate.session import Outcome, Session
from states.ledger import LedgerEntry
from states.view import JobView
from states.words import Awaiting, State

ENDS = (State.VERIFIED, State.CANCELLED)


async def watch_job(session: Session, prefix: str, lines: int) -> Outcome:
    """Follow until the job is verified, cancelled or closed."""
    client, job = await find_job(session, prefix)
    watcher = _Watcher(session, client, job)
    try:
        async with agents_shown(client, job, watcher.moving):
            return await watcher.run(lines)
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise Interrupted(f"no longer watching; the job goes on: phasegate show {job}") from None
    finally:
        watcher.moving.stop()


class _Watcher:
    def __init__(self, session: Session, client: JobClient, job: str) -> None:
        self._session = session
        self._client = client
        self._job = job
        self._seen = 0
        self.moving = Moving(session.err if session.as_json else session.out)
        self._waits: tuple[Any, ...] = ()

    async def run(self, lines: int) -> Outcome:
        earlier = await self._client.ledger(self._job)
        self._print(earlier[-lines:] if lines else [])
        self._seen = earlier[-1].n if earlier else 0
        view = await self._client.view(self._job)
        self._tell(view)
        if view.state not in ENDS:
            async for view in self._client.follow(self._job):
                await self._catch_up()
                self._tell(view)
                if view.state in ENDS:
                    break
        await self._catch_up()
        return Outcome(None, code=Exit.REFUSED if view.state is State.CANCELLED else Exit.DONE)

    async def _catch_up(self) -> None:
        record = await self._client.record(self._job)
        fresh = [entry for entry in record.ledger if entry.n > self._seen]
        self._print(fresh)
        self._seen = max([self._seen, *(entry.n for entry in fresh)])

    def _print(self, entries: list[LedgerEntry]) -> None:
        for entry in entries:
            if self._session.as_json:
                self._line({"type": "entry", **entry.model_dump(mode="json")})
            else:
                show(self._session.out, ledger_line(entry))

    def _tell(self, view: JobView) -> None:
        """Whom the job waits for, when that has changed; on a terminal also what goes on."""
        self.moving.update(view)
        asked = view.questions if view.awaiting is Awaiting.ANSWERS else ()
        gate, open_ones = view.gate, tuple(q.ref.id for q in asked if q.open)
        waits = (view.state in ENDS and view.state, view.awaiting, gate and gate.id, open_ones)
        if waits == self._waits:
            return
        self._waits = waits
        commands = next_commands(self._session, self._client, view)
        if self._session.as_json:
            self._line(
                {
                    "type": "waiting" if view.awaiting is not Awaiting.NONE else "state",
                    "state": view.state.value,
                    "phase": view.phase.value if view.phase else None,
                    "mode": view.mode.value,
                    "awaiting": view.awaiting.value,
                    "gate": gate.id if gate else None,
                    "digest": gate.digest if gate else None,
                    "questions": list(open_ones),
                    "options": [option.model_dump(mode="json") for option in view.options],
                    "selected": view.selected.option if view.selected else None,
                    "next": [command.model_dump() for command in commands],
                }
            )
        elif view.awaiting is not Awaiting.NONE or view.state in ENDS:
            told = (waiting_text(view), *fact_lines(view))
            show(self._session.out, *told, *(Text(f"  {c.phasegate}") for c in commands))

    def _line(self, data: dict[str, Any]) -> None:
        write_json({"job": self._job, **data}, lines=True)
