"""Why an activity failed, for records that people read."""

from temporalio.exceptions import ActivityError, ApplicationError, FailureError


def reason_of(failed: FailureError) -> str:
    """Why an activity failed, in its own words. A regular one wraps the cause, a local one is the cause."""
    cause = failed.cause if isinstance(failed, ActivityError) and failed.cause else failed
    return cause.message if isinstance(cause, ApplicationError) else str(cause)
