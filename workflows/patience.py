"""Every time-out and retry policy, named, each with its reason."""

from dataclasses import replace
from datetime import timedelta
from typing import TypedDict

from temporalio.common import RetryPolicy

from states.words import Phase

QUICK_FILES = 2_000
"""repositories up to this many files are read within a workflow task's own time"""

TOO_LARGE = "PayloadsTooLarge"
"""Temporal's own error for an oversized result; retrying repeats the work and fails again"""


class Patience(TypedDict):
    """Keyword arguments of a regular activity."""

    start_to_close_timeout: timedelta
    heartbeat_timeout: timedelta
    retry_policy: RetryPolicy


class ShortPatience(TypedDict):
    """Keyword arguments of a regular activity that nobody waits for long."""

    schedule_to_close_timeout: timedelta
    retry_policy: RetryPolicy


class QuickPatience(TypedDict):
    """Keyword arguments of a local activity."""

    start_to_close_timeout: timedelta
    local_retry_threshold: timedelta
    retry_policy: RetryPolicy


READ_REPOSITORY = Patience(
    # A first clone over a slow line may take its hour (activities.git), an index takes minutes.
    start_to_close_timeout=timedelta(minutes=75),
    # Five missed beats: a killed worker is noticed within seconds, a busy machine is not.
    heartbeat_timeout=timedelta(seconds=10),
    # Network and disk trouble passes; after five tries a person should look.
    retry_policy=RetryPolicy(
        initial_interval=timedelta(seconds=1),
        backoff_coefficient=3,
        maximum_attempts=5,
        non_retryable_error_types=[TOO_LARGE],
    ),
)

AGENT_TASK = timedelta(seconds=5)
"""after this long the server gives the task of a killed worker to another; tools run within it"""

AGENT_LEAVES = timedelta(seconds=20)
"""how long a job that moves on waits for an agent to say what it used; a killed worker's is there by then"""

EXECUTION_STOPS = timedelta(seconds=30)
"""how long a job waits for its execution to stop; a killed worker's steps are given up after ten of them"""

STILL_STOPS, STOPS_AFTER_ALL = timedelta(seconds=2), 15
"""what is between two tries to go on with an execution that took longer to stop, and how many there are"""

LONGEST, LARGEST = 16_000, 16 * 2**20
"""events and bytes of a history from which on an execution begins nothing more, whatever runs; the server
ends a run at 51,200 events and 50 MB"""

MAY_ASK_FIRST = timedelta(seconds=1)
"""how long a question waits for steps that began with it and come before it in the plan: people are asked in
that order, and most steps that ask do so at once"""

LOOK_UP = ShortPatience(
    # One question to the server. A job that moves on does not wait for it where nobody can ask.
    schedule_to_close_timeout=timedelta(seconds=30),
    retry_policy=RetryPolicy(initial_interval=timedelta(seconds=1), maximum_attempts=4),
)

TIDY_UP = ShortPatience(
    # A job that ends does not wait for a worker that is not there, nor for a disk that is in trouble.
    schedule_to_close_timeout=timedelta(minutes=2),
    retry_policy=RetryPolicy(initial_interval=timedelta(seconds=1), maximum_attempts=3),
)

QUICK = QuickPatience(
    # Reading stored artifacts and some files: tens of milliseconds; minutes mean that something hangs.
    start_to_close_timeout=timedelta(minutes=2),
    # Retries of seconds stay within the workflow task; longer ones become durable timers.
    local_retry_threshold=timedelta(seconds=5),
    retry_policy=RetryPolicy(
        initial_interval=timedelta(milliseconds=200),
        backoff_coefficient=3,
        maximum_attempts=4,
        non_retryable_error_types=[TOO_LARGE],
    ),
)


MODEL_RETRIES = RetryPolicy(
    # Rate limits and outages pass within minutes, and a provider's Retry-After comes first; then the next
    # model of the ladder, or a person.
    initial_interval=timedelta(seconds=1),
    backoff_coefficient=2,
    maximum_interval=timedelta(minutes=2),
    maximum_attempts=8,
    non_retryable_error_types=[TOO_LARGE],
)


def model_call(seconds: float, retries: RetryPolicy = MODEL_RETRIES) -> Patience:
    """Patience with one model call, whose own time-out is `seconds`."""
    return Patience(
        # The provider enforces the call's time-out; a minute more covers the store and a busy machine.
        start_to_close_timeout=timedelta(seconds=seconds + 60),
        heartbeat_timeout=timedelta(seconds=10),
        retry_policy=retries,
    )


def model_attempt(seconds: float) -> Patience:
    """Patience with one attempt of a model call; `workflows.attempts` makes the next one."""
    return model_call(seconds, replace(MODEL_RETRIES, maximum_attempts=1))


def before_attempt(number: int) -> timedelta | None:
    """How long to wait before attempt `number`, from 2, of a model call; None where there is no such one."""
    if number > MODEL_RETRIES.maximum_attempts:
        return None
    longest = MODEL_RETRIES.maximum_interval
    assert longest is not None, "the wait between attempts is bounded"
    return min(MODEL_RETRIES.initial_interval * MODEL_RETRIES.backoff_coefficient ** (number - 2), longest)


def step(seconds: float) -> Patience:
    """Patience with one step of a plan, whose command may take `seconds`."""
    return Patience(
        # The command's own limit ends it in time; the rest is for a large tree before and after it.
        start_to_close_timeout=timedelta(seconds=seconds) + timedelta(minutes=30),
        heartbeat_timeout=timedelta(seconds=10),
        # A lost worker or a full disk: what may have run before says so. The plan's own retries are others.
        retry_policy=RetryPolicy(
            initial_interval=timedelta(seconds=1),
            backoff_coefficient=3,
            maximum_attempts=5,
            non_retryable_error_types=[TOO_LARGE],
        ),
    )


def is_quick(phase: Phase, files: int) -> bool:
    """Whether a phase's work is short enough for a local activity, which saves two trips to the server.

    Only DISCOVERY grows with the repository; the phases after it read what DISCOVERY found. A killed worker
    loses nothing either way: work is idempotent and its result is content-addressed.
    """
    return phase is not Phase.DISCOVERY or is_small(files)


def is_small(files: int) -> bool:
    """Whether a repository of so many files is read within a workflow task's own time."""
    return files <= QUICK_FILES


def is_near(repository: str) -> bool:
    """Whether a repository is a path, opened in moments, and not an address, cloned over a network.

    Decided by the text alone: workflow code must not look at a disk. A wrong guess costs time, nothing else.
    """
    return repository.startswith(("/", ".", "~")) or ":" not in repository
