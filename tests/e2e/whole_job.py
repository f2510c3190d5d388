"""A whole job by a model: a small repository with its task, and what the model says in every phase."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from temporalio.client import Client

from activities.agent_ports import Provider
from activities.desks.offers import REPLY, SUBMIT_ARTIFACT, SUBMIT_REVIEW
from activities.desks.options import SUBMIT_OPTION
from activities.payloads import data_converter
from activities.store import open_store
from phasegate.client import JobClient
from phasegate.settings import Settings
from states.words import WORK_PHASES, Phase
from tests.activities.desks.good import OPTIONS, SUBMISSIONS
from tests.activities.deterministic.small_repos import SHOP, TASK, make
from tests.e2e.stage import Stage, job_id
from tests.e2e.temporal_cli import TemporalCli
from tests.model_server.script import Script
from worker import build_worker, wired

MODEL = "openai/scripted"
"""what litellm finds at the address in OPENAI_API_BASE"""

LOOKS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("list_files", {"explanation": "look", "path": "src"}),
    ("grep_search", {"explanation": "who makes links", "query": "create_link"}),
    ("read_file", {"explanation": "the code itself", "filename": "src/shop/links.py"}),
)
"""tools that the model calls at once, before it hands anything over"""

WITHOUT_PEOPLE = {"gates": (), "question_handling": "best_guess"}
"""a named policy under which a job waits for nobody"""

NOTES = 2_000
"""lines of a file to read at length, 76 bytes each"""

CALLS = 3 * len(WORK_PHASES)
"""model calls of a whole job: in each phase one that looks, one that hands over, one that reviews"""

DRAFT_CALLS = 2 * len(OPTIONS)
"""calls beside those where agents draft its options: each looks once, then hands over"""


def whole_job(looks: int = 1) -> Script:
    """Look `looks` times in all work, hand over what passes, approve of it; say it means that."""
    script = Script()
    for phase in WORK_PHASES:
        rule = script.when(**working(phase))
        for _ in range(looks):
            rule.calls(*LOOKS)
        rule.call(SUBMIT_ARTIFACT, SUBMISSIONS[phase])
    for number, option in enumerate(OPTIONS, 1):
        rule = script.when(**drafting(number))
        for _ in range(looks):
            rule.calls(*LOOKS)
        rule.call(SUBMIT_OPTION, option)
    script.when(tool=SUBMIT_REVIEW).call(SUBMIT_REVIEW, {"verdict": "approve", "findings": []})
    script.when(tool=REPLY).call(REPLY, {"text": "It means the links made from now on."})
    return script


def long_look(calls: int) -> Script:
    """DISCOVERY reads 8,000 bytes `calls` times before it hands over; the rest as ever."""
    script = Script()
    rule = script.when(**working(Phase.DISCOVERY))
    for number in range(calls):
        first = 1 + 100 * (number % (NOTES // 100))
        where = {"filename": "docs/notes.md", "start_line": first, "end_line": first + 99}
        rule.call("read_file", {"explanation": f"look {number}", **where})
    rule.call(SUBMIT_ARTIFACT, SUBMISSIONS[Phase.DISCOVERY])
    script.rules += whole_job().rules
    return script


def working(phase: Phase) -> dict[str, str]:
    """Requests of the agent that makes the artifact of a phase, as conditions of a rule."""
    return {"system": phase.name, "tool": SUBMIT_ARTIFACT}


def reviewing(phase: Phase) -> dict[str, str]:
    """Requests of the agent that reviews it."""
    return {"system": f"the phase {phase} of", "tool": SUBMIT_REVIEW}


def drafting(number: int) -> dict[str, str]:
    """Requests of the agent that drafts the option of this number, from 1."""
    return {"first": f"You draft option {number}:", "tool": SUBMIT_OPTION}


def shop(home: Path) -> dict[str, Any]:
    """A task for a job by a model, over a repository that is made in `home`."""
    notes = "".join(f"{number:05} {'note ' * 14}\n" for number in range(NOTES))
    repository = make(home / "shop", {**SHOP, "docs/notes.md": notes})
    return {"task": TASK, "repository": str(repository), "model": MODEL, "models": {"options": "none"}}


@asynccontextmanager
async def whole_stage(address: str, home: Path, provider: Provider) -> AsyncIterator[Stage]:
    """A worker of the product in this process, whole but for what replies in place of a model."""
    settings = Settings(state_dir=home / "state", task_queue=job_id("whole"), drain_seconds=0)
    store = open_store(settings.store)
    client = await Client.connect(address, data_converter=data_converter(store))
    async with build_worker(client, settings, *wired(settings, provider)):
        yield Stage(
            TemporalCli(address, settings.task_queue),
            JobClient(client, store, settings.task_queue),
            store,
            settings,
        )
