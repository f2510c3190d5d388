"""Who let a plan pass, in words: what no person read is never called approved."""

from collections.abc import Iterator

from states.people import AI_REVIEW, is_policy
from states.record import JobRecord
from states.words import WORK_PHASES, State


def accepted(names: tuple[str, ...]) -> str:
    """How a phase was passed; blank names are nobody's yet."""
    if not names:
        return "not decided yet"
    if names == (AI_REVIEW,):
        return "no gate"
    if any(is_policy(name) for name in names):
        return f"waived by {', '.join(names)}, not reviewed by a person"
    return f"approved by {', '.join(names)}"


def warning(record: JobRecord) -> str:
    """What a reader of the plan must know first; blank when it is verified."""
    if record.state is State.VERIFIED:
        return ""
    return f"Not verified: the job is in {record.state}, and this plan may still change."


def approvals(record: JobRecord) -> Iterator[str]:
    """One line for each phase that the job stands on."""
    for phase in WORK_PHASES:
        if ref := record.current(phase):
            yield f"{phase.name} v{ref.version} ({ref.digest[:12]}): {accepted(ref.accepted_by)}"
        elif phase in record.skipped:
            yield f"{phase.name}: skipped, the task is simple"
