"""Real processes killed with SIGKILL at every place of a job: it ends as if nothing had been."""

import asyncio
import shutil
import subprocess
import time
from collections.abc import Awaitable, Callable
from dataclasses import astuple
from pathlib import Path

import pytest

from states.record import JobRecord
from states.view import JobView
from states.words import WORK_PHASES, Message, Phase, State
from tests.e2e.kill_table import PLACES, PROPERTY, VICTIMS, WORKING, Cell
from tests.e2e.mortals import ROOT, Mortals, mortals

JOB = "job"
"""one id for all runs, as each has a server of its own: nothing of an artifact may depend on it anyway"""
FAST = (
    ("contracts-work", "worker"),
    (f"waits in {State.CONTRACTS_HUMAN_REVIEW}", "both"),
)
SLOW = tuple((p, v) for p in PLACES for v in VICTIMS if (p, v) not in FAST)

Before = Callable[[JobView], Awaitable[None]]
Note = Callable[[str, object], None]
Digests = dict[Phase, tuple[str, ...]]


async def nothing(_: JobView) -> None:
    """What happens where nothing happens."""


def said(view: JobView) -> list[tuple[Message, dict[str, str]]]:
    """What a person says where the job waits."""
    if view.state is not State.CLARIFICATION:
        return [(Message.APPROVE, {"by": "ann"})]
    asked = [question.ref for question in view.questions if question.open]
    return [(Message.ANSWER, {"question": q.id, "text": q.recommended or "yes", "by": "ann"}) for q in asked]


async def walk(both: Mortals, task: dict[str, str], before: Before = nothing) -> JobRecord:
    """A whole job. `before` happens wherever it waits for a person, before the person says something."""
    await both.cli.start(JOB, task)
    known: list[State] = []
    while True:
        view = await both.next_stop(JOB, known)
        await before(view)
        if view.state is State.VERIFIED:
            return await both.record(JOB)
        for message, given in said(view):
            await both.cli.signal(JOB, message, given)
        known.append(view.state)


def digests(record: JobRecord) -> Digests:
    """What a job stood on; a version that a killed worker made twice would show."""
    return {phase: tuple(ref.digest for ref in record.versions(phase)) for phase in WORK_PHASES}


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """A task for each kind of parts; the real ones read the sample that phasegate ships."""
    sample = tmp_path_factory.mktemp("sample") / "deskly"
    shutil.copytree(ROOT / "phasegate" / "sample", sample, ignore=shutil.ignore_patterns("__pycache__"))
    who = ("-c", "user.name=ann", "-c", "user.email=ann@example.org")
    for words in (("init", "-q"), ("add", "."), (*who, "commit", "-q", "-m", "The sample")):
        subprocess.run(["git", *words], cwd=sample, check=True)
    text = (sample / "TASK.md").read_text()
    return {
        "scripted": {"task": "Add a retry to the uploader", "repository": "/srv/shop"},
        "real": {"task": text, "repository": str(sample)},
    }


@pytest.fixture(scope="module")
def undisturbed(
    tasks: dict[str, dict[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Awaitable[Digests]]:
    """The digests of a job whose processes all lived, by kind of parts."""
    known: dict[str, Digests] = {}

    async def run(kind: str) -> Digests:
        if kind not in known:
            async with mortals(tmp_path_factory.mktemp("undisturbed"), kind) as both:
                known[kind] = digests(await walk(both, tasks[kind]))
        return known[kind]

    return run


async def killed_at(both: Mortals, task: dict[str, str], place: str, victims: str) -> tuple[JobRecord, float]:
    """A whole job in which processes die at a place; with the seconds from there to the next progress."""
    spent = 0.0

    async def kill() -> None:
        nonlocal spent
        began = time.monotonic()
        await both.kill_and_replace(victims)
        spent = time.monotonic() - began

    if place not in WORKING:

        async def before(view: JobView) -> None:
            if place == f"waits in {view.state}":
                await kill()
                again = await both.next_stop(JOB)
                assert again.gate == view.gate
                assert again.questions == view.questions

        return await walk(both, task, before), spent

    both.hold(place)
    walking = asyncio.create_task(walk(both, task))
    try:
        await both.reached(place)
        await kill()
        both.release(place)
        began = time.monotonic()
        await both.passed(place)
        spent += time.monotonic() - began
        return await walking, spent
    finally:
        walking.cancel()


async def check(
    both: Mortals, task: dict[str, str], expected: Digests, place: str, victims: str, note: Note
) -> None:
    """The job ends with the same artifacts, and its ledger has no gap."""
    record, seconds = await killed_at(both, task, place, victims)
    note(PROPERTY, astuple(Cell(both.kind, place, victims, seconds, digests(record) == expected)))
    assert digests(record) == expected
    assert record.state is State.VERIFIED
    assert [entry.n for entry in record.ledger] == list(range(1, record.ledger_count + 1))


@pytest.mark.parametrize(("place", "victims"), FAST)
async def test_a_job_survives(
    tasks: dict[str, dict[str, str]],
    undisturbed: Callable[[str], Awaitable[Digests]],
    tmp_path: Path,
    record_property: Note,
    place: str,
    victims: str,
) -> None:
    expected = await undisturbed("scripted")
    async with mortals(tmp_path, "scripted") as both:
        await check(both, tasks["scripted"], expected, place, victims, record_property)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "place", "victims"),
    [*(("scripted", *cell) for cell in SLOW), *(("real", p, v) for p in PLACES for v in VICTIMS)],
)
async def test_a_job_survives_wherever_whoever_dies(
    tasks: dict[str, dict[str, str]],
    undisturbed: Callable[[str], Awaitable[Digests]],
    tmp_path: Path,
    record_property: Note,
    kind: str,
    place: str,
    victims: str,
) -> None:
    expected = await undisturbed(kind)
    async with mortals(tmp_path, kind) as both:
        await check(both, tasks[kind], expected, place, victims, record_property)
