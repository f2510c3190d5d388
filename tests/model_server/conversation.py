"""What was asked, read alike from both dialects, as far as rules look at it."""

import json
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Conversation:
    """A request for a reply."""

    model: str
    system: str
    messages: tuple[tuple[str, str], ...]
    """role and text of each message after the system prompt; a text holds tool calls and results too"""
    tools: tuple[str, ...] = ()
    forced: str = ""
    texts: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "texts", (self.system, *(text for _, text in self.messages)))

    @property
    def first(self) -> str:
        """The first message after the system prompt."""
        return self.messages[0][1] if self.messages else ""

    @property
    def last(self) -> str:
        """The last message."""
        return self.messages[-1][1] if self.messages else ""

    @property
    def reply_places(self) -> tuple[int, ...]:
        """Where the model has spoken."""
        return tuple(place for place, (role, _) in enumerate(self.messages) if role == "assistant")

    def until(self, place: int) -> "Conversation":
        """The request that the message at this place replied to; nothing was forced in it."""
        return replace(self, messages=self.messages[:place], forced="")


def of_chat(body: dict[str, Any]) -> Conversation:
    """Read a body of POST /chat/completions."""
    tools = tuple(tool["function"]["name"] for tool in body.get("tools") or ())
    messages = [(m["role"], _chat_text(m)) for m in body["messages"]]
    return Conversation(
        model=body["model"],
        system="\n".join(text for role, text in messages if role in ("system", "developer")),
        messages=tuple(m for m in messages if m[0] not in ("system", "developer")),
        tools=tools,
        forced=_forced(body.get("tool_choice"), tools),
    )


def _forced(choice: Any, tools: tuple[str, ...]) -> str:
    """The demanded tool: by its name, or by a word where no other is offered."""
    if isinstance(choice, dict):
        return str(choice["function"]["name"])
    return tools[0] if choice == "required" and len(tools) == 1 else ""


def of_messages(body: dict[str, Any]) -> Conversation:
    """Read a body of POST /messages (Anthropic)."""
    choice = body.get("tool_choice") or {}
    return Conversation(
        model=body["model"],
        system=_blocks(body.get("system") or ""),
        messages=tuple((m["role"], _blocks(m["content"])) for m in body["messages"]),
        tools=tuple(tool["name"] for tool in body.get("tools") or ()),
        forced=choice.get("name", ""),
    )


def _chat_text(message: dict[str, Any]) -> str:
    calls = [f"{c['function']['name']} {c['function']['arguments']}" for c in message.get("tool_calls") or ()]
    return "\n".join([_blocks(message.get("content") or ""), *calls])


def _blocks(content: str | list[dict[str, Any]]) -> str:
    """Text of content that is a string or a list of blocks; blocks that are no text show as JSON."""
    if isinstance(content, str):
        return content
    return "\n".join(
        block["text"] if block.get("type") == "text" else json.dumps(block, ensure_ascii=False)
        for block in content
    )
