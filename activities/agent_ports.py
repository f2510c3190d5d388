"""The ports of agents: a provider of model replies, a toolbox, and what submissions become."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from activities.agent_orders import AgentOrder
from states.agents import Price, Usage

Message = dict[str, Any]
"""an OpenAI chat message: role, content, tool_calls, tool_call_id"""
Tool = dict[str, Any]
"""an OpenAI function tool: {"type": "function", "function": {name, description, parameters}}"""


@dataclass(frozen=True)
class Completion:
    """One reply of a model. `message` is what goes back into the conversation, as plain JSON."""

    message: Message
    usage: Usage
    finish: str = ""


class Provider(Protocol):
    """Where model replies come from. The only implementation for real use is over litellm."""

    async def complete(
        self,
        model: str,
        messages: list[Message],
        tools: list[Tool],
        *,
        only: str = "",
        seconds: float,
        max_output_tokens: int,
    ) -> Completion:
        """One call without retries of its own. `only` names a tool that must be used.

        Raises temporalio's ApplicationError, non-retryable where no retry helps, with `next_retry_delay`
        where the provider said when to come again.
        """
        ...

    async def price(self, model: str) -> Price:
        """What a token of the model costs, where it is known."""
        ...


@dataclass(frozen=True)
class Given:
    """What a tool may say: text for the model, or an error for it; the rest as in ToolAnswer."""

    content: str = ""
    error: str = ""
    answer: dict[str, Any] = field(default_factory=dict)
    """fields of the ToolAnswer other than message and size; `mail` and `plan` as texts"""

    @property
    def text(self) -> str:
        """What the model reads."""
        return f"Error: {self.error}" if self.error else self.content


class Desk(Protocol):
    """What one kind of agent is given and may hand over: prompts, tools, submissions."""

    async def opening(self, order: AgentOrder) -> list[Message]:
        """The system prompt and the first user message."""
        ...

    def tools(self, order: AgentOrder) -> list[Tool]:
        """What is offered, in a fixed order, the same bytes for the same order."""
        ...

    def submitting(self, order: AgentOrder) -> str:
        """The name of the tool whose success ends the conversation."""
        ...

    def demand(self, order: AgentOrder) -> str:
        """The user message of the forced call."""
        ...

    async def fallback(self, order: AgentOrder) -> str:
        """The text that stands in for a plan that never came; blank where nothing may."""
        ...

    async def run(self, order: AgentOrder, name: str, arguments: str, *, model: str) -> Given:
        """Run a tool on raw JSON arguments. Raises only for trouble that is not the model's."""
        ...
