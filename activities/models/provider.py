"""Model replies over litellm: one request per call, a time-out that holds, errors that say what to do.

This is the only module that imports litellm, and only on first use: the import takes seconds and 150 MB.
"""

import asyncio
import contextlib
import functools
import importlib
import logging
import os
import re
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from activities.agent_ports import Completion, Message, Tool
from activities.models.counting import completed
from activities.models.errors import Trouble, application_error, trouble_of
from activities.models.messages import EPHEMERAL, speaks_claude, to_keep, to_send
from states.agents import Price, Usage

BEAT_SECONDS = 2.0
"""between two calls of `beat` while waiting for a reply"""
_GRACE_SECONDS = 1.0
"""how long a call that was cancelled may take to clean up"""

_ENVIRONMENT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else it fetches its price list on import
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",  # else a thread fetches them, with sleeps
    "LITELLM_MODE": "PRODUCTION",  # else it loads the first .env above its own or the current folder
    "LITELLM_LOG": "CRITICAL",  # else it prints
    "HF_HUB_OFFLINE": "1",  # no tokenizers from a hub
}
"""set before the import, unless whoever runs the worker has set them"""
_OWN_SERVERS = frozenset({"openai_like", "custom_openai", "llamafile", "lm_studio"})
_OPENAI_ELSEWHERE = ("OPENAI_API_BASE", "OPENAI_BASE_URL")
"""variables that lead `openai/...` to another server"""
_LATER = ("openai.resources", "litellm._service_logger", "litellm.proxy._types")
"""what its first call would import, on the event loop, which stands still for a second meanwhile"""
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")


@functools.cache
def load_litellm() -> Any:
    """The library, imported and quiet. Takes seconds the first time; call it in a thread."""
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    import litellm

    for name in _LATER:
        with contextlib.suppress(ImportError):  # only time is lost where another release has it elsewhere
            importlib.import_module(name)
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.disable_hf_tokenizer_download = True
    for name in _LOGGERS:
        # its records quote requests and headers; what matters comes as an exception
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm


@dataclass
class LiteLlmProvider:
    """A Provider for every model that litellm knows by name. Keys and addresses come from the environment."""

    without_tool_choice: set[str] = field(default_factory=set)
    """models whose servers have refused to be told which tool to use"""

    async def warm(self) -> None:
        """Import litellm in a thread, so that the first call of a worker does not wait for it."""
        await asyncio.to_thread(load_litellm)

    async def complete(
        self,
        model: str,
        messages: list[Message],
        tools: list[Tool],
        *,
        only: str = "",
        seconds: float,
        max_output_tokens: int,
        beat: Callable[[], None] = lambda: None,
    ) -> Completion:
        """See Provider. A model that takes no tool_choice is asked again without it by the next attempt."""
        await self.warm()
        provider = _provider_of(model)
        force = bool(only) and model not in self.without_tool_choice
        request: dict[str, Any] = {
            "model": model,
            "messages": to_send(messages, model, provider),
            "max_tokens": min(max_output_tokens, _most_output(model, provider)),
            "num_retries": 0,
            "max_retries": 0,
            "timeout": seconds + 2 * _GRACE_SECONDS,  # closes the socket where ours could not
            "drop_params": True,
            "_skip_mcp_handler": True,  # that handler needs a package which litellm does not install
        }
        if tools:
            request["tools"] = tools
        if force:
            request["tool_choice"] = _choice(only, tools, provider)
        if provider == "anthropic" and speaks_claude(model, provider):
            request["cache_control"] = EPHEMERAL  # moves along with the end of the conversation
        try:
            reply = await _waiting(load_litellm().acompletion(**request), seconds, beat)
            if not reply.choices:
                raise ValueError("invalid response from the provider: it has no choices")
        except Exception as error:
            missing = await asyncio.to_thread(_missing_keys, model)
            if force and trouble_of(error, missing) is Trouble.TOOL_CHOICE:
                self.without_tool_choice.add(model)
            # the library's chain of causes quotes requests, and Temporal would keep it
            raise application_error(error, model, provider=provider, missing=missing) from None
        kept = to_keep(reply.choices[0].message.model_dump(), messages, model, provider)
        return Completion(
            message=kept,
            usage=completed(_counted(reply, model, provider), request, kept, _price(model, provider)),
            finish=str(reply.choices[0].finish_reason or ""),
        )

    async def price(self, model: str) -> Price:
        """See Provider. The dearest rate at which a token may be billed, so that reservations suffice."""
        await self.warm()
        return await asyncio.to_thread(_price, model, _provider_of(model))


