"""What an execution's workflow makes of its record: who waits, what was decided, how to tell it."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from itertools import accumulate, takewhile

from states.act import ActEnd, ActOutcome, Report, StepAsk, StepLine
from states.artifacts.plan import Plan, PlanStep, StepType
from states.execution import (
    Execution,
    ExecutionStatus,
    StepResult,
    StepRun,
    StepStatus,
    end_step,
    errors_of,
    metrics_of,
    progress_of,
)

_MOST, _LONGEST = 3, 200
"""notes of a step that its line has, and characters of each: a job's record holds the lines of all steps"""
TOLD = 200_000
"""characters of asks that a job is told at once while an execution goes on; one command has half as many"""


def decide(
    execution: Execution,
    plan: Plan,
    refused: Mapping[str, str],
    ready: Collection[str],
    now: datetime,
) -> None:
    """Bring steps that wait in line with what people decided since: they may go on, or are refused."""
    for step in plan.steps:
        run = execution.steps[step.id]
        if run.status is not StepStatus.WAITING or run.result is None:
            continue
        if why := refused.get(step.id):
            no = StepResult(status=StepStatus.FAILED, error=why, seconds=0.0)
            execution.steps[step.id] = run.model_copy(update={"attempts": run.attempts + step.retries + 1})
            end_step(execution, plan, step.id, no, now)
        elif step.id in ready:
            # The time that it waited for a person is not the step's.
            execution.steps[step.id] = run.model_copy(update={"status": StepStatus.PENDING, "started": None})


def by_hand(step: PlanStep) -> bool:
    """Whether a person is asked to write code, and not to allow a command."""
    return step.type is StepType.CODE_GENERATION


def asks_of(execution: Execution, plan: Plan) -> tuple[StepAsk, ...]:
    """What waits for a person, in the plan's order."""
    found = []
    for step in plan.steps:
        run = execution.steps[step.id]
        if run.status is StepStatus.WAITING and run.result:
            found.append(
                StepAsk(
                    step=step.id,
                    title=step.title,
                    asks=run.result.asks,
                    by_hand=by_hand(step),
                    notes=run.result.notes,
                    attempt=run.attempts,
                )
            )
    return tuple(found)


def may_be_overtaken(execution: Execution, plan: Plan, since: datetime) -> bool:
    """Whether a step that began after `since` may come to wait before the first that waits, as planned."""
    waiting = [run.id for run in execution.steps.values() if run.status is StepStatus.WAITING]
    before = takewhile(lambda step: step.id not in waiting, plan.steps if waiting else ())
    runs = [execution.steps[step.id] for step in before]
    return any(run.status is StepStatus.IN_PROGRESS and run.started and run.started > since for run in runs)


def report_of(execution: Execution, plan: Plan, now: datetime) -> Report:
    """How far it is and what waits, for a job that goes along: of many long asks the first ones."""
    asks = bounded(asks_of(execution, plan))
    return Report(**progress_of(execution, now).model_dump(), asks=asks)


def bounded(asks: Sequence[StepAsk]) -> tuple[StepAsk, ...]:
    """The first of them that fit into TOLD characters, and always one: people are asked one by one."""
    sizes = accumulate(len(ask.model_dump_json()) for ask in asks)
    fit = sum(1 for size in sizes if size <= TOLD)
    return tuple(asks[: max(fit, 1)])


def outcome_of(execution: Execution, plan: Plan, end: ActEnd, reason: str, now: datetime) -> ActOutcome:
    """How far an execution is, for the job."""
    return ActOutcome(
        end=end,
        reason=reason,
        head=execution.head,
        progress=progress_of(execution, now),
        metrics=metrics_of(execution),
        steps=tuple(_line(step, execution.steps[step.id]) for step in plan.steps),
        asks=asks_of(execution, plan),
        errors=errors_of(execution, plan),
    )


def end_of(execution: Execution) -> ActEnd:
    """Why nothing goes on: it has ended, or people are waited for."""
    match execution.status:
        case ExecutionStatus.COMPLETED:
            return ActEnd.COMPLETED
        case ExecutionStatus.FAILED:
            return ActEnd.FAILED
        case _:
            return ActEnd.WAITING


def _line(step: PlanStep, run: StepRun) -> StepLine:
    return StepLine(
        id=step.id,
        title=step.title,
        type=step.type,
        status=run.status,
        seconds=run.worked,
        attempts=run.attempts - run.forgiven,
        error=run.result.error if run.result else "",
        why=run.why or _not_needed(run),
        commit=run.result.commit if run.result else "",
        output=run.result.output if run.result else "",
        notes=_notes(run),
    )


def _not_needed(run: StepRun) -> str:
    """Why a step found by itself that it need not run."""
    notes = run.result.notes if run.result and run.status is StepStatus.SKIPPED else ()
    return notes[0] if notes else ""


def _notes(run: StepRun) -> tuple[str, ...]:
    """What a step that ended noted, cut: the whole is in the stored execution."""
    ended = run.status in (StepStatus.COMPLETED, StepStatus.FAILED)
    notes = run.result.notes if run.result and ended else ()
    return tuple(note[:_LONGEST] for note in notes[:_MOST])
