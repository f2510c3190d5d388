"""The product's worker with scripted models, as a process of its own.

    python -m tests.phasegate.commands.agents_worker

What a model does follows from its name, so that a person at a terminal chooses it with `--model`:
`good` does well, `slow` takes its time, `unpriced` has no price, `asking` asks a further question,
`hostile` writes what a terminal must not be told, `broken` has no key.
"""

import asyncio
import signal
import sys
from dataclasses import dataclass, replace
from typing import Any

from temporalio.exceptions import ApplicationError

from activities.agent_ports import Completion
from activities.store import open_store
from phasegate.cli import leave
from phasegate.settings import Settings
from states.agents import AgentKind, Usage
from tests.scripted import QUESTION, ScriptedReviewer, scripted_activities
from tests.scripted_agents import (
    ASK,
    LOOK,
    REPLY,
    Asked,
    Calls,
    ScriptedProvider,
    good,
    scripted_agents,
)
from worker import build_worker, connect

SLOW_SECONDS = 2.0
"""longer than the time between two looks of a command that watches"""
HOSTILE = "\x1b[2J\x1b]0;owned\x07[bold]x[/bold] \u202egnp.exe"


def script(asked: Asked) -> Calls:
    """What the model of this name does."""
    if asked.model == "broken":
        raise ApplicationError("there is no key for broken; set BROKEN_API_KEY", non_retryable=True)
    if asked.kind is AgentKind.EXPLAIN and asked.model == "hostile":
        return [(REPLY, {"text": HOSTILE})]
    if asked.model == "asking" and asked.agent == "clarification-1":
        return [(ASK, {"text": "And which of the two caches?"})]
    if asked.model == "hostile" and asked.turn == 1 and asked.kind is AgentKind.PLAN:
        return [(LOOK, {"what": HOSTILE + "\n".join(f"line {n}" for n in range(100))})]
    return good(asked)


@dataclass
class NamedProvider(ScriptedProvider):
    """Prices and speed by name too."""

    async def complete(self, model: str, *given: Any, **more: Any) -> Completion:
        """The next reply."""
        if model == "slow":
            await asyncio.sleep(SLOW_SECONDS)
        found = await super().complete(model, *given, **more)
        unknown = Usage(calls=1, prompt_tokens=100, completion_tokens=10, unpriced_calls=1)
        return replace(found, usage=unknown) if model == "unpriced" else found


async def main() -> None:
    """Run until SIGTERM."""
    settings = Settings.load()
    client = await connect(settings)
    store = open_store(settings.store)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    planning = scripted_activities(store, reviewer=ScriptedReviewer(questions=(QUESTION,)))
    agents = scripted_agents(store, NamedProvider(script=script))
    async with build_worker(client.temporal, settings, planning, agents):
        print("worker started", file=sys.stderr, flush=True)
        await stop.wait()


if __name__ == "__main__":
    asyncio.run(main())
    leave(0)
