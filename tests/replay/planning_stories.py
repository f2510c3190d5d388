"""What happens in the recorded histories of planning without a model."""

from collections.abc import Awaitable, Callable
from typing import Any

from temporalio.client import WorkflowHandle
from temporalio.exceptions import ApplicationError

from states.view import JobView
from states.words import Awaiting, Phase, ReviewKind, State
from tests.replay.waiting import until
from tests.scripted import ScriptedPlanner

Handle = WorkflowHandle[Any, Any]
Story = Callable[[Handle], Awaitable[None]]


async def gate(handle: Handle, name: str) -> JobView:
    """Wait for a gate to be open."""
    return await until(handle, lambda seen: seen.gate is not None and seen.gate.id == name)


async def pass_gates(handle: Handle, *names: str) -> None:
    """Approve these gates, one after the other."""
    for name in names:
        await gate(handle, name)
        await handle.signal("approve", {"gate": name, "by": "ann"})


async def verified(handle: Handle) -> None:
    """Wait for the end of planning."""
    await until(handle, lambda seen: seen.state is State.VERIFIED)


async def happy(handle: Handle) -> None:
    """Straight through."""
    await pass_gates(handle, "clarification-1", "contracts-1", "validation-1")
    await verified(handle)


async def happy_and_closed(handle: Handle) -> None:
    """Straight through, and not kept open."""
    await happy(handle)
    await handle.result()


async def redesigned(handle: Handle) -> None:
    """AI review of VALIDATION sends the job back to CONTRACTS, whose gate is earned again."""
    await pass_gates(handle, "clarification-1", "contracts-1", "contracts-2", "validation-1")
    await verified(handle)


async def dialogue(handle: Handle) -> None:
    """Answers out of order, corrected, a free message, a correction at the gate."""
    await until(handle, lambda seen: seen.awaiting is Awaiting.ANSWERS)
    await handle.signal("answer", {"question": "q2", "text": "no", "by": "ann"})
    await handle.signal("say", "sessions live in Redis")
    await handle.execute_update("answer", {"question": "q2", "text": "yes"})
    await handle.signal("answer", "LegacyAuthService")
    await gate(handle, "clarification-1")
    await handle.signal("answer", {"question": "q1", "text": "both"})
    await gate(handle, "clarification-2")
    await pass_gates(handle, "clarification-2", "contracts-1", "validation-1")
    await verified(handle)


async def best_guess(handle: Handle) -> None:
    """The dialogue is ended with open questions."""
    await until(handle, lambda seen: seen.awaiting is Awaiting.ANSWERS)
    await handle.signal("finish")
    await happy(handle)


def revised(kind: ReviewKind, back: str) -> Story:
    """Refuse the VALIDATION gate with a revision of one kind, then pass."""

    async def story(handle: Handle) -> None:
        await pass_gates(handle, "clarification-1", "contracts-1")
        await gate(handle, "validation-1")
        await handle.signal("revise", {"feedback": "not yet", "kind": kind.value, "by": "bob"})
        gates = ["clarification-2", "contracts-2", "validation-2"]
        await pass_gates(handle, *gates[["clarification", "contracts", "validation"].index(back) :])
        await verified(handle)

    return story


def restarted(phase: Phase) -> Story:
    """Restart a verified job from one phase, in the Alfred seed's form."""

    async def story(handle: Handle) -> None:
        await happy(handle)
        context = {
            "trigger": "requirements_changed",
            "changes": "also SAML",
            "invalidated_decisions": ["oauth_only"],
        }
        await handle.signal("restart_from", {"restart_from": phase.name, "context": context})
        order = [Phase.CLARIFICATION, Phase.CONTRACTS, Phase.VALIDATION]
        for each in order:
            if list(Phase).index(each) >= list(Phase).index(phase):
                await pass_gates(handle, f"{each}-2")
        await verified(handle)

    return story


async def paused(handle: Handle) -> None:
    """Pause at a gate, approve while paused, resume."""
    await gate(handle, "clarification-1")
    await handle.signal("pause", "lunch")
    await handle.signal("approve")
    await until(handle, lambda seen: seen.awaiting is Awaiting.OPERATOR)
    await handle.signal("resume")
    await pass_gates(handle, "contracts-1", "validation-1")
    await verified(handle)


async def cancelled(handle: Handle) -> None:
    """Cancel at a gate."""
    await pass_gates(handle, "clarification-1")
    await gate(handle, "contracts-1")
    await handle.signal("cancel", {"reason": "not needed", "by": "ann"})
    await handle.result()


async def cancelled_by_temporal(handle: Handle) -> None:
    """`temporal workflow cancel`."""
    await gate(handle, "clarification-1")
    await handle.cancel()
    await handle.result()


async def bad_signals(handle: Handle) -> None:
    """Everything that must change nothing."""
    await gate(handle, "clarification-1")
    for name, payload in [
        ("aprove", None),
        ("approve", 7),
        ("approve", {"gate": "clarification-9"}),
        ("approve", {"digest": "deadbeef"}),
        ("approve", {"nonsense": True}),
        ("revise", None),
        ("revise", "x" * 30_000),
        ("answer", "nobody asked"),
        ("restart_from", "NOWHERE"),
        ("restart_from", "VALIDATION"),
        ("resume", None),
        ("act", None),
        ("select", "2"),
        ("rollback", None),
    ]:
        await handle.signal(name, payload) if payload is not None else await handle.signal(name)
    await happy(handle)
    await handle.signal("approve", {"by": "ann"})


async def edited(handle: Handle) -> None:
    """A person's own version at the CONTRACTS gate, first an invalid one."""
    await pass_gates(handle, "clarification-1")
    seen = await gate(handle, "contracts-1")
    assert seen.gate
    await handle.signal("edit", {"artifact": {"open_points": [{"subject": ""}]}, "base": seen.gate.digest})
    await until(handle, lambda now: now.ledger_count > seen.ledger_count + 1)
    body = {"follows_patterns": True}
    await handle.signal("edit", {"artifact": body, "base": seen.gate.digest, "by": "ann"})
    await pass_gates(handle, "contracts-2", "validation-1")
    await verified(handle)


async def parked(handle: Handle) -> None:
    """A lasting failure, mended by an operator."""
    await until(handle, lambda seen: seen.awaiting is Awaiting.OPERATOR)
    await handle.signal("resume", {"by": "ops"})
    await happy(handle)


async def many_signals(handle: Handle) -> None:
    """Enough messages to continue as new with a gate open."""
    await gate(handle, "clarification-1")
    for n in range(60):
        await handle.signal("nonsense", n)
    await happy(handle)


async def resumed(handle: Handle) -> None:
    """A closed job goes on from the store: CONTRACTS and VALIDATION earn their gates again."""
    await pass_gates(handle, "contracts-2", "validation-2")
    await handle.result()


def failing_once() -> ScriptedPlanner:
    """DISCOVERY fails for good the first time."""
    planner = ScriptedPlanner()

    def fail(phase: Phase, _: object) -> None:
        if phase is Phase.DISCOVERY and planner.calls.count(phase) == 1:
            raise ApplicationError("the disk is gone", type="Gone", non_retryable=True)

    planner.before = fail
    return planner
