"""The one road from a command to what it does."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from phasegate.session import Outcome, Session


def run(action: "Callable[[Session], Awaitable[Outcome]]", as_json: bool = False) -> int:
    """Do it, deliver what it came to, and give the exit code. Every error ends here, as one sentence."""
    import asyncio

    from phasegate.failures import failed

    try:
        from phasegate.session import Session

        session = Session(as_json)
        outcome = asyncio.run(_awaited(action, session))
        session.deliver(outcome)
    except (Exception, KeyboardInterrupt, asyncio.CancelledError) as error:
        return failed(error, as_json)
    return outcome.code


async def _awaited(action: "Callable[[Session], Awaitable[Outcome]]", session: "Session") -> "Outcome":
    return await action(session)
