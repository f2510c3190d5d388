"""A budget that is used up, on a terminal: what was used, and a new limit that must be typed."""

import re

from rich.text import Text

from phasegate.actions.overtaking import how_budget, overtaken_unless, tell_settled
from phasegate.client import JobClient
from phasegate.problems import RefusedByJob
from phasegate.screen.asking import Overtaken, ask
from phasegate.screen.job import waiting_text
from phasegate.screen.tame import tame_line
from phasegate.session import Session
from states.spending import dollars, in_words
from states.view import JobView
from states.words import Awaiting, Message

_NUMBER = re.compile(r"\$?(?:\d{1,3}(?:,\d{3})+|\d{1,12})(?:\.\d{1,6})?")


class BudgetTalk:
    """One person and a job that waits for a larger budget."""

    def __init__(self, session: Session, client: JobClient, view: JobView, by: str) -> None:
        self._session = session
        self._client = client
        self._view = view
        self._by = by
        self._in_tokens = view.budget_tokens is not None and view.spent.tokens >= view.budget_tokens

    async def run(self) -> bool:
        """Until a limit was raised; False when the person leaves it at that."""
        view = self._view
        used = in_words(view.spent, view.budget_usd, view.budget_tokens)
        self._session.say(Text(), waiting_text(view), Text(f"used so far: {used}"))
        try:
            with overtaken_unless(self._client, view.job, lambda now: now.awaiting is Awaiting.BUDGET):
                return await self._asked()
        except Overtaken:
            await tell_settled(self._session, how_budget(await self._client.record(view.job)))
            return True

    async def _asked(self) -> bool:
        unit = "tokens" if self._in_tokens else "USD"
        while words := ask(f"new limit for the whole job, in {unit}; Enter leaves it waiting > "):
            amount = _amount(words)
            if amount is None or amount <= self._least:
                least = f"{self._least:,} tokens" if self._in_tokens else dollars(self._least)
                self._session.say(Text(f"nothing was raised; type more than the {least} used so far", "dim"))
                continue
            return await self._raise_to(amount)
        self._session.say(Text("nothing was raised", "dim"))
        return False

    @property
    def _least(self) -> float:
        return self._view.spent.tokens if self._in_tokens else self._view.spent.cost_usd

    async def _raise_to(self, amount: float) -> bool:
        limit = {"tokens": int(amount)} if self._in_tokens else {"usd": amount}
        try:
            ack = await self._client.send(self._view.job, Message.SET_BUDGET, {**limit, "by": self._by})
        except RefusedByJob as refused:
            # somebody else was faster; what follows shows where the job is
            self._session.say(Text(f"refused: {tame_line(refused)}", "red"))
            return True
        self._session.say(Text(tame_line(ack.note), "green"))
        return True


def _amount(words: str) -> float | None:
    """A number as people write it: `10`, `$2.50`, `50,000`; None for anything else, `2,50` included."""
    return float(words.removeprefix("$").replace(",", "")) if _NUMBER.fullmatch(words) else None
