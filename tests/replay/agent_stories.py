"""What happens in the recorded jobs whose phases are worked on by agents."""

from collections.abc import Awaitable, Callable
from typing import Any

from temporalio.client import WorkflowHandle
from temporalio.exceptions import ApplicationError

from states.words import Awaiting, State
from tests.replay.waiting import until
from tests.scripted_agents import ASK, LOOK, SUBMIT, Asked, Calls, good

Handle = WorkflowHandle[Any, Any]
Story = Callable[[Handle], Awaitable[None]]


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
