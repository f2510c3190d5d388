"""Every way a model call fails, with the real litellm over real HTTP: one request, a class, a sentence."""

import os
import time
from datetime import timedelta
from email.utils import formatdate

import pytest
from temporalio.exceptions import ApplicationError

from activities.models.errors import LONGEST_WAIT, Trouble, application_error
from activities.models.provider import LiteLlmProvider
from tests.activities.models.asking import CLAUDE, OPENAI, ask, serving
from tests.model_server.script import FaultKind, Script, fault, rate_limited

BOTH = pytest.mark.parametrize("model", [OPENAI, CLAUDE])

EXPECTED: dict[FaultKind, tuple[Trouble, bool, str]] = {
    FaultKind.RATE_LIMITED: (Trouble.RATE_LIMIT, True, "takes no more calls just now (429)"),
    FaultKind.NO_QUOTA: (Trouble.QUOTA, False, "top it up there and resume"),
    FaultKind.BAD_KEY: (Trouble.KEY_REFUSED, False, "was refused (401); set "),
    FaultKind.FORBIDDEN: (Trouble.FORBIDDEN, False, "change the key or the model and resume"),
    FaultKind.UNKNOWN_MODEL: (Trouble.UNKNOWN_MODEL, False, "choose another model"),
    FaultKind.CONTEXT_OVERFLOW: (
        Trouble.CONTEXT_OVERFLOW,
        False,
        "choose a model with a larger context window",
    ),
    FaultKind.BAD_REQUEST: (Trouble.BAD_REQUEST, False, "nonsense"),
    FaultKind.CONTENT_POLICY: (Trouble.CONTENT_POLICY, False, "change the task"),
    FaultKind.NO_TOOL_CHOICE: (Trouble.TOOL_CHOICE, True, "repeated without it"),
    FaultKind.SERVER_ERROR: (Trouble.PROVIDER_DOWN, True, "failed (500)"),
    FaultKind.OVERLOADED: (Trouble.PROVIDER_DOWN, True, "verloaded"),
    FaultKind.CUT: (Trouble.CUT, True, "was cut"),
    FaultKind.CUT_EARLY: (Trouble.CUT, True, "was cut"),
    FaultKind.GARBAGE: (Trouble.BAD_REPLY, True, "cannot be read"),
}
"""what the wire says -> class, whether a retry helps, part of the sentence"""


def failing(kind: FaultKind, message: str = "") -> Script:
    script = Script()
    script.when().fail(fault(kind, times=None, message=message)).say("never")
    return script


async def error_of(model: str = OPENAI) -> ApplicationError:
    with pytest.raises(ApplicationError) as error:
        await ask(model)
    return error.value


def test_every_fault_is_expected_to_be_something() -> None:
    assert set(EXPECTED) == set(FaultKind) - {FaultKind.SLOW}


@BOTH
@pytest.mark.parametrize("kind", EXPECTED)
async def test_a_failed_call(kind: FaultKind, model: str, capfd: pytest.CaptureFixture[str]) -> None:
    trouble, passes, part = EXPECTED[kind]
    with serving(failing(kind)) as server:
        error = await error_of(model)
        assert len(server.requests) == 1, "Temporal retries, nothing else does"
    assert error.type == trouble
    assert error.non_retryable is not passes
    assert part in error.message
    assert "\n" not in error.message
    assert "litellm" not in error.message
    assert error.__cause__ is None
    assert error.__suppress_context__
    assert capfd.readouterr() == ("", ""), "litellm prints nothing"


@pytest.mark.parametrize(
    ("kind", "words", "trouble"),
    [
        (
            FaultKind.BAD_REQUEST,
            "request (9031 tokens) exceeds the available context size (8192 tokens), try increasing it",
            Trouble.CONTEXT_OVERFLOW,
        ),
        (
            FaultKind.SERVER_ERROR,
            "The model produced output that does not match the expected peg-native format",
            Trouble.BAD_REPLY,
        ),
    ],
)
async def test_what_llama_cpp_says(kind: FaultKind, words: str, trouble: Trouble) -> None:
    with serving(failing(kind, words)):
        error = await error_of()
    assert error.type == trouble
    assert words in error.message


@BOTH
@pytest.mark.parametrize(
    ("header", "least", "most"),
    [(7, 7, 7), (0.25, 0.25, 0.25), ("86400", 3600, 3600), ("soon", None, None), ("0", None, None)],
)
async def test_retry_after_is_honoured(
    model: str, header: float | str, least: float | None, most: float | None
) -> None:
    script = Script()
    script.when().fail(rate_limited(header)).say("Hi.")
    with serving(script):
        delay = (await error_of(model)).next_retry_delay
    assert (
        delay is None
        if least is None
        else (delay is not None and least <= delay.total_seconds() <= (most or 0))
    )


