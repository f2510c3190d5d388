"""`watch`: what happens to a job, as it happens."""

import asyncio
from typing import Any

from rich.text import Text

from phasegate.actions.accompanying import agents_shown
from phasegate.actions.ending import end_of, how_to_come_back
from phasegate.actions.following import follow_views
from phasegate.actions.jobs import find_job, named, next_commands
from phasegate.actions.looking import shown_now
from phasegate.actions.operating import OperatorTalk
from phasegate.actions.stepping import StepTeller
from phasegate.client import JobClient
from phasegate.problems import Exit, Interrupted
from phasegate.screen.acting import operator_lines
from phasegate.screen.asking import Left
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
_OVER = (Exit.DONE, Exit.REFUSED, Exit.ERROR)
"""codes with which there is nothing left to watch"""


async def watch_job(session: Session, prefix: str, lines: int) -> Outcome:
    """Follow until the job is verified, carried out, cancelled or closed. Asks at operator gates."""
    client, job = await find_job(session, prefix)
    watcher = _Watcher(session, client, job)
    try:
        async with agents_shown(client, job, watcher.moving), watcher.teller.looking():
            return await watcher.run(lines)
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise Interrupted(f"no longer watching; {how_to_come_back(job, watcher.view)}") from None
    finally:
        watcher.moving.stop()


class _Watcher:
    def __init__(self, session: Session, client: JobClient, job: str) -> None:
        self._session = session
        self._client = client
        self._job = job
        self._seen = 0
        self.moving = Moving(session.err if session.as_json else session.out)
        self.view: JobView | None = None
        self.teller = StepTeller(
            client,
            self.moving,
            write=self._line if session.as_json else None,
            say=None if session.as_json else lambda line: show(session.out, line),
            bar=session.settings.progress_bar,
        )
        self._waits: tuple[Any, ...] = ()

    async def run(self, lines: int) -> Outcome:
        earlier = await self._client.ledger(self._job)
        self._print(earlier[-lines:] if lines else [])
        self._seen = earlier[-1].n if earlier else 0
        view = await self._client.view(self._job)
        if not await self._takes(view):
            async for view in follow_views(self._session, self._client, self._job, patient=True):
                await self._catch_up()
                if await self._takes(view):
                    break
        view = await self._client.view(self._job)
        await self._catch_up()
        await self.teller.update(view)
        return await self._ended(view)

    async def _takes(self, view: JobView) -> bool:
        """Tell what is new; True when there is nothing left to watch, or the person leaves."""
        self.view = view
        self._tell(view)
        await self.teller.update(view)
        gate = view.gate
        if self._session.interactive and gate and gate.step and view.awaiting is Awaiting.OPERATOR:
            try:
                return not await OperatorTalk(self._session, self._client, view, named("")).run()
            except Left:
                return True
        return end_of(view) in _OVER

    async def _ended(self, view: JobView) -> Outcome:
        code = end_of(view)
        shown = await shown_now(self._session, self._client, view) if view.act else Outcome(None)
        return Outcome(None, shown.parts, Exit.WAITING if code is None else code)

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
        ends = view.state in ENDS and (view.state, view.acting, view.act and view.act.status)
        waits = (ends, view.awaiting, gate and gate.id, open_ones)
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
                    "step": gate.step if gate else None,
                    "asks": gate.asks if gate else None,
                    "by_hand": gate.by_hand if gate else None,
                    "notes": list(gate.notes) if gate else [],
                    "questions": list(open_ones),
                    "options": [option.model_dump(mode="json") for option in view.options],
                    "selected": view.selected.option if view.selected else None,
                    "next": [command.model_dump() for command in commands],
                }
            )
        elif view.awaiting is not Awaiting.NONE or view.state in ENDS:
            told = (waiting_text(view), *(() if view.act else fact_lines(view)))
            asked_now = operator_lines(gate) if gate and gate.step and not self._session.interactive else ()
            show(self._session.out, *told, *asked_now, *(Text(f"  {c.phasegate}") for c in commands))

    def _line(self, data: dict[str, Any]) -> None:
        write_json({"job": self._job, **data}, lines=True)
