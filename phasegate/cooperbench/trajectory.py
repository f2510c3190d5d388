"""The trajectory of a run in the seed's format, from its trace and what was said (Trajectory Format)."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from phasegate.bench_client import BenchClient
from states.bench import AGREE, BenchSetting, BenchTask
from states.cooperation import Comparison, CooperationState, MemberState
from states.overlap_notice import told
from states.trace import TraceEvent, TraceKind

Event = dict[str, Any]


async def trajectory_of(client: BenchClient, task: BenchTask, state: CooperationState) -> dict[str, Any]:
    """The whole of a run, or as far as it got. Raises StoreError when what was said is not in the store."""
    teller = _Teller(client, task)
    return {
        "metadata": _metadata(task, state),
        "trajectory": [event async for event in teller.events(state.members)],
        "final_plans": await final_plans(client, task.setting, state),
    }


async def final_plans(client: BenchClient, setting: BenchSetting, state: CooperationState) -> dict[str, str]:
    """`plan`, or `plan1` and `plan2`: those that there are."""
    single = len(setting.seats) == 1
    found = {}
    for number, member in enumerate(state.members, 1):
        if member.plan:
            found["plan" if single else f"plan{number}"] = await client.text(member.plan)
    return found


def _metadata(task: BenchTask, state: CooperationState) -> dict[str, Any]:
    """The seed's, the workspace's folder, and what the seed has no place for: run, usage, overlaps."""
    seats = task.setting.seats
    return {
        "planning_mode": task.setting.value,
        "agents": [
            {"id": seat.id, "model": model, "role": seat.role}
            for seat, model in zip(seats, task.models, strict=True)
        ],
        "agent_workspace_path": state.workspace.path if state.workspace else "",
        "start_time": stamp(state.started),
        "end_time": stamp(state.ended) if state.ended else None,
        "run": task.run,
        "settled": state.settled,
        "usage": {"total": state.usage.model_dump()}
        | {member.agent: member.usage.model_dump() for member in state.members},
        "forced": [member.agent for member in state.members if member.forced],
        "overlaps": {"first": _overlaps(state.first), "last": _overlaps(state.last or state.first)},
    }


def _overlaps(found: Comparison | None) -> list[str] | None:
    return None if found is None else [told(each) for each in found.conflicts]


def stamp(at: datetime) -> str:
    """`2024-01-15T10:00:05Z`."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class _Teller:
    def __init__(self, client: BenchClient, task: BenchTask) -> None:
        self._client = client
        self._task = task
        self._messages: dict[str, dict[str, Any]] = {}

    async def events(self, members: Sequence[MemberState]) -> Any:
        """All agents' events in the order of time, with a note where the other agent goes on."""
        calls = dict.fromkeys((member.agent for member in members), 0)
        last = ""
        for event in _merged(members):
            at = stamp(event.at)
            match event.kind:
                case TraceKind.LLM_CALL:
                    if last and last != event.agent:
                        yield _coordination(
                            at, event.agent, "agent_switch", {"from": last, "to": event.agent}
                        )
                    last = event.agent
                    calls[event.agent] += 1
                    yield _event(at, event, await self._call(event, calls[event.agent]))
                case TraceKind.TOOL_EXECUTION:
                    yield _event(at, event, await self._tool(event))
                case TraceKind.COMMUNICATION_RECEIVED:
                    text = await self._client.text(event.message)
                    said = {"from": event.source, "message": text.partition("**: ")[2]}
                    yield _coordination(at, event.agent, "communication_received", said)
                case TraceKind.FALLBACK:
                    pass  # the seed has no event for a call that failed; the report names the reason

    async def _call(self, event: TraceEvent, number: int) -> Event:
        digests = await self._client.digests(event.head)
        said = [await self._message(digest) for digest in digests]
        forced = number > self._task.max_iterations
        tools = (AGREE,) if forced else self._task.setting.tools
        return {
            "input": {"messages": said[:-1], "tools": [{"name": name} for name in tools]},
            "output": {
                "content": said[-1].get("content") or "",
                "tool_calls": said[-1].get("tool_calls") or [],
            },
        }

    async def _tool(self, event: TraceEvent) -> Event:
        reply = await self._message(event.message)
        asked = reply["tool_calls"][event.index]["function"]
        answer = str((await self._message(event.answer))["content"])
        return {
            "tool_name": asked["name"],
            "arguments": _arguments(asked["arguments"]),
            "result": {
                "success": event.ok,
                "content": answer if event.ok else "",
                "error": "" if event.ok else answer.removeprefix("Error: "),
            },
        }

    async def _message(self, digest: str) -> dict[str, Any]:
        if digest not in self._messages:
            self._messages[digest] = await self._client.message(digest)
        return self._messages[digest]


def _merged(members: Sequence[MemberState]) -> Iterator[TraceEvent]:
    """Stable: what one agent did stays in its order, and at one moment the first agent goes first."""
    yield from sorted((event for member in members for event in member.trace), key=lambda event: event.at)


def _event(at: str, event: TraceEvent, data: Event) -> Event:
    return {"timestamp": at, "agent_id": event.agent, "type": event.kind.value, "data": data}


def _coordination(at: str, agent: str, action: str, said: Event) -> Event:
    return {"timestamp": at, "agent_id": agent, "type": "coordination", "data": {"action": action, **said}}


def _arguments(raw: str) -> Any:
    """The arguments as the model meant them; as it wrote them where they are no JSON."""
    try:
        return json.loads(raw)
    except ValueError:
        return raw
