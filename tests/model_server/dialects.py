"""The bytes of answers and faults, in the words of the chat completions and of the Messages API."""

import json
from typing import Any

from tests.model_server.conversation import Conversation
from tests.model_server.script import Answer, Call, Fault, FaultKind, Tokens

CHAT_FAULTS: dict[FaultKind, tuple[int, str, str, str]] = {
    FaultKind.RATE_LIMITED: (429, "requests", "rate_limit_exceeded", "Rate limit reached for requests"),
    FaultKind.NO_QUOTA: (429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota"),
    FaultKind.BAD_KEY: (401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided"),
    FaultKind.FORBIDDEN: (403, "invalid_request_error", "forbidden", "Project has no access to this model"),
    FaultKind.UNKNOWN_MODEL: (404, "invalid_request_error", "model_not_found", "The model does not exist"),
    FaultKind.CONTEXT_OVERFLOW: (
        *(400, "invalid_request_error", "context_length_exceeded"),
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    ),
    FaultKind.BAD_REQUEST: (400, "invalid_request_error", "invalid_value", "Invalid value: 'nonsense'"),
    FaultKind.CONTENT_POLICY: (
        *(400, "invalid_request_error", "content_policy_violation"),
        "Your request was rejected as a result of our safety system.",
    ),
    FaultKind.NO_TOOL_CHOICE: (
        *(400, "invalid_request_error", "unsupported_parameter"),
        "tool_choice is not supported by this model",
    ),
    FaultKind.SERVER_ERROR: (500, "server_error", "server_error", "The server had an error"),
    FaultKind.OVERLOADED: (503, "server_error", "overloaded", "The engine is currently overloaded"),
}
"""kind -> status, type, code, message"""

MESSAGES_FAULTS: dict[FaultKind, tuple[int, str, str]] = {
    FaultKind.RATE_LIMITED: (429, "rate_limit_error", "This request would exceed your rate limit"),
    FaultKind.NO_QUOTA: (
        400,
        "invalid_request_error",
        "Your credit balance is too low to access the Anthropic API.",
    ),
    FaultKind.BAD_KEY: (401, "authentication_error", "invalid x-api-key"),
    FaultKind.FORBIDDEN: (403, "permission_error", "Your API key may not use this resource"),
    FaultKind.UNKNOWN_MODEL: (404, "not_found_error", "model: nothing"),
    FaultKind.CONTEXT_OVERFLOW: (400, "invalid_request_error", "prompt is too long: 201000 > 200000 maximum"),
    FaultKind.BAD_REQUEST: (400, "invalid_request_error", "messages: nonsense"),
    FaultKind.CONTENT_POLICY: (400, "invalid_request_error", "Output blocked by content filtering policy"),
    FaultKind.NO_TOOL_CHOICE: (400, "invalid_request_error", "tool_choice is not supported"),
    FaultKind.SERVER_ERROR: (500, "api_error", "Internal server error"),
    FaultKind.OVERLOADED: (529, "overloaded_error", "Overloaded"),
}
"""kind -> status, type, message"""


def chat_fault(fault: Fault) -> tuple[int, dict[str, Any]]:
    """Status and body of an error of the chat completions API."""
    status, kind, code, message = CHAT_FAULTS[fault.kind]
    error = {"message": fault.message or message, "type": kind, "param": None, "code": code}
    return status, {"error": error}


def messages_fault(fault: Fault) -> tuple[int, dict[str, Any]]:
    """Status and body of an error of the Messages API."""
    status, kind, message = MESSAGES_FAULTS[fault.kind]
    return status, {"type": "error", "error": {"type": kind, "message": fault.message or message}}


def chat_answer(answer: Answer, asked: Conversation, size: int) -> dict[str, Any]:
    """Body of a reply of the chat completions API to a request of `size` bytes."""
    message: dict[str, Any] = {
        "role": "assistant",
        "content": answer.text or None,
        "refusal": answer.refusal or None,
    }
    if answer.thinking:
        message["reasoning_content"] = answer.thinking
    if answer.calls:
        message["tool_calls"] = [
            {
                "id": _id(call, asked, n),
                "type": "function",
                "function": {"name": call.name, "arguments": _raw(call)},
            }
            for n, call in enumerate(answer.calls)
        ]
    used = answer.usage or _estimate(answer, size)
    usage = {
        "prompt_tokens": used.prompt,
        "completion_tokens": used.completion,
        "total_tokens": used.prompt + used.completion,
        "prompt_tokens_details": {"cached_tokens": used.cached},
    }
    return {
        "id": f"chatcmpl-{len(asked.messages)}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": asked.model,
        "choices": [{"index": 0, "message": message, "finish_reason": _finish(answer), "logprobs": None}],
        **({"usage": usage} if answer.counted else {}),
    }


def messages_answer(answer: Answer, asked: Conversation, size: int) -> dict[str, Any]:
    """Body of a reply of the Messages API; arguments that are no JSON object cannot be said in it."""
    content: list[dict[str, Any]] = []
    if answer.thinking:
        content.append({"type": "thinking", "thinking": answer.thinking, "signature": "c2lnbmVk"})
    if text := answer.text or answer.refusal:
        content.append({"type": "text", "text": text})
    content += [
        {"type": "tool_use", "id": _id(call, asked, n), "name": call.name, "input": call.arguments}
        for n, call in enumerate(answer.calls)
    ]
    reasons = {
        "tool_calls": "tool_use",
        "stop": "end_turn",
        "length": "max_tokens",
        "content_filter": "refusal",
    }
    used = answer.usage or _estimate(answer, size)
    return {
        "id": f"msg_{len(asked.messages)}",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": content,
        "stop_reason": reasons[_finish(answer)],
        "stop_sequence": None,
        "usage": {
            "input_tokens": used.prompt - used.cached,
            "cache_read_input_tokens": used.cached,
            "cache_creation_input_tokens": 0,
            "output_tokens": used.completion,
        },
    }


def _id(call: Call, asked: Conversation, number: int) -> str:
    return f"call_{len(asked.messages)}_{number}" if call.id is None else call.id


def _raw(call: Call) -> str:
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)


def _finish(answer: Answer) -> str:
    if answer.refusal:
        return answer.finish or "content_filter"
    return answer.finish or ("tool_calls" if answer.calls else "stop")


def _estimate(answer: Answer, size: int) -> Tokens:
    said = sum(len(part) for part in (answer.text, answer.refusal, answer.thinking))
    return Tokens(
        prompt=size // 4,
        completion=(said + sum(len(_raw(call)) + len(call.name) for call in answer.calls)) // 4 + 1,
    )
