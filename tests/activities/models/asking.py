"""What the tests of the provider ask: a short conversation with two tools."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from activities.agent_ports import Completion, Message, Tool
from activities.models.provider import LiteLlmProvider
from tests.model_server.script import Script
from tests.model_server.server import ModelServer

OPENAI = "openai/local-model"
CLAUDE = "anthropic/claude-sonnet-4-5"

OPENING: list[Message] = [
    {"role": "system", "content": "You plan."},
    {"role": "user", "content": "Plan a café."},
]


def tool(name: str) -> Tool:
    """A tool with one text parameter."""
    parameters = {"type": "object", "properties": {"plan": {"type": "string"}}, "required": ["plan"]}
    return {"type": "function", "function": {"name": name, "description": name, "parameters": parameters}}


TOOLS = [tool("read_file"), tool("submit")]


@contextmanager
def serving(script: Script) -> Iterator[ModelServer]:
    """A server that the provider finds by the environment."""
    with ModelServer(script) as server:
        before = dict(os.environ)
        os.environ.update(server.environment)
        try:
            yield server
        finally:
            os.environ.clear()
            os.environ.update(before)


async def ask(model: str = OPENAI, messages: list[Message] | None = None, **options: Any) -> Completion:
    """One call; `provider` in the options is asked in place of a new one."""
    provider: LiteLlmProvider = options.pop("provider", None) or LiteLlmProvider()
    given = {"tools": TOOLS, "seconds": 20.0, "max_output_tokens": 500, **options}
    return await provider.complete(model, messages or OPENING, **given)
