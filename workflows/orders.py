"""From the record of a job or an execution to the orders of activities. Pure: equal in, equal out."""

from datetime import datetime
from typing import Any

from activities.execution_orders import ActOrder, ExecutionOrder, StepOrder
from activities.orders import SHOWED, AnswerGiven, EditOrder, PrepareOrder, ReviewOrder, WorkOrder
from states.execution import Execution
from states.people import BEST_GUESS, is_person, is_policy
from states.record import Demand, JobRecord
from states.restart import foundation
from states.words import WORK_PHASES, Phase


def prepare_order(record: JobRecord) -> PrepareOrder:
    """Open the repository; anew if an earlier DISCOVERY looked at it already."""
    spec = record.spec
    return PrepareOrder(
        job=record.job,
        repository=spec.repository,
        ref=spec.ref,
        refresh=bool(record.versions(Phase.DISCOVERY)),
        task=spec.task,
        requirements=spec.requirements,
        constraints=spec.constraints,
    )


def built_from(record: JobRecord, phase: Phase) -> dict[Phase, str]:
    """The digests of the artifacts that a phase builds on."""
    return {p: ref.digest for p in foundation(record, phase) if (ref := record.current(p))}


def work_order(record: JobRecord, phase: Phase) -> WorkOrder:
    """Everything that the work of `phase` depends on now."""
    assert record.workspace is not None, "the workspace is opened before any work"
    restarts = [r for r in record.restarts if _reaches(r.phase, phase)]
    partial = record.restarts[-1].partial.get(phase, "") if record.restarts else ""
    return WorkOrder(
        job=record.job,
        phase=phase,
        workspace=record.workspace,
        task_digest=record.task_digest,
        built_from=built_from(record, phase),
        answers=_answers(record) if phase is Phase.CLARIFICATION else (),
        says=tuple(record.says) if phase is Phase.CLARIFICATION else (),
        feedback=feedback_for(record, phase),
        previous=record.refused.get(phase, ""),
        changes=tuple(text for r in restarts for text in (r.changes, *map(_showed, r.learnt)) if text),
        invalidated=tuple(d for r in restarts for d in r.invalidated_decisions),
        partial={phase: partial} if partial else {},
        **_options(record, phase),
    )


def _options(record: JobRecord, phase: Phase) -> dict[str, Any]:
    """What the work on options depends on; nothing in other phases."""
    policy = record.spec.policy
    match phase:
        case Phase.IMPLEMENTATION_PLAN:
            counted = {"option_count": policy.option_count, "ranking": policy.ranking}
            return {**counted, "brought": record.brought()}
        case Phase.VALIDATION:
            return {"ranking": policy.ranking, "refine": refinements(record), "brought": record.mended}
        case _:
            return {}


def refinements(record: JobRecord) -> tuple[str, ...]:
    """What people asked to change about the options, oldest first; AI review asks about claims instead."""
    notes = [note for note in record.feedback if note.target is Phase.VALIDATION and is_person(note.by)]
    return tuple(dict.fromkeys(note.text for note in notes))


def _showed(learnt: str) -> str:
    return SHOWED + learnt


def feedback_for(record: JobRecord, phase: Phase) -> tuple[str, ...]:
    """What reviewers and people asked of a phase, oldest first, each thing once."""
    return tuple(dict.fromkeys(note.text for note in record.feedback if note.target is phase))


def _reaches(restarted: Phase, phase: Phase) -> bool:
    return WORK_PHASES.index(restarted) <= WORK_PHASES.index(phase)


def _answers(record: JobRecord) -> tuple[AnswerGiven, ...]:
    by_policy = record.finished if is_policy(record.finished) else BEST_GUESS
    return tuple(
        AnswerGiven(
            question_id=q.ref.id,
            question=q.ref.text,
            text=q.ref.recommended if q.open else q.text,
            by=by_policy if q.open else q.by,
        )
        for q in record.questions
    )


def edit_order(record: JobRecord, phase: Phase, demand: Demand) -> EditOrder:
    """Take a person's own version of the artifact under review."""
    given = demand.artifact
    return EditOrder(
        job=record.job,
        phase=phase,
        by=demand.by,
        built_from=built_from(record, phase),
        body=given if isinstance(given, dict) else None,
        stored=given.removeprefix("sha256:") if isinstance(given, str) else "",
        previous=current.digest if (current := record.current(phase)) else "",
        ranking=record.spec.policy.ranking,
        brought=record.brought(),
    )


def review_order(record: JobRecord, phase: Phase) -> ReviewOrder:
    """Review the current artifact of `phase`."""
    ref = record.current(phase)
    assert ref is not None, "a review follows a submitted artifact"
    assert record.workspace is not None
    return ReviewOrder(
        job=record.job,
        phase=phase,
        workspace=record.workspace,
        digest=ref.digest,
        built_from=built_from(record, phase),
        work=work_order(record, phase),
    )


def execution_order(order: ActOrder, execution: Execution, now: datetime) -> ExecutionOrder:
    """Where an execution stands now."""
    return ExecutionOrder(
        job=order.job,
        execution=order.execution,
        workspace=order.workspace,
        branch=order.branch,
        head=execution.head,
        snapshot=execution.snapshot,
        bundles=tuple(execution.bundles),
        now=now,
    )


def step_order(order: ActOrder, execution: Execution, step: str, *, alone: bool, now: datetime) -> StepOrder:
    """Carry out one step, which has just begun."""
    return StepOrder(
        at=execution_order(order, execution, now),
        plan=order.plan,
        step=step,
        attempt=execution.steps[step].attempts,
        rules=order.rules,
        alone=alone,
        done_by=order.done.get(step, ""),
        written=order.written.get(step, ""),
    )
