"""The steps around CONTRACTS: refused, reworked, approved while no worker lives, carried on by a new one."""

import shlex
import signal

from temporalio.api.enums.v1 import EventType

from phasegate.demo.story import JOB, Story
from phasegate.screen.artifact import changes
from phasegate.screen.job import progress_line
from states.amounts import counted
from states.artifacts.contracts import ContractDesignArtifact
from states.ledger import EntryKind
from states.render import markdown
from states.words import Message, Phase

METHOD = "SessionStore.remove_expired"
FEEDBACK = f"Call the new method `{METHOD}(self, now: datetime) -> int`: it gives how many it removed."
_DIFF_LINES = 32


async def refuse(story: Story) -> None:
    """The first contracts lack something."""
    gate = await story.gate("contracts-1")
    design = await story.artifact(Phase.CONTRACTS)
    assert isinstance(design, ContractDesignArtifact)
    story.refused = gate.digest
    story.tell.say(
        f"Gate {gate.id} shows every interface that the change touches. What nobody has said yet is left "
        f"open, not invented: {counted(len(design.open_points), 'point')}."
    )
    story.tell.points(("~", f"{m.path}:{m.line} {m.signature}") for m in design.method_contracts)
    story.tell.say("You miss the new method, and say what it should look like:")
    await story.send(
        f"revise {JOB} {shlex.quote(FEEDBACK)} --gate {gate.id} --digest {gate.digest[:12]}",
        Message.REVISE,
        {"feedback": FEEDBACK, "gate": gate.id, "digest": gate.digest[:12]},
    )


async def compare(story: Story) -> None:
    """The rework comes back through review to a new gate, as a diff against what was refused."""
    gate = await story.gate("contracts-2")
    story.claim(gate.against == story.refused, f"{gate.id} is not compared with what was refused")
    story.claim(gate.feedback == (FEEDBACK,), f"{gate.id} does not quote the feedback")
    old, new = await story.artifact(Phase.CONTRACTS, 1), await story.artifact(Phase.CONTRACTS, 2)
    before, after = markdown(old, full=True), markdown(new, full=True)
    added = METHOD not in before and any(METHOD in line for line in after.splitlines() if "###" in line)
    story.claim(added, f"the rework does not have {METHOD}")
    reviews = [e for e in await story.client.ledger(JOB) if e.kind is EntryKind.REVIEW]
    story.claim(
        sum(e.what.startswith("contracts passed") for e in reviews) == 2, "the rework was not reviewed again"
    )
    story.tell.say(f"Worked on again and reviewed again, it waits at {gate.id}. It answers this feedback:")
    story.tell.say(f"> {gate.feedback[0]}", "italic")
    story.tell.say(f"and differs from what you refused ({gate.against[:12]} -> {gate.digest[:12]}):")
    story.tell.diff(list(changes(before, after, "contracts v1", "contracts v2"))[2:], _DIFF_LINES)
    story.tell.type(f"phasegate diff {JOB} contracts 1 2")


async def kill(story: Story) -> None:
    """SIGKILL at an open gate, and an approval that no worker can hear."""
    gate = await story.gate("contracts-2")
    pid = story.stage.worker_pid
    story.tell.say(f"Gate {gate.id} is open, and the worker that holds the job in memory dies:")
    story.tell.type(f"kill -9 {pid}")
    code = story.stage.kill_worker()
    story.claim(code == -signal.SIGKILL, f"the worker ended with {code} instead of by SIGKILL")
    story.tell.say("No worker runs now. You approve all the same; this very command is run:")
    command = story.typed(*story.approval(gate)).temporal
    story.tell.type(command)
    story.tell.say(f"-> {await story.stage.type(command)}")
    story.claim(await _unheard(story), "the approval was heard although no worker runs")
    story.tell.say("The signal lies in the job's history; nobody has acted on it.")
    story.approved = gate.digest


async def go_on(story: Story) -> None:
    """A new process finds the job where it was, and the approval."""
    story.tell.say("A new one takes a few seconds: it starts, and Temporal gives up on the old one.")
    story.tell.type("phasegate worker")
    story.workers.append(await story.stage.start_worker())
    story.claim(story.workers[-1] != story.workers[0], "the new worker is the old one")
    view = await story.until(
        lambda view: view.gate is not None and view.gate.id == "validation-1", "the plan"
    )
    story.tell.say(f"Process {story.workers[-1]} read the history and went on by itself:")
    story.tell.lines(progress_line(view, progress) for progress in view.progress[:5])
    record = await story.client.record(JOB)
    story.claim(
        record.gates_closed.get("contracts-2") == f"approved by {story.by}",
        f"gate contracts-2 is {record.gates_closed.get('contracts-2', 'still open')}",
    )
    now = await story.digests()
    same = {**story.kept, Phase.CONTRACTS: story.approved}
    story.claim(all(now.get(p) == digest for p, digest in same.items()), "work was lost with the worker")
    story.tell.say("The approval was honoured; no digest has changed, so no work was lost or repeated.")


async def _unheard(story: Story) -> bool:
    """Whether the signal lies in the job's history and no worker has taken a task since."""
    history = await story.client.temporal.get_workflow_handle(JOB).fetch_history()
    for event in reversed(history.events):
        if event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED:
            return False
        if event.event_type == EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED:
            return True
    return False
