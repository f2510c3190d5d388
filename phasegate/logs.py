"""What all logs of a process look like: for reading on a terminal, else one JSON object a line."""

import logging
import os
import sys
from functools import cache
from typing import TYPE_CHECKING, Literal, TextIO

import structlog
from structlog.types import Processor

from phasegate.log_processors import add_record_fields, drop_internals, flatten_temporal, keep_confidential

if TYPE_CHECKING:
    from temporalio.runtime import LoggingConfig, Runtime

# transitions: INFO for every callback of every transition, and again on every replay.
# temporalio.activity: repeats each failed attempt with its stack, which `activities.events` has told already.
_NOISY = {"transitions": logging.WARNING, "temporalio.activity": logging.ERROR}


def configure_logs(
    level: str = "info", format: Literal["auto", "console", "json"] = "auto", stream: TextIO | None = None
) -> None:
    """Send everything that this process logs, through structlog or logging, to `stream` (stderr) in one form.

    May be called again; the last call counts. Handlers that others put on the root logger stay.
    """
    stream = stream or sys.stderr
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    handler = logging.StreamHandler(stream)
    handler.set_name("phasegate")
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, add_record_fields],
            processors=[
                drop_internals,
                flatten_temporal,
                *_render(stream.isatty() if format == "auto" else format == "console", stream.isatty()),
            ],
        )
    )
    root = logging.getLogger()
    for older in [known for known in root.handlers if known.get_name() == "phasegate"]:
        root.removeHandler(older)
    root.addHandler(handler)
    root.setLevel(level.upper())
    for name, least in _NOISY.items():
        logging.getLogger(name).setLevel(least)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


@cache
def temporal_runtime() -> "Runtime":
    """The one runtime of Temporal's core in this process, whose logs go where ours go.

    It is never dropped: who drops one waits for its threads and holds up all of Python, which those may wait
    for in turn. For the same reason a process that has it must leave by `os._exit`.
    """
    from temporalio.runtime import Runtime, TelemetryConfig

    return Runtime(telemetry=TelemetryConfig(logging=temporal_logging()))


def temporal_logging() -> "LoggingConfig":
    """For `TelemetryConfig(logging=...)`: what Temporal's core says, from WARN up, goes to the same place.

    Left alone, core writes to stdout in a form of its own. Also stops the SDK from repeating the
    workflow's and activity's particulars in each message: they are fields of the event already.
    """
    from temporalio import activity, workflow
    from temporalio.runtime import LogForwardingConfig, LoggingConfig, TelemetryFilter

    workflow.logger.workflow_info_on_message = False
    activity.logger.activity_info_on_message = False
    return LoggingConfig(
        filter=TelemetryFilter(core_level="WARN", other_level="ERROR"),
        forwarding=LogForwardingConfig(
            logger=logging.getLogger("temporalio.core"), prepend_target_on_message=False
        ),
    )


def _render(readable: bool, terminal: bool) -> list[Processor]:
    """Exceptions become text first, so that they are kept confidential like the rest."""
    as_text: list[Processor] = [structlog.processors.format_exc_info, keep_confidential]
    if not readable:
        return [*as_text, structlog.processors.JSONRenderer(ensure_ascii=False)]
    console = structlog.dev.ConsoleRenderer(
        colors=terminal and not os.environ.get("NO_COLOR"),
        # the default one, of rich, prints local variables, and with them prompts and keys
        exception_formatter=structlog.dev.plain_traceback,
    )
    return [*as_text, console]
