"""What a job's models used, and what they may still use."""

from states.agents import Allowance
from states.budget import Account, left
from states.record import JobRecord


def allowance(record: JobRecord) -> Allowance:
    """What the job's models may still use."""
    return left(_limits(record), record.spent())


def used_up(record: JobRecord) -> str:
    """Which limit of the job's budget is reached, in words; blank while something is left."""
    return Account(allowance=_limits(record), spent=record.spent()).used_up()


def _limits(record: JobRecord) -> Allowance:
    return Allowance(usd=record.budget_usd, tokens=record.budget_tokens)
