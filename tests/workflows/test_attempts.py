"""When a model call is attempted again, and what may have been paid for an attempt without a reply."""

from datetime import timedelta

import pytest
from temporalio.exceptions import (
    ActivityError,
    ApplicationError,
    CancelledError,
    FailureError,
    RetryState,
    TimeoutError,
    TimeoutType,
)

from activities.heartbeat import BEGUN
from activities.models.errors import PASSES, Trouble
from workflows.attempts import Bill, bill_of, wait_after
from workflows.patience import MODEL_RETRIES


def ended(cause: FailureError, state: RetryState = RetryState.MAXIMUM_ATTEMPTS_REACHED) -> ActivityError:
    """An activity that failed for this."""
    error = ActivityError(
        "Activity task failed",
        scheduled_event_id=1,
        started_event_id=2,
        identity="",
        activity_type="call_model",
        activity_id="1",
        retry_state=state,
    )
    error.__cause__ = cause
    return error


def trouble(kind: str, retry_after: timedelta | None = None) -> ActivityError:
    """Trouble of the provider, as it reaches a workflow."""
    lasting = kind not in PASSES and kind in list(Trouble)
    state = RetryState.NON_RETRYABLE_FAILURE if lasting else RetryState.MAXIMUM_ATTEMPTS_REACHED
    return ended(
        ApplicationError("no", type=kind, non_retryable=lasting, next_retry_delay=retry_after), state
    )


def lost(kind: TimeoutType, *details: object) -> ActivityError:
    """An attempt that the server lost sight of."""
    return ended(TimeoutError("timed out", type=kind, last_heartbeat_details=details))


@pytest.mark.parametrize(
    ("failed", "bill"),
    [
        *((trouble(kind), Bill.POSSIBLE) for kind in (Trouble.TIME_OUT, Trouble.CUT, Trouble.BAD_REPLY)),
        *((trouble(kind), Bill.NONE) for kind in (Trouble.RATE_LIMIT, Trouble.UNREACHABLE, Trouble.QUOTA)),
        (trouble(Trouble.PROVIDER_DOWN), Bill.NONE),
        (trouble("StoreUnusable"), Bill.NONE),
        (trouble("WorkerShutdown"), Bill.POSSIBLE),
        (ended(CancelledError()), Bill.POSSIBLE),
        (lost(TimeoutType.HEARTBEAT), Bill.NONE),
        (lost(TimeoutType.HEARTBEAT, BEGUN), Bill.DOUBTFUL),
        (lost(TimeoutType.START_TO_CLOSE), Bill.DOUBTFUL),
    ],
)
def test_what_may_have_been_paid(failed: ActivityError, bill: Bill) -> None:
    assert bill_of(failed) is bill


def test_attempts_are_made_as_the_server_made_them() -> None:
    waits = [wait_after(trouble(Trouble.TIME_OUT), number) for number in range(1, 9)]
    assert waits == [*(timedelta(seconds=2**n) for n in range(7)), None]
    assert MODEL_RETRIES.maximum_attempts == len(waits)


def test_a_provider_says_when_to_come_again() -> None:
    hour = timedelta(hours=1)
    assert wait_after(trouble(Trouble.RATE_LIMIT, hour), 1) == hour
    assert wait_after(trouble(Trouble.RATE_LIMIT, hour), 8) is None


@pytest.mark.parametrize("failed", [trouble(Trouble.KEY_REFUSED), ended(CancelledError())])
def test_what_lasts_is_not_tried_again(failed: ActivityError) -> None:
    assert wait_after(failed, 1) is None
