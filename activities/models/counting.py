"""Tokens of a call whose server counts none: estimated from bytes, so that a limit on tokens still holds."""

from typing import Any

from activities.agent_ports import Message
from states.agents import Price, Usage
from states.artifacts.base import canonical_json

BYTES_OF_A_TOKEN = 3
"""of code and prose in UTF-8 tokens hold 3 to 4.5 on average: rather a few tokens too many than too few"""


def completed(counted: Usage, sent: dict[str, Any], reply: Message, price: Price) -> Usage:
    """`counted` with estimates for what the server left out: every call reads, and replies say something.

    `sent` is the request, of which messages and tools count; `price` is the model's, for what is estimated.
    """
    prompt = 0 if counted.prompt_tokens else _tokens([sent["messages"], sent.get("tools", [])])
    said = [reply.get(part) for part in ("content", "tool_calls", "reasoning_content") if reply.get(part)]
    completion = 0 if counted.completion_tokens or not said else _tokens(said)
    if not prompt and not completion:
        return counted
    known = price.prompt is not None and price.completion is not None
    cost = prompt * (price.prompt or 0) + completion * (price.completion or 0) if known else 0.0
    return counted.model_copy(
        update={
            "prompt_tokens": counted.prompt_tokens + prompt,
            "completion_tokens": counted.completion_tokens + completion,
            "cost_usd": counted.cost_usd + cost,
            "estimated_calls": 1,
        }
    )


def _tokens(what: object) -> int:
    return -(-len(canonical_json(what)) // BYTES_OF_A_TOKEN)