async def test_retry_after_may_be_a_date() -> None:
    script = Script()
    script.when().fail(rate_limited(formatdate(time.time() + 90, usegmt=True))).say("Hi.")
    with serving(script):
        delay = (await error_of()).next_retry_delay
    assert delay is not None
    assert timedelta(seconds=80) < delay <= timedelta(seconds=91)
    assert delay < LONGEST_WAIT


async def test_a_quota_per_minute_comes_back() -> None:
    words = "You exceeded your current quota. Quota metric GenerateRequestsPerMinute. Please retry in 21s."
    with serving(failing(FaultKind.RATE_LIMITED, words)):
        assert (await error_of()).type == Trouble.RATE_LIMIT


@pytest.mark.parametrize(("model", "variable"), [(OPENAI, "OPENAI_API_KEY"), (CLAUDE, "ANTHROPIC_API_KEY")])
async def test_a_missing_key(model: str, variable: str) -> None:
    with serving(failing(FaultKind.BAD_KEY)) as server:
        del os.environ[variable]
        error = await error_of(model)
        assert server.requests == []
    assert (error.type, error.non_retryable) == (Trouble.KEY_MISSING, True)
    provider = model.partition("/")[0]
    assert error.message == (
        f"there is no key for {provider}; set {variable} for the worker, restart it and resume"
    )


async def test_a_refused_key_names_the_variable() -> None:
    with serving(failing(FaultKind.BAD_KEY)):
        error = await error_of()
    assert error.message == (
        "the key for openai was refused (401); set OPENAI_API_KEY for the worker, restart it and resume"
    )


async def test_a_name_without_a_provider() -> None:
    error = await error_of("nonsense")
    assert (error.type, error.non_retryable) == (Trouble.UNKNOWN_PROVIDER, True)
    assert error.message.startswith("nonsense names no provider that is known; write provider/model")


@BOTH
async def test_a_refused_connection(model: str) -> None:
    with serving(Script()) as server:
        gone = dict(server.environment)
    before = dict(os.environ)
    os.environ.update(gone)
    try:
        error = await error_of(model)
    finally:
        os.environ.clear()
        os.environ.update(before)
    assert (error.type, error.non_retryable) == (Trouble.UNREACHABLE, False)


# --- secrets ---

SECRETS = {"SOME_VENDOR_TOKEN": "hunter2hunter2", "DATABASE_PASSWORD": "correct horse battery"}
LEAK = (
    "bad key test-key-of-openai of https://user:s3cr3tpw@host/v1?key=AIzaSyA1234567890abcdef "
    "with Bearer abcdef123456 and sk-proj-abcdefghijklmnop, hunter2hunter2, correct horse battery, sk-ab***yz"
)


@BOTH
@pytest.mark.parametrize("kind", [FaultKind.BAD_REQUEST, FaultKind.SERVER_ERROR, FaultKind.RATE_LIMITED])
async def test_no_secret_is_in_an_error(model: str, kind: FaultKind, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    with serving(failing(kind, f"{LEAK} {'x' * 120} {LEAK}")):
        error = await error_of(model)
    shown = f"{error} {error.details} {error.message}"
    for secret in ("test-key", "s3cr3tpw", "AIza", "abcdef", "hunter2", "correct horse", "***yz"):
        assert secret not in shown
    assert "bad key [redacted] of https://[redacted]@host/v1?" in shown


def test_a_secret_at_the_cut_is_not_half_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_VENDOR_TOKEN", "hunter2" * 20)
    error = application_error(ValueError("x" * 250 + " " + "hunter2" * 20), "openai/x")
    assert "hunter2" not in error.message


def test_harmless_variables_stay_readable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSH_AUTH_SOCK", "/tmp/agent.sock")
    monkeypatch.setenv("USE_AUTH", "true")
    error = application_error(ValueError("it is true that /tmp/agent.sock is there"), "openai/x")
    assert "it is true that /tmp/agent.sock is there" in error.message


def test_what_a_provider_says_cannot_steer_a_terminal() -> None:
    error = application_error(ValueError("\x1b[2Jred\u202e\nline two\x07"), "openai/x")
    assert "openai failed (no status): [2Jred line two" in error.message


async def test_warming_up_imports_litellm_once() -> None:
    provider = LiteLlmProvider()
    await provider.warm()
    start = time.monotonic()
    await provider.warm()
    assert time.monotonic() - start < 0.1
