"""Logs: one form for all, nothing secret, nothing long, nothing twice."""

import io
import json
import logging
import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import structlog
from temporalio.worker import Worker
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions

from phasegate.log_processors import keep_confidential
from phasegate.logs import configure_logs, temporal_logging, temporal_runtime
from tests.conftest import TemporalServer
from tests.phasegate.logging_workflow import LoggingWorkflow


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """Where the test's logs go; logging is as before afterwards."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    yield io.StringIO()
    root.setLevel(level)
    root.handlers[:] = handlers
    structlog.reset_defaults()


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    """Every line must be one JSON object."""
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_structlog_and_logging_look_alike(stream: io.StringIO) -> None:
    configure_logs(stream=stream)
    structlog.get_logger("ours").bind(job="job-1").info("moved", state="contracts")
    logging.getLogger("theirs").info("moved %s", "too", extra={"job": "job-1"})
    ours, theirs = lines(stream)
    assert {**ours, "timestamp": ""} == {
        "event": "moved",
        "job": "job-1",
        "level": "info",
        "logger": "ours",
        "state": "contracts",
        "timestamp": "",
    }
    assert ours.keys() - {"state"} == theirs.keys()
    assert theirs["event"] == "moved too"


def test_level_and_noisy_loggers(stream: io.StringIO) -> None:
    configure_logs("warning", stream=stream)
    configure_logs("info", stream=stream)
    structlog.get_logger("ours").debug("too fine")
    logging.getLogger("transitions.core").info("Finished processing state")
    structlog.get_logger("ours").info("seen once")
    assert [line["event"] for line in lines(stream)] == ["seen once"]


def test_console_is_for_reading(stream: io.StringIO) -> None:
    configure_logs(format="console", stream=stream)
    secret = "sk-local"
    try:
        raise ValueError("wrong")
    except ValueError:
        structlog.get_logger("ours").exception("it failed", job="job-1", token=secret)
    text = stream.getvalue()
    assert "it failed" in text
    assert "job=job-1" in text
    assert "ValueError: wrong" in text
    assert "sk-local" not in text
    assert "\x1b[" not in text


def test_exceptions_are_one_line_of_json(stream: io.StringIO) -> None:
    configure_logs(format="json", stream=stream)
    try:
        raise ValueError("cannot clone https://me:hunter2@host/repo")
    except ValueError:
        logging.getLogger("theirs").exception("it failed")
    (line,) = lines(stream)
    assert "ValueError: cannot clone https://[redacted]@host/repo" in line["exception"]


@pytest.mark.parametrize(
    "name",
    ["key", "api_key", "apiKey", "OPENAI_API_KEY", "X-Api-Key", "token", "client_secret", "Authorization"],
)
def test_what_looks_like_a_secret_is_hidden(name: str) -> None:
    event = keep_confidential(None, "info", {name: "s3cret", "config": {"deep": [{name: 5}]}})
    assert event == {name: "[redacted]", "config": {"deep": [{name: "[redacted]"}]}}


@pytest.mark.parametrize("name", ["keyword", "monkey", "tokens", "prompt_tokens", "author", "state", "keys"])
def test_what_only_resembles_a_secret_is_not(name: str) -> None:
    assert keep_confidential(None, "info", {name: 7}) == {name: 7}


def test_secrets_within_texts_are_hidden() -> None:
    event: dict[str, Any] = {"event": "sent Authorization: Bearer abcdef123456 to https://user:pw@host/x"}
    assert keep_confidential(None, "info", event) == {
        "event": "sent Authorization: Bearer [redacted] to https://[redacted]@host/x"
    }


def test_long_values_are_cut() -> None:
    event: dict[str, Any] = {
        "event": "x" * 600,
        "raw": b"12345",
        "many": list(range(100)),
        "other": {"a": "y" * 501},
    }
    cut = keep_confidential(None, "info", event)
    assert cut["event"] == "x" * 500 + "... [100 more characters]"
    assert cut["raw"] == "<5 bytes>"
    assert len(cut["many"]) == 20
    assert cut["other"]["a"].endswith("... [1 more characters]")


async def test_a_workflow_logs_once_however_often_it_is_replayed(
    stream: io.StringIO, temporal_server: TemporalServer
) -> None:
    configure_logs(format="json", stream=stream)
    temporal_logging()
    client = await temporal_server.client()
    name = f"log-{uuid.uuid4()}"
    runner = SandboxedWorkflowRunner(
        restrictions=SandboxRestrictions.default.with_passthrough_modules("structlog", "rich")
    )
    worker = Worker(
        client, task_queue=name, workflows=[LoggingWorkflow], workflow_runner=runner, max_cached_workflows=0
    )
    async with worker:
        handle = await client.start_workflow(
            LoggingWorkflow.run, id=name, task_queue=name, run_timeout=timedelta(seconds=60)
        )
        for expected in (1, 2):
            await handle.signal(LoggingWorkflow.poke)
            assert await handle.query(LoggingWorkflow.pokes) == expected
        assert await handle.result() == 2
    logged = [line for line in lines(stream) if line["logger"] == "temporalio.workflow"]
    assert [line["event"] for line in logged] == ["started", "first", "second"]
    assert {(line["job"], line["phase"], line["message"]) for line in logged} == {
        (name, "discovery", "reserved by logging")
    }
    assert logged[0]["api_key"] == "[redacted]"
    assert "ValueError: wrong" in logged[2]["exception"]


def test_a_process_has_one_runtime_of_the_core() -> None:
    """One that is dropped can hold up all of Python for ever (see `temporal_runtime`)."""
    assert temporal_runtime() is temporal_runtime()
