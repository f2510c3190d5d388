"""PHASE_TABLE: every allowed move of a job, one row each. The only place where a job can move."""

from collections.abc import Iterator
from dataclasses import dataclass

from states import guards as g
from states.guards import Guard
from states.words import WORK_PHASES, Phase, ReviewKind, Stage, State, Trigger

FINAL: tuple[State, ...] = (State.CANCELLED,)


@dataclass(frozen=True)
class Row:
    """`trigger` leads from `source` to `dest` if all of `when` hold and none of `unless`."""

    trigger: Trigger
    source: State
    dest: State
    when: tuple[Guard, ...] = ()
    unless: tuple[Guard, ...] = ()
    why: str = ""


def _next(phase: Phase) -> Phase:
    return list(Phase)[list(Phase).index(phase) + 1]


def _onward(trigger: Trigger, phase: Phase, source: State, row: Row) -> Iterator[Row]:
    """The rows that lead on from a phase: one, or two where a simple task skips CONTRACTS."""
    onward = State.of(_next(phase))
    if phase is not Phase.CLARIFICATION:
        yield Row(trigger, source, onward, row.when, row.unless, row.why)
        return
    skip = State.IMPLEMENTATION_PLAN
    yield Row(trigger, source, onward, row.when, (*row.unless, g.simple_task), row.why)
    yield Row(trigger, source, skip, (*row.when, g.simple_task), row.unless, f"{row.why}; CONTRACTS skipped")


def _forward(phase: Phase) -> Iterator[Row]:
    work = State.of(phase)
    ai = State.of(phase, Stage.AI_REVIEW)
    human = State.of(phase, Stage.HUMAN_REVIEW)
    t = Trigger
    yield Row(t.SUBMIT, work, ai, when=(g.artifact_ready,), why="the phase handed over its artifact")
    yield Row(t.AI_APPROVE, ai, human, when=(g.gate_required,), why="a person decides")
    passed = Row(t.AI_APPROVE, ai, ai, unless=(g.gate_required,), why="no gate, or waived by a named policy")
    yield from _onward(t.AI_APPROVE, phase, ai, passed)
    yield Row(t.ESCALATE, ai, human, when=(g.revisions_used_up,), why="a person decides instead of a loop")
    yield Row(t.EDIT, human, ai, when=(g.edit_valid,), why="a person's version re-earns its gate")
    approved = Row(t.HUMAN_APPROVE, human, human, when=(g.decisions_enough,), why="people approved")
    yield from _onward(t.HUMAN_APPROVE, phase, human, approved)


def revision_target(phase: Phase, kind: ReviewKind) -> Phase | None:
    """Where a revision of this kind leads from this phase's reviews; None where it makes no sense."""
    order = list(WORK_PHASES)
    if kind is ReviewKind.TECHNICAL:
        return phase
    target = Phase.CLARIFICATION if kind is ReviewKind.REQUIREMENT else Phase.CONTRACTS
    return target if order.index(phase) >= order.index(target) else None


def _revisions(phase: Phase) -> Iterator[Row]:
    for stage in (Stage.AI_REVIEW, Stage.HUMAN_REVIEW):
        for kind in ReviewKind:
            if target := revision_target(phase, kind):
                yield Row(
                    Trigger.revise(kind),
                    State.of(phase, stage),
                    State.of(target),
                    unless=(g.revisions_used_up,),
                    why=f"a {kind} finding is worked on in {target.name}",
                )


def _anywhere() -> Iterator[Row]:
    for state in State:
        if state in FINAL:
            continue
        for phase in WORK_PHASES:
            yield Row(
                Trigger.restart(phase),
                state,
                State.of(phase),
                when=(g.foundation_kept,),
                unless=(g.restarts_used_up,),
                why=f"re-planning from {phase.name}",
            )
        when = (g.kept_open,) if state is State.VERIFIED else ()
        yield Row(Trigger.CANCEL, state, State.CANCELLED, when=when, why="somebody stopped the job")


def _build() -> Iterator[Row]:
    for phase in WORK_PHASES:
        yield from _forward(phase)
        yield from _revisions(phase)
    yield from _anywhere()


PHASE_TABLE: tuple[Row, ...] = tuple(_build())
