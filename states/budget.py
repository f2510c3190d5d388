"""What models may use: reserved before a call, settled after it, over all agents at once.

A call may start when everything reserved still fits; a call that might not fit starts only alone, and only
while something is left. So however many agents there are, at most one call goes over (issue 4, Budget).
Agents of several workflows at once have shares, over which no call goes at all (`states.shares`).
"""

from dataclasses import dataclass, field
from typing import TypeVar

from states.agents import Allowance, Price, Usage
from states.amounts import counted

T = TypeVar("T", int, float)


def most(size: int, max_output_tokens: int, price: Price) -> Usage:
    """The most that one call over a conversation of `size` bytes uses; booked where nobody knows."""
    prompt = size  # no tokenizer makes more tokens of a text than it has bytes
    known = price.prompt is not None and price.completion is not None
    cost = prompt * (price.prompt or 0) + max_output_tokens * (price.completion or 0) if known else 0.0
    return Usage(
        calls=1,
        prompt_tokens=prompt,
        completion_tokens=max_output_tokens,
        cost_usd=cost,
        unpriced_calls=0 if known else 1,
        estimated_calls=1,
    )


@dataclass
class Account:
    """The allowance of one workflow's agents. Deterministic: only what the history holds goes in."""

    allowance: Allowance
    spent: Usage = field(default_factory=Usage)
    reserved: dict[str, Usage] = field(default_factory=dict)
    shared: bool = False
    """whether others use shares of the same budget meanwhile: then no call that might go over starts"""

    def used_up(self, doubtful: Usage | None = None) -> str:
        """Which limit is reached, in words; blank while something is left. `doubtful` may be used too."""
        spent = self.spent + doubtful if doubtful else self.spent
        if self.allowance.tokens is not None and spent.tokens >= self.allowance.tokens:
            return f"{spent.tokens:,} of {counted(self.allowance.tokens, 'token')} are used"
        if self.allowance.usd is not None and spent.cost_usd >= self.allowance.usd:
            return f"${spent.cost_usd:.4f} of ${self.allowance.usd:.4f} are used"
        return ""

    def may_start(self, call: Usage) -> bool:
        """Whether a call that may use this much can start now; without room it may, alone."""
        if self.used_up():
            return False
        return self._fits(call) or not (self.reserved or self.shared)

    def has_no_room(self, call: Usage) -> bool:
        """Whether a call that may use this much cannot start as long as others use the same budget."""
        return self.shared and not self.reserved and not self._fits(call)

    def reserve(self, who: str, call: Usage) -> None:
        """Set aside the most that the next call of `who` uses."""
        assert self.may_start(call), "a call starts only when the account lets it"
        self.reserved[who] = call

    def settle(self, who: str, used: Usage) -> None:
        """Book what the call really used; what was reserved for it is free again."""
        self.reserved.pop(who, None)
        self.spent += used

    def _fits(self, call: Usage) -> bool:
        planned = sum(self.reserved.values(), self.spent) + call
        tokens = self.allowance.tokens is None or planned.tokens <= self.allowance.tokens
        return tokens and (self.allowance.usd is None or planned.cost_usd <= self.allowance.usd)


def left(allowance: Allowance, spent: Usage) -> Allowance:
    """What may still be used of an allowance of which this much is spent."""
    return Allowance(
        usd=None if allowance.usd is None else max(allowance.usd - spent.cost_usd, 0.0),
        tokens=None if allowance.tokens is None else max(allowance.tokens - spent.tokens, 0),
    )


def least(one: Allowance, other: Allowance) -> Allowance:
    """What both allow."""
    return Allowance(usd=_least(one.usd, other.usd), tokens=_least(one.tokens, other.tokens))


def _least(one: T | None, other: T | None) -> T | None:
    known = [each for each in (one, other) if each is not None]
    return min(known) if known else None