def _choice(only: str, tools: list[Tool], provider: str) -> str | dict[str, Any]:
    """The demand for a call of one tool.

    llama.cpp's server takes a tool demanded by name for a mere offer, and says nothing. Where it may listen
    and no other tool is offered, the word for "some tool" demands the same.
    """
    may_be_llama = provider in _OWN_SERVERS or (
        provider == "openai" and any(os.environ.get(name) for name in _OPENAI_ELSEWHERE)
    )
    if may_be_llama and [tool["function"]["name"] for tool in tools] == [only]:
        return "required"
    return {"type": "function", "function": {"name": only}}


async def _waiting(call: Coroutine[Any, Any, Any], seconds: float, beat: Callable[[], None]) -> Any:
    """The reply. Raises TimeoutError after `seconds` even if the call does not heed its cancellation."""
    task = asyncio.ensure_future(call)
    try:
        async with asyncio.timeout(seconds):
            while not task.done():
                beat()
                await asyncio.wait({task}, timeout=BEAT_SECONDS)
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            task.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody else looks
            await asyncio.wait({task}, timeout=_GRACE_SECONDS)


def _provider_of(model: str) -> str:
    """Blank for a name that litellm cannot place; the call itself then says so."""
    try:
        _, provider, _, _ = load_litellm().get_llm_provider(model=model)
    except Exception:  # whatever its lookup raises
        return ""
    return str(provider)


def _missing_keys(model: str) -> tuple[str, ...]:
    try:
        return tuple(load_litellm().validate_environment(model=model)["missing_keys"])
    except Exception:  # only the wording of another error depends on it
        return ()


def _listed(model: str, provider: str) -> dict[str, Any]:
    """litellm's entry for the model in the list that comes with it; empty for one that is not there.

    Not `get_model_info`: that asks servers for some providers, and takes a missing price for 0.
    """
    prices = load_litellm().model_cost
    name = model.removeprefix(f"{provider}/")
    entries = (prices.get(key) for key in (model, f"{provider}/{name}", name))
    return next((entry for entry in entries if entry), {})


def _most_output(model: str, provider: str) -> float:
    most = _listed(model, provider).get("max_output_tokens")
    return most if isinstance(most, int) and most > 0 else float("inf")


def _price(model: str, provider: str) -> Price:
    entry = _listed(model, provider)
    prompt = _rates(entry, "input_cost_per_token")
    if speaks_claude(model, provider):
        prompt += _rates(entry, "cache_creation_input_token_cost")
    completion = _rates(entry, "output_cost_per_token") + _rates(entry, "output_cost_per_reasoning_token")
    return Price(prompt=max(prompt, default=None), completion=max(completion, default=None))


def _rates(entry: dict[str, Any], name: str) -> list[float]:
    """USD per token under this name, for short prompts and for long ones."""
    return [
        rate
        for key, rate in entry.items()
        if isinstance(rate, int | float) and re.fullmatch(rf"{name}(?:_above_\d+k_tokens)?", key)
    ]


def _counted(reply: Any, model: str, provider: str) -> Usage:
    used = getattr(reply, "usage", None)
    details = getattr(used, "prompt_tokens_details", None)
    cost = reply._hidden_params.get("response_cost")
    # a cost of 0 is also what litellm says of models whose price it does not know
    known = cost is not None and (cost > 0 or _price(model, provider).prompt is not None)
    return Usage(
        calls=1,
        # Whatever a server counts, nothing that was spent comes back.
        prompt_tokens=max(getattr(used, "prompt_tokens", None) or 0, 0),
        completion_tokens=max(getattr(used, "completion_tokens", None) or 0, 0),
        cached_tokens=max(getattr(details, "cached_tokens", None) or 0, 0),
        cost_usd=max(float(cost), 0.0) if known else 0.0,
        unpriced_calls=0 if known else 1,
    )
