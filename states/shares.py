"""What each of several drafts may use: an equal share of what is left of the budget.

Side by side none makes a call that might go over its share. What one has no room for then it does alone, when
the others rest, and there one call may go over. So at most one call goes over the budget, however many draft.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from states.agents import Allowance, Usage
from states.budget import least, left
from states.record import Draft, JobRecord
from states.spending import allowance


def share(record: JobRecord, among: int) -> Allowance:
    """What each of so many may use of what is left; tokens are rounded up, so that the last ones count."""
    whole = allowance(record)
    return Allowance(
        usd=None if whole.usd is None else whole.usd / among,
        tokens=None if whole.tokens is None else -(-whole.tokens // among),
    )


@dataclass
class Shares:
    """The shares of one budget. Another budget is shared out anew."""

    record: JobRecord
    _budget: tuple[float | None, int | None] = (None, None)
    _left: dict[int, Allowance] = field(default_factory=dict)
    """what is left of each share, by the number of its draft"""
    _alone: set[int] = field(default_factory=set)
    """drafts whose next call might go over their share"""
    _used_up: set[int] = field(default_factory=set)

    def begin(self, drafts: Sequence[Draft]) -> tuple[Draft, ...]:
        """Which unfinished drafts go on now: side by side, else one alone; none where all is used up."""
        if self.outdated():
            self._budget = (self.record.budget_usd, self.record.budget_tokens)
            self._left, self._alone, self._used_up = {}, set(), set()
        for each in drafts:
            self._left.setdefault(each.number, share(self.record, len(drafts)))
        able = [each for each in drafts if each.number not in self._used_up]
        together = [each for each in able if each.number not in self._alone]
        return tuple(together or able[:1])

    def outdated(self) -> bool:
        """Whether the job's budget is another one."""
        return self._budget != (self.record.budget_usd, self.record.budget_tokens)

    def of(self, draft: Draft) -> Allowance:
        """What a draft may use now."""
        return least(self._left[draft.number], allowance(self.record))

    def book(self, draft: Draft, used: Usage) -> None:
        """A draft used this much."""
        self._left[draft.number] = left(self._left[draft.number], used)

    def ran_out(self, draft: Draft, *, alone: bool) -> None:
        """A draft rests for want of budget."""
        (self._used_up if alone else self._alone).add(draft.number)
