"""What a job's models used, what they may still use, and both in words."""

from states.agents import Allowance, Usage
from states.amounts import counted
from states.budget import Account, left
from states.record import JobRecord
from states.words import WORK_PHASES, Phase


def allowance(record: JobRecord) -> Allowance:
    """What the job's models may still use."""
    return left(_limits(record), record.spent())


def used_up(record: JobRecord) -> str:
    """Which limit of the job's budget is reached, in words; blank while something is left."""
    return Account(allowance=_limits(record), spent=record.spent()).used_up()


def _limits(record: JobRecord) -> Allowance:
    return Allowance(usd=record.budget_usd, tokens=record.budget_tokens)


def spending(record: JobRecord) -> dict[Phase, Usage]:
    """What the agents of each phase used, reviews and replies included; phases without agents are absent."""
    return {
        phase: sum(used, Usage())
        for phase in WORK_PHASES
        if (used := [agent.usage for agent in record.agents if agent.phase is phase])
    }


def in_words(used: Usage, usd: float | None = None, tokens: int | None = None) -> str:
    """`15 calls, 1,650 tokens, $0.15 of $5.00; 2 calls at an unknown price; 1 call estimated`.

    `usd`, `tokens`: the limits.
    """
    most_tokens = "" if tokens is None else f" of {tokens:,}"
    most_usd = "" if usd is None else f" of {dollars(usd)}"
    known = used.calls > used.unpriced_calls or not used.unpriced_calls or usd is not None
    parts = [counted(used.calls, "call"), f"{used.tokens:,}{most_tokens} tokens"]
    parts += [f"{dollars(used.cost_usd)}{most_usd}"] if known else []
    unknown = f"{counted(used.unpriced_calls, 'call')} at an unknown price" if used.unpriced_calls else ""
    guessed = f"{counted(used.estimated_calls, 'call')} estimated" if used.estimated_calls else ""
    return "; ".join(part for part in (", ".join(parts), unknown, guessed) if part)


def dollars(amount: float) -> str:
    """Whole cents where that says it all, else hundredths of a cent: `$5.00`, `$0.0421`."""
    cents = round(amount, 2)
    return f"${cents:,.2f}" if round(amount, 4) == cents else f"${amount:,.4f}"
