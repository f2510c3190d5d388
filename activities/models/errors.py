"""What went wrong with a model call: whether coming again helps, when, and one sentence for people.

Read off the status, not off the class: providers and litellm raise the same class for things that pass
and things that do not (`insufficient_quota` comes as a rate limit, a refused connection as a 500).
"""

import email.utils
import json
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Any

from temporalio.exceptions import ApplicationError

from activities.models.redact import redacted

LONGEST_WAIT = timedelta(hours=1)
"""the most that a provider's Retry-After is believed"""
_LONGEST_QUOTE = 300
_LONGEST_READ = 20_000


class Trouble(StrEnum):
    """Kinds of trouble; the `type` of the ApplicationError."""

    KEY_MISSING = "ModelKeyMissing"
    KEY_REFUSED = "ModelKeyRefused"
    FORBIDDEN = "ModelForbidden"
    UNKNOWN_PROVIDER = "ModelProviderUnknown"
    UNKNOWN_MODEL = "ModelUnknown"
    QUOTA = "ModelQuotaExhausted"
    CONTEXT_OVERFLOW = "ContextOverflow"
    CONTENT_POLICY = "ModelContentPolicy"
    BAD_REQUEST = "ModelRequestRefused"
    TOOL_CHOICE = "ModelToolChoiceRefused"
    RATE_LIMIT = "ModelRateLimited"
    UNREACHABLE = "ModelUnreachable"
    CUT = "ModelConnectionCut"
    TIME_OUT = "ModelTimeOut"
    BAD_REPLY = "ModelReplyUnusable"
    PROVIDER_DOWN = "ModelProviderFailed"


PASSES = frozenset(
    {
        Trouble.TOOL_CHOICE,  # the next attempt leaves tool_choice out
        Trouble.RATE_LIMIT,
        Trouble.UNREACHABLE,
        Trouble.CUT,
        Trouble.TIME_OUT,
        Trouble.BAD_REPLY,
        Trouble.PROVIDER_DOWN,
    }
)
"""trouble that may be gone at the next attempt"""

MAY_BE_BILLED = frozenset({Trouble.TIME_OUT, Trouble.CUT, Trouble.BAD_REPLY})
"""trouble after which a provider may send a bill; who answers with an error has made no reply"""

_SENTENCES = {
    Trouble.KEY_MISSING: "there is no key for {provider}; set {variables} for the worker, "
    "restart it and resume",
    Trouble.KEY_REFUSED: "the key for {provider} was refused ({status}); set {variables} for the worker, "
    "restart it and resume",
    Trouble.FORBIDDEN: "{provider} does not let this key use {model} ({status}): {said}; "
    "change the key or the model and resume",
    Trouble.UNKNOWN_PROVIDER: "{model} names no provider that is known; "
    "write provider/model, for example anthropic/claude-sonnet-4-5",
    Trouble.UNKNOWN_MODEL: "{provider} knows no model {model} ({status}): {said}; choose another model",
    Trouble.QUOTA: "the quota or credit for {provider} is used up: {said}; top it up there and resume",
    Trouble.CONTEXT_OVERFLOW: "the conversation is too long for {model}: {said}; "
    "choose a model with a larger context window",
    Trouble.CONTENT_POLICY: "{provider} refused the request by its content policy: {said}; "
    "choose another model or change the task",
    Trouble.BAD_REQUEST: "{provider} refused the request for {model} ({status}): {said}; "
    "choose another model",
    Trouble.TOOL_CHOICE: "{model} takes no tool_choice ({status}); the call is repeated without it",
    Trouble.RATE_LIMIT: "{provider} takes no more calls just now ({status}): {said}",
    Trouble.UNREACHABLE: "{provider} could not be reached; is its address right and its server up?",
    Trouble.CUT: "the connection to {provider} was cut before the reply was complete",
    Trouble.TIME_OUT: "{model} did not reply within its time-out",
    Trouble.BAD_REPLY: "{provider} sent a reply for {model} that cannot be read: {said}",
    Trouble.PROVIDER_DOWN: "{provider} failed ({status}): {said}",
}

_NO_REPLY = frozenset({"ConnectError", "ConnectTimeout", "ClientConnectorError", "gaierror"})
_CUT = frozenset(
    {"ReadError", "WriteError", "RemoteProtocolError", "ClientPayloadError", "ServerDisconnectedError"}
)
_NOT_JSON = frozenset({"JSONDecodeError", "APIResponseValidationError"})
_QUOTA = re.compile(
    r"insufficient[_ ]quota|exceeded your current quota|credit balance is too low|"
    r"billing[_ ](?:hard[_ ]limit|not[_ ]active)",
    re.I,
)
_COMES_BACK = re.compile(r"retry in \d|retry_?delay|per_?minute", re.I)
"""Gemini words its limits per minute as an exceeded quota"""
_OVERFLOW = re.compile(
    r"context[_ ](?:length|window|size)|prompt is too long|maximum context|too many tokens", re.I
)
_NO_KEY = re.compile(
    r"missing credentials|missing .{0,30}api[_ -]?key|api_key client option must be set", re.I
)
_UNREADABLE = re.compile(
    r"invalid response from|unable to get json|not (?:a )?valid json|"
    r"output that does not match the expected",  # llama.cpp, of a tool call that it cannot parse
    re.I,
)
_PREFIXES = re.compile(r"^(?:(?:litellm\.)?\w+(?:Error|Exception|Timeout)(?:: | - ))*")
_ADVICE = re.compile(r"\.? ?Handle with `litellm\.\w+`\.?$")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202f\u2066-\u2069\ud800-\udfff]+")


