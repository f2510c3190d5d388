"""The first steps: a stage, a task, DISCOVERY, a question, and the gate of CLARIFICATION."""

import json
import shlex

from phasegate.demo.story import JOB, Story
from phasegate.screen.job import choices
from states.amounts import counted
from states.artifacts.clarification import ClarificationArtifact
from states.artifacts.discovery import ContextDiscoveryArtifact
from states.record import JobSpec
from states.words import Awaiting, Message, Phase


async def set_up(story: Story) -> None:
    """A server and a worker; what to set to look on."""
    stage, tell = story.stage, story.tell
    tell.say("Both start as processes of their own, as `phasegate dev` does it for you.")
    await stage.server.start()
    story.workers.append(await stage.start_worker())
    story.client = await stage.connect()
    tell.say(
        f"Temporal is process {stage.server.pid}, its database is a file; the worker is process "
        f"{story.workers[0]}. The way to them, for commands in another terminal "
        "(`phasegate demo --keep` leaves both running):"
    )
    tell.type(*stage.exports())


async def start(story: Story) -> None:
    """A job for the sample repository."""
    stage, tell = story.stage, story.tell
    commit = await stage.lay_out()
    spec = JobSpec(
        task=stage.task_file.read_text(encoding="utf-8"),
        repository=str(stage.repository),
        submitted_by=story.by,
    )
    tell.say(f"deskly, a small help desk, is copied and committed as {commit[:12]}. The task:")
    tell.say(spec.task.strip().splitlines()[0], "italic")
    order = stage.home / "job.json"
    order.write_text(json.dumps(spec.model_dump(mode="json", exclude_defaults=True)), encoding="utf-8")
    tell.type(
        f"phasegate plan --repo {_quoted(stage.repository)} --task-file {_quoted(stage.task_file)} "
        f"--id {JOB} --detach",
        f"temporal workflow start --type PlanningWorkflow --task-queue {story.client.task_queue} "
        f"--workflow-id {JOB} --input-file {_quoted(order)}",
    )
    job = await story.client.start(spec, JOB)
    story.claim(job == JOB, f"the job is called {job}")


async def discover(story: Story) -> None:
    """What DISCOVERY found."""
    await story.until(lambda view: view.awaiting is Awaiting.ANSWERS, "a question")
    found = await story.artifact(Phase.DISCOVERY)
    assert isinstance(found, ContextDiscoveryArtifact)
    ranking = found.codebase_understanding.ranking
    story.claim(bool(ranking), "DISCOVERY found no relevant file")
    story.kept[Phase.DISCOVERY] = (await story.digests())[Phase.DISCOVERY]
    story.tell.say(
        f"It read {counted(found.files_total, 'file')} without any model and ranked {len(ranking)}; "
        f"a mechanical review passed the result, sha256 {story.kept[Phase.DISCOVERY][:12]}. The first three:"
    )
    story.tell.points((str(n), f"{r.path}: {'; '.join(r.reasons)}") for n, r in enumerate(ranking[:3], 1))
    story.tell.type(f"phasegate artifacts {JOB} discovery")


async def answer(story: Story) -> None:
    """The task fits two things equally well: a person says which."""
    view = await story.until(lambda view: view.awaiting is Awaiting.ANSWERS, "a question")
    questions = [question for question in view.questions if question.open]
    story.claim(len(questions) == 1, f"it asks {len(questions)} questions instead of one")
    [question] = questions
    offered = choices(question)
    story.tell.say(question.ref.text)
    story.tell.points(("-", f"{c} (recommended)" if c == question.ref.recommended else c) for c in offered)
    story.tell.say(f"Why it matters: {question.ref.why}", "dim")
    said = offered[0]
    words = f"answer {JOB} {question.ref.id} {shlex.quote(said)}"
    note = await story.send(words, Message.ANSWER, {"question": question.ref.id, "text": said})
    story.tell.say(f"-> {note}")


async def agree(story: Story) -> None:
    """The first gate: the requirements as they are understood now."""
    gate = await story.gate("clarification-1")
    clarified = await story.artifact(Phase.CLARIFICATION)
    assert isinstance(clarified, ClarificationArtifact)
    answered = [each.answered_by for each in clarified.resolved_ambiguities]
    story.claim(answered == [story.by], f"the question was answered by {answered}, not by {story.by}")
    story.tell.say(
        "The answer became part of the requirements. A person decides whether they are right; "
        f"the decision is bound to what was read, sha256 {gate.digest[:12]}."
    )
    wanted = clarified.updated_requirements
    story.tell.points(("-", text) for text in (*wanted.requirements, *wanted.constraints))
    await story.approve(gate)
    story.kept[Phase.CLARIFICATION] = gate.digest


def _quoted(path: object) -> str:
    return shlex.quote(str(path))
