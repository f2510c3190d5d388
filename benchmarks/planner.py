"""The planner without a model: time for each phase, and how little of its artifacts goes through Temporal.

    python -m benchmarks.planner [--repo PATH [--task TEXT]]

Whole jobs through the product's own worker, on the sample repository, on phasegate's own source where it is a
clone, and on the repository given. Gates are off and questions are guessed, so that nothing waits for people.
"""

import asyncio
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from temporalio.client import Client

from activities.models.provider import LiteLlmProvider
from activities.payloads import data_converter
from benchmarks.stage import ROOT, Stage, stage
from benchmarks.stopwatch import Key, Stopwatch
from benchmarks.table import Table, arguments, show
from phasegate.client import JobClient
from phasegate.logs import configure_logs
from phasegate.settings import Settings
from states.record import JobRecord, JobSpec
from states.words import State
from worker import build_worker, wired

QUEUE = "planner"
SAMPLE = ROOT / "phasegate" / "sample"
OWN_TASK = "Add how long each job has waited for a person to the list of jobs, longest first."
OTHER_TASK = "Add a timeout setting to every request that goes over the network."
POLICY = {"gates": (), "question_handling": "best_guess", "keep_open_seconds": 0}
KB = 1024


@dataclass
class Ran:
    """One job that ran to its end."""

    seconds: float
    activities: dict[Key, float]
    record: JobRecord
    events: int
    history_bytes: int
    largest_event: int


@dataclass
class Subject:
    """A repository with a task, and the jobs that were run on it: the first, and the same again."""

    name: str
    path: Path
    task: str
    jobs: list[Ran] = field(default_factory=list)


async def run_job(jobs: JobClient, stopwatch: Stopwatch, subject: Subject) -> Ran:
    """One job from start to VERIFIED. Raises RuntimeError when it ended otherwise."""
    stopwatch.seconds.clear()
    spec = JobSpec.model_validate({"task": subject.task, "repository": str(subject.path), "policy": POLICY})
    handle = jobs.temporal.get_workflow_handle(await jobs.start(spec))
    await ended(jobs, handle.id)
    events = (await handle.fetch_history()).events
    described = await handle.describe()
    assert described.close_time
    return Ran(
        (described.close_time - described.start_time).total_seconds(),
        dict(stopwatch.seconds),
        await jobs.record(handle.id),
        len(events),
        described.raw_description.workflow_execution_info.history_size_bytes,
        max(event.ByteSize() for event in events),
    )


async def ended(jobs: JobClient, job: str) -> None:
    """Wait until a job has closed. Raises RuntimeError when it stands still or was not verified."""
    async for view in jobs.follow(job):
        if view.hold:
            raise RuntimeError(f"{job} stands still: {view.hold.reason}")
    if (record := await jobs.record(job)).state is not State.VERIFIED:
        raise RuntimeError(f"{job} ended in {record.state}")


async def measure(on: Stage, subject: Subject) -> None:
    """A new worker for two jobs: the second finds checkout and index made."""
    settings = Settings.load(
        state_dir=on.folder / f"state-{subject.name}", store=str(on.folder / "store"), task_queue=QUEUE
    )
    stopwatch = Stopwatch()
    client = await Client.connect(
        on.server.address, data_converter=data_converter(on.store), interceptors=[stopwatch]
    )
    async with build_worker(client, settings, *wired(settings, LiteLlmProvider())):
        for _ in range(2):
            subject.jobs.append(await run_job(JobClient(client, on.store, QUEUE), stopwatch, subject))


def sample_clone(folder: Path) -> Path:
    """The sample as a repository of its own."""
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    git = ["git", "-C", str(folder), "-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "sample"]):
        subprocess.run([*git, *words], check=True)
    return folder


def subjects_in(folder: Path, repo: Path | None, task: str) -> list[Subject]:
    """What to plan on; `folder` takes the clone of the sample."""
    found = [Subject("sample", sample_clone(folder / "sample"), (SAMPLE / "TASK.md").read_text("utf-8"))]
    if (ROOT / ".git").exists():
        found.append(Subject("phasegate", ROOT, OWN_TASK))
    if repo:
        found.append(Subject(repo.resolve().name, repo.resolve(), task))
    return found


async def main(repo: Path | None, task: str) -> list[Table]:
    """Run two jobs on each repository."""
    configure_logs("error")
    async with stage() as on:
        subjects = subjects_in(on.folder, repo, task)
        for subject in subjects:
            await measure(on, subject)
    return [*map(activities, subjects), whole(subjects)]


def activities(subject: Subject) -> Table:
    """Each activity of a job."""
    first, again = subject.jobs
    sizes = {ref.phase.value: ref.size / KB for ref in first.record.artifacts}
    return Table(
        f"Activities of a job on {subject.name}",
        ["activity", "phase", "first job ms", "again ms", "again / first", "artifact KB"],
        [
            [
                name,
                phase,
                seconds * 1000,
                again.activities.get((name, phase), 0.0) * 1000,
                again.activities.get((name, phase), 0.0) / seconds,
                None if name == "review_artifact" else sizes.get(phase),
            ]
            for (name, phase), seconds in first.activities.items()
        ],
    )


def whole(subjects: list[Subject]) -> Table:
    """Whole jobs."""
    heads = ["", "files", "first job s", "again s", "again / first", "events", "artifacts KB", "history KB"]
    return Table(
        "Whole jobs, from start to end",
        [*heads, "history / artifacts", "largest event KB"],
        [line(subject) for subject in subjects],
        "Again: same task, same commit, same worker. Times and history as the server has them.",
    )


def line(subject: Subject) -> list[object]:
    """A job's line."""
    first, again = subject.jobs
    files = first.record.workspace.files if first.record.workspace else None
    kept = sum(ref.size for ref in first.record.artifacts)
    return [
        subject.name,
        files,
        first.seconds,
        again.seconds,
        again.seconds / first.seconds,
        first.events,
        kept / KB,
        first.history_bytes / KB,
        first.history_bytes / kept,
        first.largest_event / KB,
    ]


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--repo", type=Path, help="a local clone to plan on as well")
    parser.add_argument("--task", default=OTHER_TASK, help="the task for it")
    given = parser.parse_args()
    show(asyncio.run(main(given.repo, given.task)), given.json)
