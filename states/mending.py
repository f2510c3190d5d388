"""What people brought along to a job is edited: the edit counts from then on."""

from states.record import JobRecord
from states.words import Phase


def record_mended(record: JobRecord, brought: tuple[str, ...]) -> None:
    """An edit changed what people brought along, if any: planning anew begins with it."""
    if not brought:
        return
    record.mended = brought
    if not record.spec.policy.option_count:
        # Nothing else is offered: a person's own version answers whatever was asked of the options before.
        record.feedback = [note for note in record.feedback if note.target is not Phase.VALIDATION]
