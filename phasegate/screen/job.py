"""A job as text: where it is, what was done, whom it waits for, what to type."""

import shlex
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import assert_never

from rich.console import RenderableType
from rich.text import Text

from phasegate.screen.acting import act_sentence, operator_lines
from phasegate.screen.consoles import whole
from phasegate.screen.models import cost, model_lines, pair
from phasegate.screen.options import chosen_text, fact_lines
from phasegate.screen.tame import tame, tame_line
from states.act_commands import NextCommand
from states.amounts import counted, span_words
from states.approvals import accepted
from states.artifacts.plan import Plan
from states.execution import ExecutionStatus
from states.holding import UNSAID
from states.record import ArtifactRef, Gate, Hold, QuestionState
from states.trace import AgentProgress
from states.view import JobView, PhaseProgress
from states.words import ArtifactStatus, Awaiting, HoldKind, Mode, Phase, PhaseStatus, Stage, State
from states.workspace import WorkspaceSource

_LOOKS = {
    PhaseStatus.DONE: ("✓", "green"),
    PhaseStatus.KEPT: ("✓", "green"),
    PhaseStatus.ACTIVE: ("▸", "cyan"),
    PhaseStatus.WAITING: ("?", "yellow"),
    PhaseStatus.SKIPPED: ("-", "dim"),
    PhaseStatus.PENDING: ("·", "dim"),
}
_WAITS = {
    Awaiting.ANSWERS: "answers to its questions",
    Awaiting.HUMAN_REVIEW: "a person's decision",
    Awaiting.BUDGET: "a larger budget",
    Awaiting.OPERATOR: "an operator",
    Awaiting.NONE: "nobody",
}
_LONGEST_NAME = max(len(phase.name) for phase in Phase)


def job_text(
    view: JobView,
    commands: tuple[NextCommand, ...],
    live: AgentProgress | None = None,
    execution: Iterable[RenderableType] = (),
    trouble: str = "",
    plans: Mapping[str, Plan] | None = None,
) -> Iterator[RenderableType]:
    """Everything about a job on one page.

    `live` as the running agent says, `trouble` why nothing happens, `plans` those told with their steps.
    """
    yield Text(tame_line(view.title), "bold")
    yield pair("job", view.job)
    yield pair("repository", _repository(view))
    yield pair("state", f"{view.state}, mode {view.mode}")
    yield Text()
    for progress in view.progress:
        yield progress_line(view, progress)
    for finding in view.findings:
        yield Text(f"  {'!' if finding.blocking else '·'} {tame_line(finding.what)}", "yellow")
    yield Text()
    yield from model_lines(view, live)
    yield from execution
    yield waiting_text(view)
    if trouble:
        yield Text(f"Nothing happens now: {trouble}.", "red")
    if view.gate:
        yield from operator_lines(view.gate) if view.gate.step else gate_lines(view.gate)
    if view.options:
        yield from fact_lines(view, plans)
        yield chosen_text(view)
    for question in view.questions:
        if question.open and view.awaiting is Awaiting.ANSWERS:
            yield from question_lines(question)
    yield from command_lines(commands)


def waiting_text(view: JobView) -> Text:
    """Whom the job waits for, in one sentence."""
    if view.state is State.CANCELLED:
        job = shlex.quote(tame_line(view.job))
        ledger, restart = f"phasegate ledger {job}", f"phasegate restart {job} PHASE"
        return Text(f"The job was cancelled; `{ledger}` says by whom, `{restart}` takes it up again.", "red")
    if view.hold:
        why = "" if view.hold.reason == UNSAID else f": {tame_line(view.hold.reason)}"
        return Text(f"The job {_held(view.hold)}{why or '.'}", "yellow")
    if view.awaiting is Awaiting.NONE:
        return _verified(view) if view.state is State.VERIFIED else Text("The job is being worked on.")
    since = f" for {duration(view.gate.opened)}" if view.gate else ""
    beside = "; meanwhile other steps go on" if view.act and view.act.running else ""
    return Text(f"The job waits for {_WAITS[view.awaiting]}{since}{beside}.", "yellow")


def _verified(view: JobView) -> Text:
    if view.act and (view.acting or view.act.status is not ExecutionStatus.RUNNING):
        text = act_sentence(view.act)
    elif view.wants_act and view.selected is None:
        text = Text("The plan is verified, and carried out as soon as an option is selected.", "yellow")
    else:
        text = Text("The plan is verified.", "green")
    until = f" It takes restarts until {_when(view.open_until)}." if view.open_until else ""
    return text.append(until) if not view.acting else text


