"""`agents`: who worked with a model, what that used, and what was said."""

from rich.text import Text

from phasegate.actions.jobs import find_job
from phasegate.client import JobClient
from phasegate.problems import WrongUse
from phasegate.screen.agents import agents_table
from phasegate.screen.tame import tame_line
from phasegate.screen.transcript import head_lines, message_lines
from phasegate.session import Outcome, Session
from states.agents import AgentNote, Usage
from states.trace import AgentProgress, TraceKind
from states.view import JobView

MOST_RUNS = 20
"""runs of an agent, each with a pause before it, whose traces are read together"""


async def list_agents(session: Session, prefix: str) -> Outcome:
    """Every agent, in the order in which they were put to work; the running one as it is now."""
    client, job = await find_job(session, prefix)
    view = await client.view(job)
    live = await client.agent(job, view.running) if view.running else None
    agents = [_as_it_is(note, live) for note in view.agents]
    total = sum((note.usage for note in agents), Usage())
    data = {
        "job": job,
        "agents": [note.model_dump(mode="json") for note in agents],
        "running": live.model_dump(mode="json", exclude={"trace"}) if live else None,
        "total": total.model_dump(mode="json"),
    }
    if not agents:
        return Outcome(data, (Text("no model was asked in this job"),))
    more = Text(f"phasegate agents {job} AGENT shows what was said", "dim")
    return Outcome(data, (*agents_table(agents, live, total, session.out.width), more))


async def print_conversation(session: Session, prefix: str, name: str, full: bool) -> Outcome:
    """What one agent and its model said, as it lies in the store. Raises WrongUse for an unknown agent."""
    client, job = await find_job(session, prefix)
    note = _named(await client.view(job), name)
    live = await _all_runs(client, job, note)
    messages = await _messages(client, note, live)
    now = _as_it_is(note, live)
    data = {
        "job": job,
        "agent": now.model_dump(mode="json"),
        "trace": [event.model_dump(mode="json") for event in live.trace] if live else [],
        "messages": messages,
    }
    return Outcome(data, (*head_lines(now, live), *message_lines(messages, full)))


async def _all_runs(client: JobClient, job: str, note: AgentNote) -> AgentProgress | None:
    """The newest run, with the traces of those before it as far as Temporal still has them."""
    first = max(note.runs - MOST_RUNS, 0) + 1
    runs = [note.model_copy(update={"runs": number}) for number in range(first, note.runs + 1)]
    seen = [await client.agent(job, run) for run in runs]
    trace = tuple(event for progress in seen if progress for event in progress.trace)
    return seen[-1].model_copy(update={"trace": trace}) if seen[-1] else None


async def _messages(
    client: JobClient, note: AgentNote, live: AgentProgress | None
) -> list[dict[str, object]]:
    """Up to the last reply, and what its tools answered as far as that is known."""
    head = note.head
    answers: list[str] = []
    for event in live.trace if live else ():
        if event.kind is TraceKind.LLM_CALL:
            head, answers = event.head, []
        elif event.kind is TraceKind.TOOL_EXECUTION:
            answers.append(event.answer)
    return await client.conversation(head, answers)


def _as_it_is(note: AgentNote, live: AgentProgress | None) -> AgentNote:
    """The job's note of an agent; what it used so far is booked only when it ends."""
    if live is None or live.agent != note.id or note.end is not None:
        return note
    replied = (e.model for e in live.trace if e.kind is TraceKind.LLM_CALL)
    models = tuple(dict.fromkeys((*note.used, *replied)))
    return note.model_copy(update={"usage": note.usage + live.usage, "used": models})


def _named(view: JobView, name: str) -> AgentNote:
    """The agent with this name, or the only one that begins so. Raises WrongUse."""
    names = [note.id for note in view.agents]
    found = [note for note in view.agents if note.id.startswith(name)]
    exact = [note for note in found if note.id == name]
    if exact or len(found) == 1:
        return (exact or found)[0]
    if not names:
        raise WrongUse(f"no model was asked in job {view.job}, so it has no agents")
    which = f"several agents begin with {name!r}" if found else f"there is no agent {tame_line(name, 60)!r}"
    raise WrongUse(f"{which}; job {view.job} has {', '.join(n.id for n in found) or ', '.join(names)}")
