"""What a restart keeps, redoes and invalidates, decided before it happens (Alfred seed, Restart Rules)."""

from pydantic import Field

from states.artifacts.base import Piece
from states.messages import RestartFrom
from states.record import ArtifactRef, JobRecord
from states.words import WORK_PHASES, ArtifactStatus, Phase

IMPLEMENTATION_FAILED = "implementation_failed"
TRIGGERS = (
    "requirements_changed",
    IMPLEMENTATION_FAILED,
    "review_failed",
    "new_discovery",
    "testing_failed",
)
"""the usual reasons of a restart; any other text is allowed"""
PARTIAL = "partial_"


class RestartPlan(Piece):
    """The preview. `refused` says why it cannot happen, empty when it can."""

    phase: Phase
    kept: tuple[ArtifactRef, ...] = ()
    invalidated: tuple[ArtifactRef, ...] = ()
    redone: tuple[Phase, ...] = ()
    partial: dict[Phase, str] = Field(default_factory=dict)
    refused: str = ""


def foundation(record: JobRecord, phase: Phase) -> tuple[Phase, ...]:
    """The phases whose artifacts `phase` builds on; a skipped CONTRACTS is not among them."""
    before = WORK_PHASES[: WORK_PHASES.index(phase)]
    return tuple(p for p in before if p not in record.skipped)


def preview(record: JobRecord, request: RestartFrom) -> RestartPlan:
    """What this restart would do to this job. Changes nothing."""
    if request.phase is Phase.VERIFIED:
        return RestartPlan(phase=request.phase, refused="a restart from VERIFIED has nothing to redo")
    try:
        whole, partly = _named(request)
    except ValueError as problem:
        return RestartPlan(phase=request.phase, refused=str(problem))
    needed = foundation(record, request.phase)
    kept = [ref for p in needed if (ref := record.current(p)) and (whole is None or p in whole)]
    invalidated = [
        ref for ref in record.artifacts if ref.status is ArtifactStatus.CURRENT and ref not in kept
    ]
    partial = {p: versions[-1].digest for p in partly if (versions := record.versions(p))}
    return RestartPlan(
        phase=request.phase,
        kept=tuple(kept),
        invalidated=tuple(invalidated),
        redone=WORK_PHASES[WORK_PHASES.index(request.phase) :],
        partial=partial,
        refused=_missing(record, needed, kept, request.phase),
    )


def _named(request: RestartFrom) -> tuple[set[Phase] | None, list[Phase]]:
    """The phases that `preserve_artifacts` names wholly (None: all that the rule keeps) and partly."""
    if request.preserve_artifacts is None:
        return None, []
    whole: set[Phase] = set()
    partly: list[Phase] = []
    for name in request.preserve_artifacts:
        key = name.strip().lower()
        phase = Phase.parse(key.removeprefix(PARTIAL))
        if phase is Phase.VERIFIED:
            raise ValueError("preserve_artifacts names VERIFIED, which has no artifact")
        if key.startswith(PARTIAL):
            partly.append(phase)
        elif WORK_PHASES.index(phase) >= WORK_PHASES.index(request.phase):
            raise ValueError(
                f"preserve_artifacts names {phase.name}, which a restart from {request.phase.name} redoes; "
                f"name {PARTIAL}{phase} to use it as material"
            )
        else:
            whole.add(phase)
    return whole, partly


def _missing(record: JobRecord, needed: tuple[Phase, ...], kept: list[ArtifactRef], phase: Phase) -> str:
    have = {ref.phase: ref for ref in kept}
    for p in needed:
        ref = have.get(p)
        if ref is None:
            state = "is not kept" if record.current(p) else "does not exist yet"
            return f"{phase.name} builds on {p.name}, which {state}; restart from {p.name} or earlier"
        if not ref.accepted_by:
            return f"{phase.name} builds on {p.name}, whose gate was not passed; restart from {p.name}"
    return ""