def _held(hold: Hold) -> str:
    match hold.kind:
        case HoldKind.FAILURE:
            return "is stopped by a failure"
        case HoldKind.BUDGET:
            return "waits for a larger budget"
        case HoldKind.PERSON:
            return f"is paused by {tame_line(hold.by)}"
        case kind:
            assert_never(kind)


def progress_line(view: JobView, progress: PhaseProgress) -> Text:
    """`[3/6] CONTRACTS  done  v2  by ann`"""
    number = list(Phase).index(progress.phase) + 1
    mark, colour = _LOOKS[progress.status]
    words = [f"[{number}/{len(Phase)}] {progress.phase.name:<{_LONGEST_NAME}}"]
    words.append(f"{mark} {_status(view, progress):<8}")
    if progress.version:
        words.append(f"v{progress.version}")
    if progress.accepted_by:
        words.append(tame_line(accepted(progress.accepted_by)))
    ref = current(view, progress.phase)
    if used := view.spending.get(progress.phase):
        words.append(cost(used))
    if ref and progress.status in (PhaseStatus.DONE, PhaseStatus.KEPT):
        words.append(tame_line(ref.summary, 60))
    return Text("  ".join(words).rstrip(), colour)


def current(view: JobView, phase: Phase) -> ArtifactRef | None:
    """The artifact of a phase that the job stands on."""
    found = [ref for ref in view.artifacts if ref.phase is phase and ref.status is ArtifactStatus.CURRENT]
    return found[-1] if found else None


def gate_lines(gate: Gate) -> Iterator[Text]:
    """What is to be decided, without the artifact itself."""
    have = f", {len(gate.decisions)} of {gate.needed} approvals" if gate.needed > 1 else ""
    yield pair("gate", f"{gate.id} reviews {gate.digest[:12]}{have}")
    if gate.escalated:
        yield Text(f"  decided by a person because {tame_line(gate.escalated)}", "yellow")
    for safeguard in gate.safeguards:
        yield Text(f"  needs a person: {tame_line(safeguard)}", "yellow")
    for finding in gate.findings:
        where = f" ({tame_line(finding.where)})" if finding.where else ""
        yield Text(f"  {'!' if finding.blocking else '·'} {tame_line(finding.what)}{where}", "yellow")
    for text in gate.feedback:
        yield Text(f"  answers the feedback: {tame_line(text)}")


def question_lines(question: QuestionState) -> Iterator[Text]:
    """A question with its answers, the recommended one first."""
    ref = question.ref
    yield pair(ref.id, tame(ref.text))
    if ref.why:
        yield Text(f"  why it matters: {tame_line(ref.why)}", "dim")
    for choice in choices(question):
        note = "  (recommended)" if choice == ref.recommended else ""
        yield Text(f"  - {tame_line(choice)}{note}")


def choices(question: QuestionState) -> tuple[str, ...]:
    """What can be answered, the recommended answer first."""
    ref = question.ref
    first = (ref.recommended,) if ref.recommended else ()
    return (*first, *(choice for choice in ref.choices if choice != ref.recommended))


def command_lines(commands: tuple[NextCommand, ...]) -> Iterator[Text]:
    """What to type next, in both forms."""
    if not commands:
        return
    yield Text()
    yield Text("next", "bold")
    for command in commands:
        yield Text(f"  {command.what}", "dim")
        yield whole(f"    {tame(command.phasegate)}")
        yield whole(f"    {tame(command.temporal)}", "dim")


def duration(since: datetime, now: datetime | None = None) -> str:
    """How long ago that was."""
    return span_words(max(0, int(((now or datetime.now(UTC)) - since).total_seconds())))


def _status(view: JobView, progress: PhaseProgress) -> str:
    if progress.phase is view.phase and view.mode is Mode.PAUSED:
        return "paused"
    if progress.status is PhaseStatus.ACTIVE and view.state.stage is Stage.AI_REVIEW:
        return "ai review"
    return progress.status


def _repository(view: JobView) -> str:
    at = f" @ {view.workspace.commit[:12]}" if view.workspace else ""
    return tame_line(view.repository) + at + _copy(view)


def _copy(view: JobView) -> str:
    """That a plain folder was copied, and how much of it."""
    found = view.workspace
    if found is None or found.source is not WorkspaceSource.FOLDER:
        return ""
    without = f" without {counted(found.skipped, 'file')} too large or not readable" if found.skipped else ""
    return f", a copy of {counted(found.files, 'file')}{without}, as it is no git repository"


def _when(at: datetime | None) -> str:
    return at.astimezone().strftime("%Y-%m-%d %H:%M") if at else ""
