"""The logger of workflow code: an event is written once, when it happens, and never again on a replay."""

import logging
from typing import Any

import structlog
from structlog.types import EventDict
from temporalio import workflow


def workflow_logger(**bound: Any) -> structlog.stdlib.BoundLogger:
    """A structlog logger over Temporal's replay-aware one, with `bound` on every event.

    The runner must pass `structlog` and `rich` through the sandbox: the handlers run within it.
    """
    logger: structlog.stdlib.BoundLogger = structlog.wrap_logger(
        workflow.logger,
        processors=[_drop_unless_enabled, _to_logging],
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
        **bound,
    )
    return logger


def _drop_unless_enabled(logger: Any, method: str, event: EventDict) -> EventDict:
    # structlog's own filter_by_level looks at `.disabled`, which Temporal's adapter does not have
    level = logging.ERROR if method == "exception" else getattr(logging, method.upper())
    if not logger.isEnabledFor(level):
        raise structlog.DropEvent
    return event


def _to_logging(_: Any, __: str, event: EventDict) -> EventDict:
    """Keyword arguments of a logging call. The fields travel as one, which `phasegate.logs` unfolds again:

    logging refuses fields with names that it keeps for itself, such as `message` and `name`.
    """
    call: EventDict = {"msg": event.pop("event")}
    for name in ("exc_info", "stack_info", "stacklevel"):
        if name in event:
            call[name] = event.pop(name)
    return {**call, "extra": {"phasegate_fields": event}}
