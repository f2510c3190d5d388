"""Messages as they are kept and as they are sent: plain JSON that every provider takes.

What is sent is a function of the kept message and the provider alone, so that the prefix of a conversation
never changes on the wire and providers' prompt caches find it again.
"""

import hashlib
import json
import re
from collections.abc import Iterable
from typing import Any

from activities.agent_ports import Message

EPHEMERAL = {"type": "ephemeral"}
"""Anthropic's mark for the end of a prefix that is worth caching"""
_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
"""ids that every provider takes; Gemini's carry its thought signatures and may be longer"""
_OWN_IDS = frozenset({"gemini", "vertex_ai", "vertex_ai_beta"})
_CLAUDE_HOSTS = frozenset({"anthropic", "bedrock", "vertex_ai", "azure_ai", "openrouter"})
_REASONING_BACK = frozenset({"deepseek", "moonshot"})
"""providers that demand their `reasoning_content` back within a turn of tool calls"""
_NOTHING = "(empty reply)"
"""stands for a reply without text and calls, which providers refuse to read"""


def speaks_claude(model: str, provider: str) -> bool:
    """Whether a model wants thinking blocks back and takes marks for its prompt cache."""
    return "claude" in model.lower() and provider in _CLAUDE_HOSTS


def to_send(messages: Iterable[Message], model: str, provider: str) -> list[Message]:
    """The messages for this provider. What only other providers understand is left out."""
    return [_sent(message, model, provider) for message in messages]


def _sent(message: Message, model: str, provider: str) -> Message:
    role, content = message["role"], message.get("content") or ""
    if role == "tool":
        return {"role": role, "tool_call_id": _id_for(provider, message["tool_call_id"]), "content": content}
    if role == "system" and content and speaks_claude(model, provider):
        return {"role": role, "content": [{"type": "text", "text": content, "cache_control": EPHEMERAL}]}
    if role != "assistant":
        return {"role": role, "content": content}
    calls = [_sent_call(call, provider) for call in message.get("tool_calls") or ()]
    sent: Message = {"role": role, "content": content or (None if calls else _NOTHING)}
    if calls:
        sent["tool_calls"] = calls
    if speaks_claude(model, provider) and message.get("thinking_blocks"):
        sent["thinking_blocks"] = message["thinking_blocks"]
    if provider in _REASONING_BACK and message.get("reasoning_content"):
        sent["reasoning_content"] = message["reasoning_content"]
    return sent


def _sent_call(call: dict[str, Any], provider: str) -> dict[str, Any]:
    function = call["function"]
    return {
        "id": _id_for(provider, call["id"]),
        "type": "function",
        "function": {"name": function["name"], "arguments": _readable(function["arguments"])},
    }


def _id_for(provider: str, call_id: str) -> str:
    if provider in _OWN_IDS or _ID.fullmatch(call_id):
        return call_id
    return f"call_{hashlib.sha256(call_id.encode()).hexdigest()[:32]}"


def _readable(arguments: str) -> str:
    """Arguments as a JSON object: several servers fail on a conversation that quotes anything else."""
    try:
        return arguments if isinstance(json.loads(arguments), dict) else _quoted(arguments)
    except (ValueError, RecursionError):
        return _quoted(arguments)


def _quoted(arguments: str) -> str:
    return json.dumps({"malformed_arguments": arguments}, ensure_ascii=False)


def to_keep(reply: dict[str, Any], earlier: Iterable[Message], model: str, provider: str) -> Message:
    """A reply as plain JSON for the conversation. `reply` is litellm's message, dumped.

    Every call has an id that is unique in the conversation; missing and repeated ones are made of its place.
    """
    before = list(earlier)
    kept: Message = {"role": "assistant", "content": _clean(_text(reply) or _refusal(reply))}
    taken = {call["id"] for message in before for call in message.get("tool_calls") or ()}
    calls = []
    for place, call in enumerate(reply.get("tool_calls") or ()):
        call_id = _clean(call.get("id") or "")
        if not call_id or call_id in taken:
            call_id = f"call_{len(before)}_{place}"
        taken.add(call_id)
        calls.append({"id": call_id, "type": "function", "function": _function(call.get("function") or {})})
    if calls:
        kept["tool_calls"] = calls
    if speaks_claude(model, provider) and reply.get("thinking_blocks"):
        kept["thinking_blocks"] = reply["thinking_blocks"]
    if provider in _REASONING_BACK and reply.get("reasoning_content"):
        kept["reasoning_content"] = _clean(reply["reasoning_content"])
    return kept


def _function(function: dict[str, Any]) -> dict[str, str]:
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments or {}, ensure_ascii=False)
    return {"name": _clean(str(function.get("name") or "")), "arguments": _clean(arguments).strip() or "{}"}


def _text(reply: dict[str, Any]) -> str:
    content = reply.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(block.get("text") or "" for block in content if isinstance(block, dict))


def _refusal(reply: dict[str, Any]) -> str:
    fields = reply.get("provider_specific_fields") or {}
    return str(reply.get("refusal") or fields.get("refusal") or "")


def _clean(text: str) -> str:
    """Without lone surrogates, which JSON can carry and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")
