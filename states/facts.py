"""From the record to the facts that guards look at. One place, so that every question has one answer."""

from states.complexity import is_simple
from states.guards import Facts, ModeFacts
from states.people import is_person, person_key
from states.policy import safeguards, waiver
from states.record import JobRecord
from states.restart import foundation, preview
from states.review import PhaseFacts
from states.words import Phase, Stage, State


def facts_of(record: JobRecord) -> Facts:
    """What holds for this job now."""
    phase = record.state.phase
    restart = record.demand.restart if record.demand else None
    return Facts(
        artifact_ready=phase is not None and _ready(record, phase),
        edit_valid=phase is not None and _ready(record, phase),
        gate_applies=phase is not None and phase in record.spec.policy.gates,
        gate_waived=waived_by(record) is not None,
        simple_task=_simple(record),
        decisions_enough=decisions_enough(record),
        revisions_used_up=revisions_used_up(record),
        foundation_kept=restart is not None and not preview(record, restart).refused,
        restarts_used_up=record.restarts_in_a_row >= record.spec.policy.max_restarts,
        kept_open=record.open_until is not None,
    )


def mode_facts_of(record: JobRecord) -> ModeFacts:
    """What the guards of the mode table look at."""
    return ModeFacts(
        paused_from=record.paused_from,
        verified=record.state is State.VERIFIED,
        option_selected=record.selected is not None,
    )


def waived_by(record: JobRecord) -> str | None:
    """The named policy that waives the gate of the phase under review, if one does."""
    phase = record.state.phase
    if phase is None or phase not in record.spec.policy.gates:
        return None
    critical = sum(1 for q in record.questions if q.ref.critical and not is_person(q.by))
    return waiver(record.spec.policy, phase, record.facts.get(phase, PhaseFacts()), critical)


def standing_safeguards(record: JobRecord) -> tuple[str, ...]:
    """Why a person must look at the phase under review, for the gate to show."""
    phase = record.state.phase
    return safeguards(record.spec.policy, record.facts.get(phase, PhaseFacts())) if phase else ()


def decisions_enough(record: JobRecord) -> bool:
    """Whether enough different people approved the digest that is open, and that the job stands on."""
    gate = record.gate
    if gate is None or not (gate.step or gate.digest == _digest(record, gate.phase)):
        return False
    return len({person_key(d.by) for d in gate.decisions if d.digest == gate.digest}) >= gate.needed


def revisions_used_up(record: JobRecord) -> bool:
    """Whether the phase under review has had its revisions, by AI review or by people."""
    phase = record.state.phase
    if phase is None:
        return False
    policy = record.spec.policy
    if record.state.stage is Stage.HUMAN_REVIEW:
        return record.human_revisions.get(phase, 0) >= policy.max_human_revisions
    unchanged = record.stuck != "" and record.stuck == _digest(record, phase)
    return unchanged or record.ai_revisions.get(phase, 0) >= policy.max_revisions


def _digest(record: JobRecord, phase: Phase) -> str:
    ref = record.current(phase)
    return ref.digest if ref else ""


def _ready(record: JobRecord, phase: Phase) -> bool:
    """Whether the phase's artifact exists and was built from exactly what the job stands on."""
    ref = None if phase is Phase.VERIFIED else record.current(phase)
    if ref is None:
        return False
    expected = {p: found.digest for p in foundation(record, phase) if (found := record.current(p))}
    return ref.built_from == expected


def _simple(record: JobRecord) -> bool:
    if record.gates_opened.get(Phase.CONTRACTS):
        # A gate that was opened once is earned again, however simple the task has become.
        return False
    found = record.facts.get(Phase.DISCOVERY)
    unanswered = sum(1 for q in record.questions if not is_person(q.by))
    return found is not None and is_simple(found, unanswered)
