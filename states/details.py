"""The job in a few lines of markdown, for Temporal's own page (`workflow.set_current_details`)."""

from states.record import JobRecord
from states.view import awaiting, next_commands
from states.words import Awaiting


def details_of(record: JobRecord) -> str:
    """Where the job is, whom it waits for, and what to type."""
    lines = [f"**{record.spec.headline()}**", "", f"state `{record.state}`, mode `{record.mode}`"]
    waits = awaiting(record)
    if waits is not Awaiting.NONE:
        lines.append(f"waits for **{waits}**")
    if record.hold:
        lines.append(f"{record.hold.reason} ({record.hold.by})")
    if record.gate:
        lines.append(f"gate `{record.gate.id}` reviews `{record.gate.digest[:12]}`")
    lines += [f"- {q.ref.id}: {q.ref.text}" for q in record.open_questions()]
    lines += [f"- {each.what}: `{each.temporal}`" for each in next_commands(record)]
    return "\n".join(lines)
