"""What a person can type about carrying a plan out, for phasegate and as plain signals."""

import json
import shlex
from typing import Any

from pydantic import BaseModel

from states.act import ActOutcome
from states.acting import why_not_act, why_not_roll_back
from states.execution import ExecutionStatus, StepStatus
from states.people import PERSON
from states.record import Gate, JobRecord
from states.restart import IMPLEMENTATION_FAILED
from states.selecting import options_at_hand
from states.words import Message, Mode, Phase


class NextCommand(BaseModel):
    """One thing that a person can do now, for phasegate and for plain Temporal."""

    what: str
    phasegate: str
    temporal: str


def command(job: str, what: str, words: str, message: Message, payload: dict[str, Any]) -> NextCommand:
    """One thing to do, for phasegate and as a plain signal; `job` and `words` are quoted for a shell."""
    given = f" --input {shlex.quote(json.dumps(payload, ensure_ascii=False))}" if payload else ""
    return NextCommand(
        what=what,
        phasegate=f"phasegate {words}",
        temporal=f"temporal workflow signal --workflow-id {job} --name {message}{given}",
    )


def step_commands(gate: Gate, job: str) -> list[NextCommand]:
    """The two answers to an operator gate."""
    bound: dict[str, Any] = {"gate": gate.id, "digest": gate.digest[:12]}
    flags = f"--gate {gate.id} --digest {gate.digest[:12]}"
    yes = f"say that step {gate.step} is done" if gate.by_hand else f"allow step {gate.step} its command"
    return [
        command(job, yes, f"approve {job} {flags}", Message.APPROVE, bound),
        command(
            job,
            f"refuse step {gate.step}",
            f"revise {job} 'why not' {flags}",
            Message.REVISE,
            {"feedback": "why not", **bound},
        ),
    ]


def act_commands(record: JobRecord, job: str) -> list[NextCommand]:
    """Carrying out a verified plan, where it can begin; looking at it and stopping it, where it has begun."""
    act = record.act
    if record.mode is Mode.ACT and act is not None:
        watch = NextCommand(
            what="follow the execution",
            phasegate=f"phasegate watch {job}",
            temporal=f"temporal workflow query --workflow-id {shlex.quote(act.id)} --name progress",
        )
        return [watch, command(job, "pause: what runs ends at once", f"pause {job}", Message.PAUSE, {})]
    if record.mode is not Mode.PLAN or record.selected is None or why_not_act(record):
        return []
    return [command(job, "carry the plan out", f"act {job}", Message.ACT, {})]


def undo_commands(record: JobRecord, job: str) -> list[NextCommand]:
    """Undoing what was carried out, where a step is done: what a failed one did is put back already."""
    act = record.act
    if act is None or not _has_done(act.last) or why_not_roll_back(record, ""):
        return []
    return [command(job, "undo all steps", f"rollback {job}", Message.ROLLBACK, {})]


def _has_done(last: ActOutcome) -> bool:
    """Whether a step is done. On its way an execution only counts its steps, and does not list them."""
    listed = any(line.status == StepStatus.COMPLETED for line in last.steps)
    return listed or (last.progress is not None and last.progress.completed_steps > 0)


def mend_commands(record: JobRecord, job: str) -> list[NextCommand]:
    """Another plan for one that failed: a person's own, mended, or one made anew with what was learnt."""
    act = record.act
    if act is None or act.status is not ExecutionStatus.FAILED or record.selected is None:
        return []
    chosen = next((each for each in options_at_hand(record) if each.id == act.option), None)
    if chosen and chosen.source.startswith(PERSON):
        again = {"phase": Phase.VALIDATION.value, "trigger": IMPLEMENTATION_FAILED}
        words = f"edit {job} --plan plan.yaml"
        return [
            command(
                job,
                "put the mended plan in its place, at the gate that opens again",
                words,
                Message.RESTART_FROM,
                again,
            )
        ]
    again = {"phase": Phase.IMPLEMENTATION_PLAN.value, "trigger": IMPLEMENTATION_FAILED}
    words = f"restart {job} IMPLEMENTATION_PLAN --trigger {IMPLEMENTATION_FAILED}"
    return [command(job, "plan again, with what was learnt", words, Message.RESTART_FROM, again)]