def application_error(
    error: BaseException, model: str, *, provider: str = "", missing: Sequence[str] = ()
) -> ApplicationError:
    """What to raise `from None` in place of the library's error, whose chain may hold keys and prompts.

    `missing` are the variables that the provider reads its key from and that are not set.
    """
    trouble = trouble_of(error, missing)
    place = provider or model.partition("/")[0]
    sentence = _SENTENCES[trouble].format(
        model=model,
        provider=place,
        status=getattr(error, "status_code", None) or "no status",
        said=said(error),
        variables=", ".join(missing) or _key_variable(place),
    )
    return ApplicationError(
        redacted(sentence, os.environ),
        type=trouble,
        non_retryable=trouble not in PASSES,
        next_retry_delay=retry_after(error) if trouble in PASSES else None,
    )


def _key_variable(provider: str) -> str:
    """The variable with the provider's key, where it is called as usual."""
    usual = f"{re.sub(r'[^A-Za-z0-9]', '_', provider).upper()}_API_KEY"
    return usual if usual in os.environ else "its credentials"


def trouble_of(error: BaseException, missing: Sequence[str] = ()) -> Trouble:
    """Which trouble this is; unknown statuses are taken to pass."""
    status, text, names = getattr(error, "status_code", None), str(error), set(_names(error))
    if names & _NO_REPLY:
        return Trouble.UNREACHABLE
    if isinstance(error, TimeoutError) or status == 408 or "Timeout" in names:
        return Trouble.TIME_OUT
    if names & _CUT:
        return Trouble.CUT
    if _QUOTA.search(text) and not _COMES_BACK.search(text) and status in (400, 402, 403, 429):
        return Trouble.QUOTA
    if _NO_KEY.search(text) or (status == 401 and missing):
        return Trouble.KEY_MISSING
    if "LLM Provider NOT provided" in text:
        return Trouble.UNKNOWN_PROVIDER
    if (status is None or status >= 500) and (names & _NOT_JSON or _UNREADABLE.search(text)):
        return Trouble.BAD_REPLY
    return _by_status(status, text, names)


def _by_status(status: int | None, text: str, names: set[str]) -> Trouble:
    match status:
        case 401:
            return Trouble.KEY_REFUSED
        case 402:
            return Trouble.QUOTA
        case 403:
            return Trouble.FORBIDDEN
        case 404:
            return Trouble.UNKNOWN_MODEL
        case 400 | 405 | 413 | 422:
            return _refused(text, names)
        case 429:
            return Trouble.RATE_LIMIT
        case 504 | 524:
            return Trouble.TIME_OUT  # of a proxy: what it waited for may have gone on
    return Trouble.PROVIDER_DOWN


def _refused(text: str, names: set[str]) -> Trouble:
    if "ContextWindowExceededError" in names or _OVERFLOW.search(text):
        return Trouble.CONTEXT_OVERFLOW
    if "ContentPolicyViolationError" in names:
        return Trouble.CONTENT_POLICY
    if "tool_choice" in text:
        return Trouble.TOOL_CHOICE
    return Trouble.BAD_REQUEST


def retry_after(error: BaseException) -> timedelta | None:
    """When the provider said to come again, at most LONGEST_WAIT; litellm keeps the real headers apart."""
    response = getattr(error, "response", None)
    for headers in (getattr(error, "litellm_response_headers", None), getattr(response, "headers", None)):
        seconds = _seconds(headers or {})
        if seconds is not None and seconds > 0:
            return timedelta(seconds=min(seconds, LONGEST_WAIT.total_seconds()))
    return None


def _seconds(headers: Mapping[str, str]) -> float | None:
    try:
        if milliseconds := headers.get("retry-after-ms"):
            return float(milliseconds) / 1000
        value = headers.get("retry-after")
        if value is None:
            return None
        if value.strip()[:1].isdigit():
            return float(value)
        date = email.utils.parsedate_tz(value)
        return email.utils.mktime_tz(date) - time.time() if date else None
    except (ValueError, OverflowError):
        return None  # whatever else a provider writes there


def said(error: BaseException) -> str:
    """The provider's own words in one tame line, without the names that libraries put before them."""
    text = _ADVICE.sub("", _PREFIXES.sub("", str(error)[:_LONGEST_READ]))
    text = _message_in(text).partition("Traceback (most recent call last)")[0]
    text = redacted(text, os.environ)  # before it is cut: half a key is no value of any variable
    line = " ".join(_CONTROLS.sub(" ", text).split()) or type(error).__name__
    return line if len(line) <= _LONGEST_QUOTE else f"{line[: _LONGEST_QUOTE - 1]}…"


def _message_in(text: str) -> str:
    """The `error.message` of a JSON body, or the text itself."""
    try:
        body: Any = json.loads(text)
    except ValueError:
        return text
    inner = body.get("error") if isinstance(body, dict) else None
    message = inner.get("message") if isinstance(inner, dict) else None
    return message if isinstance(message, str) else text


def _names(error: BaseException) -> Iterator[str]:
    """Class names along the chain of causes: what happened on the wire stands only there."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield type(link).__name__
        link = link.__cause__ or link.__context__
