"""`list`, `show`, `ledger`, `metrics`, `diagram`."""

from typing import Any

from rich.text import Text

from phasegate.actions.ending import ways_back, ways_home
from phasegate.actions.jobs import find_job, next_commands
from phasegate.attendance import HELP, NOBODY, trouble_with
from phasegate.client import JobClient
from phasegate.job_lines import JobLine
from phasegate.problems import WrongUse
from phasegate.screen.acting import act_lines
from phasegate.screen.former import former_lines
from phasegate.screen.job import job_text
from phasegate.screen.lists import jobs_table, ledger_lines
from phasegate.screen.metrics import metrics_lines
from phasegate.session import Outcome, Session
from states.artifacts.base import Artifact
from states.artifacts.plan import Plan
from states.diagram import phase_diagram
from states.execution import StepStatus
from states.metrics import measure
from states.render_options import with_steps
from states.trace import AgentProgress
from states.view import JobView
from states.words import WORK_PHASES, Awaiting, Phase, State


async def list_jobs(session: Session, everything: bool, state: str, awaiting: str, limit: int) -> Outcome:
    """The jobs that fit, newest first."""
    state, awaiting = _known_state(state), _known_awaiting(awaiting)
    client = await session.client()
    jobs = await client.list_jobs()
    fits = [line for line in jobs if _fits(line, everything or bool(state), state, awaiting)]
    shown = fits[:limit]
    parts = jobs_table(shown, session.out.width) if shown else (Text(_nothing(jobs, everything)),)
    if len(fits) > limit:
        parts = (*parts, Text(f"{len(fits) - limit} more; --limit shows them", "dim"))
    return Outcome({"jobs": [line.model_dump(mode="json") for line in shown], "total": len(fits)}, parts)


async def show_job(session: Session, prefix: str) -> Outcome:
    """The whole view."""
    client, job = await find_job(session, prefix)
    view = await client.view(job)
    live = None
    if view.running and not session.as_json:
        live = await client.agent(job, view.running, trace=False)
    trouble = await trouble_with(client.temporal, job)
    return await shown_now(session, client, view, live, f"{NOBODY}; {HELP}" if trouble == NOBODY else trouble)


async def shown_now(
    session: Session, client: JobClient, view: JobView, live: AgentProgress | None = None, trouble: str = ""
) -> Outcome:
    """A view for people and for programs, with its execution as it is now, and the next commands.

    `trouble`: why nothing happens to it, if that is known.
    """
    commands = next_commands(session, client, view)
    execution = await client.executions.view(view.act) if view.act else None
    act = execution.act if execution else None
    data = view.model_copy(update={"next_commands": commands, "act": act}).model_dump(mode="json")
    data["trouble"] = trouble
    left = ways_back(view)
    data |= {"take_former": [{"execution": act.id, "command": command} for act, command in left if command]}
    if execution is None:
        plans = await _plans_at_gate(client, view)
        return Outcome(data, tuple(job_text(view, commands, live, former_lines(left), trouble, plans)))
    home = ways_home(view, execution.act)
    outputs = {
        line.id: await client.executions.output(line)
        for line in execution.act.last.steps
        if line.status == StepStatus.FAILED
    }
    data |= {
        "running_steps": [step.model_dump(mode="json") for step in execution.now],
        "take_over": [{"what": what, "command": command} for what, command in home],
    }
    lines = (
        *former_lines(left),
        *act_lines(execution, outputs, home, session.settings.progress_bar),
    )
    return Outcome(data, tuple(job_text(view, commands, live, lines, trouble)))


async def _plans_at_gate(client: JobClient, view: JobView) -> dict[str, Plan]:
    """The plans that whoever decides at the VALIDATION gate should read, by the option's id."""
    if view.gate is None or view.gate.phase is not Phase.VALIDATION:
        return {}
    told = [each for each in view.options if with_steps(each.source, len(view.options))]
    return {each.id: Plan.model_validate_json(await client.store.get(each.plan)) for each in told}


async def show_ledger(session: Session, prefix: str) -> Outcome:
    """Every entry, oldest first."""
    client, job = await find_job(session, prefix)
    entries = await client.ledger(job)
    data = {"job": job, "entries": [entry.model_dump(mode="json") for entry in entries]}
    return Outcome(data, tuple(ledger_lines(entries)))


async def show_metrics(session: Session, prefix: str) -> Outcome:
    """The seed's success metrics, computed from the record and the current artifacts."""
    client, job = await find_job(session, prefix)
    record = await client.record(job)
    artifacts: dict[Phase, Artifact] = {
        phase: (await client.store.get_artifact(ref.digest)).artifact()
        for phase in WORK_PHASES
        if (ref := record.current(phase))
    }
    metrics = measure(record, artifacts)
    return Outcome({"job": job, **metrics.model_dump(mode="json")}, tuple(metrics_lines(metrics)))


async def show_diagram(session: Session, prefix: str) -> Outcome:
    """The machine; needs no server without a job."""
    data: dict[str, Any] = {}
    if prefix:
        client, job = await find_job(session, prefix)
        record = await client.record(job)
        data = {"job": job, "state": record.state.value}
        diagram = phase_diagram(record.state)
    else:
        diagram = phase_diagram()
    return Outcome({**data, "diagram": diagram}, (diagram.rstrip(),))


def _fits(line: JobLine, everything: bool, state: str, awaiting: str) -> bool:
    if not (line.open or everything):
        return False
    in_state = not state or line.state == state or line.state.startswith(f"{state}_awaiting")
    return in_state and (not awaiting or line.awaiting == awaiting)


def _known_state(name: str) -> str:
    """A state or a phase as typed, in any case."""
    key = name.strip().lower().replace("-", "_")
    if key and key not in list(State):
        raise WrongUse(f"unknown state {name[:60]!r}; states are {', '.join(State)}")
    return key


def _known_awaiting(name: str) -> str:
    key = name.strip().lower().replace("-", "_")
    if key and key not in list(Awaiting):
        raise WrongUse(f"unknown {name[:60]!r}; jobs wait for {', '.join(Awaiting)}")
    return key


def _nothing(jobs: list[JobLine], everything: bool) -> str:
    if not jobs:
        return 'no jobs yet; start one with: phasegate plan --repo PATH "the task"'
    return "no job fits" if everything else f"no open job fits; --all shows the {len(jobs)} that are known"
