"""What happens in the recorded jobs whose phases are worked on by agents."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from temporalio.client import WorkflowHandle
from temporalio.exceptions import ApplicationError

from states.view import JobView
from states.words import Awaiting, State
from tests.replay.waiting import until
from tests.scripted_agents import ASK, LOOK, SUBMIT, Asked, Calls, good

Handle = WorkflowHandle[Any, Any]
Story = Callable[[Handle], Awaitable[None]]
HOUR, MOMENT = timedelta(hours=1), timedelta(milliseconds=20)
UNDER_WAY = 1.0
"""seconds after which an agent has asked its model, and waits"""


async def to_the_end(handle: Handle) -> None:
    """Nobody is needed."""
    await until(handle, lambda seen: seen.state is State.VERIFIED)


async def more_budget(handle: Handle) -> None:
    """The budget is used up, and is raised."""
    await until(handle, lambda seen: seen.awaiting is Awaiting.BUDGET)
    await handle.signal("resume", {"by": "ann"})
    await handle.signal("set_budget", {"usd": 5, "by": "ann"})
    await to_the_end(handle)


async def asked_again(handle: Handle) -> None:
    """A question, a message that is replied to, a follow-up question."""
    await until(handle, lambda seen: seen.awaiting is Awaiting.ANSWERS)
    await handle.signal("say", {"text": "which ones are there?", "by": "ann"})
    await until(handle, lambda seen: bool(seen.replies))
    await handle.signal("answer", {"question": "q1", "text": "both", "by": "ann"})
    await until(handle, lambda seen: len(seen.questions) == 2)
    await handle.signal("answer", {"question": "follow-up-1-1", "text": "the large one", "by": "ann"})
    await to_the_end(handle)


async def mended(handle: Handle) -> None:
    """An agent fails for good, an operator resumes."""
    await until(handle, lambda seen: seen.awaiting is Awaiting.OPERATOR)
    await handle.signal("resume", {"by": "ops"})
    await to_the_end(handle)


async def other_models(handle: Handle) -> None:
    """The models are changed while an agent works, and again when those cannot go on."""
    await until(handle, lambda seen: len(seen.agents) >= 2)
    await handle.signal("set_models", {"model": "gone", "by": "ann"})
    await until(handle, lambda seen: seen.awaiting is Awaiting.OPERATOR)
    await handle.signal("set_models", {"models": {"coffee": "m"}})
    await handle.execute_update("set_models", {"model": "better", "models": {"review": "r"}, "by": "ops"})
    await to_the_end(handle)


async def overtaken(handle: Handle) -> None:
    """A restart and a pause reach a job while its agents work."""
    await until(handle, lambda seen: len(seen.agents) >= 3)
    await handle.signal("pause", {"by": "ann"})
    await until(handle, lambda seen: seen.awaiting is Awaiting.OPERATOR)
    await handle.signal("resume", {"by": "ann"})
    await until(handle, lambda seen: len(seen.agents) >= 6)
    await handle.signal("restart_from", {"phase": "clarification", "by": "ann"})
    await to_the_end(handle)


async def attempted_again(handle: Handle) -> None:
    """A pause ends the wait for an attempt that is an hour away."""
    await until(handle, lambda seen: _at_work(seen) == "contracts-1")
    await asyncio.sleep(UNDER_WAY)
    await handle.signal("pause", {"by": "ann"})
    await until(handle, lambda seen: seen.running is None and seen.awaiting is Awaiting.OPERATOR)
    await handle.signal("resume", {"by": "ann"})
    await to_the_end(handle)


async def lost(handle: Handle) -> None:
    """An agent is terminated; the one after it is told to stop by Temporal's own cancel."""
    await until(handle, lambda seen: _at_work(seen) == "contracts-1")
    await asyncio.sleep(UNDER_WAY)
    await handle._client.get_workflow_handle(f"{handle.id}.contracts-1").terminate("by hand")
    await until(handle, lambda seen: seen.awaiting is Awaiting.OPERATOR)
    await handle.signal("resume", {"by": "ops"})
    await until(handle, lambda seen: _at_work(seen) == "contracts-2")
    await asyncio.sleep(UNDER_WAY)
    await handle.cancel()
    await handle.result()


async def thought_better(handle: Handle) -> None:
    """An answer is changed while an agent works with the first one."""
    await until(handle, lambda seen: seen.awaiting is Awaiting.ANSWERS)
    await handle.signal("answer", {"question": "q1", "text": "both", "by": "ann"})
    await until(handle, lambda seen: _at_work(seen) == "clarification-1")
    await asyncio.sleep(UNDER_WAY)
    await handle.signal("answer", {"question": "q1", "text": "the newer one", "by": "ann"})
    await to_the_end(handle)


def _at_work(seen: JobView) -> str:
    return seen.running.id if seen.running else ""


def refused(agent: str, *, once: bool) -> Callable[[Asked], Calls]:
    """Trouble that passes, of every kind; `agent` is told to come again in an hour, once or always."""
    met: list[str] = []

    def script(asked: Asked) -> Calls:
        if asked.agent.startswith(agent) and (agent not in met or not once):
            met.append(agent)
            raise ApplicationError("too many calls", type="ModelRateLimited", next_retry_delay=HOUR)
        for kind in ("ModelTimeOut", "ModelConnectionCut", "ModelProviderFailed", "StoreUnusable"):
            if kind not in met:
                met.append(kind)
                raise ApplicationError("not now", type=kind, next_retry_delay=MOMENT)
        return good(asked)

    return script


def busy(asked: Asked) -> Calls:
    """Look often, two places at once."""
    if asked.agent.startswith("discovery") and asked.turn < 12 and not asked.only:
        return [(LOOK, {"what": "a"}), (LOOK, {"what": "b"})]
    return good(asked) if asked.turn == 1 or asked.kind != "plan" else [(SUBMIT, {})]


def clumsy(asked: Asked) -> Calls:
    """The first model is unknown; the second hands over nonsense first, and only talks in CONTRACTS."""
    if asked.model == "first":
        raise ApplicationError("no such model", type="ModelUnknown", non_retryable=True)
    if asked.phase == "contracts" and not asked.only:
        return []
    return [(SUBMIT, {"wrong": "no"})] if asked.kind == "plan" and asked.turn == 1 else good(asked)


def gone(asked: Asked) -> Calls:
    """One model is not there any more."""
    if asked.model == "gone":
        raise ApplicationError("no such model", type="ModelUnknown", non_retryable=True)
    return busy(asked)


def curious(asked: Asked) -> Calls:
    """CLARIFICATION asks once more."""
    return [(ASK, {"text": "And which cache?"})] if asked.agent == "clarification-1" else good(asked)


def failing_once() -> Callable[[Asked], Calls]:
    """The first agent of CONTRACTS is refused by its provider."""
    failed: list[str] = []

    def script(asked: Asked) -> Calls:
        if asked.agent == "contracts-1" and not failed:
            failed.append(asked.agent)
            raise ApplicationError("the key was refused", type="ModelKeyRefused", non_retryable=True)
        return good(asked)

    return script
