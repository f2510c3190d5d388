"""Attempts of a model call: whether and when there is another, and what one may have cost that gave no reply.

One activity is one attempt, so that a workflow sees what each may have cost, and ends the wait for the next
one when it is stopped. Until 0.1.0 was finished the server made the attempts; such histories still replay.
"""

import asyncio
from datetime import timedelta
from enum import StrEnum

from temporalio.exceptions import (
    ActivityError,
    ApplicationError,
    FailureError,
    RetryState,
    TimeoutError,
    TimeoutType,
    is_cancelled_exception,
)

from activities.models.errors import MAY_BE_BILLED
from workflows.patience import before_attempt

OWN_ATTEMPTS = "own-attempts"
"""the patch since which a workflow makes the attempts"""

_SHUT_DOWN = "WorkerShutdown"
"""Temporal's own word for an attempt that its worker ended when it stopped"""


class Bill(StrEnum):
    """Whether an attempt without a reply may have to be paid for."""

    NONE = "none"
    """no model began to reply"""
    POSSIBLE = "possible"
    DOUBTFUL = "doubtful"
    """nobody heard of the attempt again; the next one may find its reply"""


def is_given_up(failed: BaseException) -> bool:
    """Whether an attempt was cancelled."""
    return isinstance(failed, asyncio.CancelledError) or is_cancelled_exception(failed)


def bill_of(failed: BaseException) -> Bill:
    """What may come for an attempt that ended so. One that was given up may have been on its way."""
    if is_given_up(failed):
        return Bill.POSSIBLE
    cause = _cause(failed)
    if isinstance(cause, TimeoutError):
        begun = cause.type is not TimeoutType.HEARTBEAT or cause.last_heartbeat_details
        return Bill.DOUBTFUL if begun else Bill.NONE
    billed = isinstance(cause, ApplicationError) and cause.type in {*MAY_BE_BILLED, _SHUT_DOWN}
    return Bill.POSSIBLE if billed else Bill.NONE


def wait_after(failed: FailureError, number: int) -> timedelta | None:
    """How long to wait after attempt `number`, from 1, has failed; None where there is no other."""
    if is_cancelled_exception(failed):
        return None
    if isinstance(failed, ActivityError) and failed.retry_state is RetryState.NON_RETRYABLE_FAILURE:
        return None
    usual, cause = before_attempt(number + 1), _cause(failed)
    told = cause.next_retry_delay if isinstance(cause, ApplicationError) else None
    return usual and (told or usual)


def _cause(failed: BaseException) -> BaseException | None:
    return failed.cause if isinstance(failed, ActivityError) else failed
