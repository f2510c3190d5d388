"""structlog processors: what every log event goes through before it is written."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from structlog.stdlib import ExtraAdder
from structlog.types import EventDict, WrappedLogger

_LONGEST_VALUE = 500
_LONGEST_TRACEBACK = 8000
_DEEPEST = 4
_MOST_ITEMS = 20
_HIDDEN = "[redacted]"

_SECRET_WORDS = frozenset(
    ("key", "apikey", "token", "password", "passwd", "passphrase", "secret", "secrets", "bearer")
) | frozenset(("authorization", "credential", "credentials"))
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_URL_PASSWORD = re.compile(r"(?<=://)[^/\s@]+(?=@)")
_BEARER = re.compile(r"\b(Bearer|Basic)\s+[\w.~+/=-]{8,}", re.IGNORECASE)

# fields that the SDK attaches for its own handlers; large, or said elsewhere
_INTERNAL = ("_record", "_from_structlog", "temporal_log", "workflow_info", "activity_info", "taskName")

_extra = ExtraAdder()
_FROM_WORKFLOW = {"workflow_id": "job", "run_id": "run", "workflow_type": "workflow"}
_FROM_ACTIVITY = {
    "workflow_id": "job",
    "activity_type": "activity",
    "activity_id": "activity_id",
    "attempt": "attempt",
}


def add_record_fields(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """The fields that a logging call came with: `extra`, or those of `workflows.log`."""
    event = _extra(logger, method, event)
    for formatted_by_others in ("message", "asctime"):
        event.pop(formatted_by_others, None)
    return {**event.pop("phasegate_fields", {}), **event}


def drop_internals(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Take away what only the logging machinery needs."""
    for name in _INTERNAL:
        event.pop(name, None)
    return event


def flatten_temporal(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """The SDK's nested particulars as plain fields in our words; fields that are bound already win."""
    for nested, names in (("temporal_workflow", _FROM_WORKFLOW), ("temporal_activity", _FROM_ACTIVITY)):
        details = event.pop(nested, None)
        if isinstance(details, Mapping):
            for theirs, ours in names.items():
                if theirs in details:
                    event.setdefault(ours, details[theirs])
    return event


def keep_confidential(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Hide what looks like a secret, and cut what is long enough to be somebody's file or prompt."""
    for name, value in event.items():
        if name == "exception":
            event[name] = _hide_in_text(str(value))[-_LONGEST_TRACEBACK:]
        else:
            event[name] = _safe(name, value, 0)
    return event


def _safe(name: str, value: Any, depth: int) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if _is_secret(name):
        return _HIDDEN
    if isinstance(value, int | float):
        return value
    if isinstance(value, bytes | bytearray):
        return f"<{len(value)} bytes>"
    if isinstance(value, str) or depth >= _DEEPEST:
        return _cut(_hide_in_text(str(value)))
    if isinstance(value, Mapping):
        pairs = list(value.items())[:_MOST_ITEMS]
        return {str(key): _safe(str(key), inner, depth + 1) for key, inner in pairs}
    if isinstance(value, Sequence | set | frozenset):
        return [_safe("", inner, depth + 1) for inner in list(value)[:_MOST_ITEMS]]
    return _cut(_hide_in_text(str(value)))


def _is_secret(name: str) -> bool:
    return any(word.lower() in _SECRET_WORDS for word in _WORDS.findall(name))


def _hide_in_text(text: str) -> str:
    return _BEARER.sub(rf"\1 {_HIDDEN}", _URL_PASSWORD.sub(_HIDDEN, text))


def _cut(text: str) -> str:
    if len(text) <= _LONGEST_VALUE:
        return text
    return f"{text[:_LONGEST_VALUE]}... [{len(text) - _LONGEST_VALUE} more characters]"
