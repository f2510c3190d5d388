"""Search attributes: what `temporal workflow list` can filter jobs by."""

from temporalio.common import SearchAttributeKey, SearchAttributeUpdate, TypedSearchAttributes

from states.record import JobRecord
from states.view import awaiting

STATE = SearchAttributeKey.for_keyword("PhasegateState")
PHASE = SearchAttributeKey.for_keyword("PhasegatePhase")
MODE = SearchAttributeKey.for_keyword("PhasegateMode")
AWAITING = SearchAttributeKey.for_keyword("PhasegateAwaiting")
REPOSITORY = SearchAttributeKey.for_keyword("PhasegateRepository")

REGISTERED: dict[str, str] = {key.name: "Keyword" for key in (STATE, PHASE, MODE, AWAITING, REPOSITORY)}
"""name -> type, as the server must know them before the first job upserts one"""

LONGEST = 200
"""characters of a repository's name in the index; keywords are compared whole"""


def values_of(record: JobRecord) -> dict[SearchAttributeKey[str], str]:
    """What the attributes of a job are now."""
    return {
        STATE: record.state.value,
        PHASE: record.state.phase.value if record.state.phase else "",
        MODE: record.mode.value,
        AWAITING: awaiting(record).value,
        REPOSITORY: record.spec.shown_repository()[-LONGEST:],
    }


def changes(shown: dict[SearchAttributeKey[str], str], record: JobRecord) -> list[SearchAttributeUpdate[str]]:
    """The upsert that brings the index from what is shown to the record; empty when nothing changed."""
    return [key.value_set(value) for key, value in values_of(record).items() if shown.get(key) != value]


def known(shown: TypedSearchAttributes) -> dict[SearchAttributeKey[str], str]:
    """What the server shows of a job already."""
    keys = (STATE, PHASE, MODE, AWAITING, REPOSITORY)
    return {key: value for key in keys if (value := shown.get(key)) is not None}
