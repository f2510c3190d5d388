"""The flow of a job by agents as a loop around litellm: same prompts, same tools, nothing that survives."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from activities.desks.offers import SUBMIT_ARTIFACT, SUBMIT_REVIEW
from activities.index.model import Index
from activities.models.provider import load_litellm
from activities.tools.toolbox import Toolbox

ENDS = (SUBMIT_ARTIFACT, SUBMIT_REVIEW)


def first_requests(bodies: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """How each conversation began, of all requests of a job in their order."""
    return [body for body in bodies if not any(m["role"] == "assistant" for m in body["messages"])]


async def bare_job(openings: Sequence[dict[str, Any]], model: str, repository: Path, index: Index) -> int:
    """Converse from each opening until something is handed over; gives the number of model calls."""
    box = Toolbox(repository, lambda: index)
    return sum([await _converse(opening, model, box) for opening in openings])


async def _converse(opening: dict[str, Any], model: str, box: Toolbox) -> int:
    messages: list[dict[str, Any]] = [*opening["messages"]]
    for number in range(1, 100):
        reply = await load_litellm().acompletion(
            model=model,
            messages=messages,
            tools=opening["tools"],
            num_retries=0,
            max_retries=0,
            _skip_mcp_handler=True,
        )
        said = reply.choices[0].message
        calls = said.tool_calls or ()
        messages.append(
            {"role": "assistant", "content": said.content, "tool_calls": [_plain(c) for c in calls]}
        )
        if any(call.function.name in ENDS for call in calls):
            return number
        answers = await asyncio.gather(
            *(asyncio.to_thread(box.run, call.function.name, call.function.arguments) for call in calls)
        )
        messages += [
            {"role": "tool", "tool_call_id": call.id, "content": answer.text}
            for call, answer in zip(calls, answers, strict=True)
        ]
    raise RuntimeError("the script of the model never hands anything over")


def _plain(call: Any) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(call.model_dump_json())
    return plain
