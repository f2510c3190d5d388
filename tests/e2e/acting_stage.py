"""Jobs whose plan is given, to be carried out on a real repository by a worker of the product."""

import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from temporalio.client import Client, Interceptor

from activities.agents import AgentActivities
from activities.brief import Brief
from activities.desks.coding import CodingDesk
from activities.execution.activities import ExecutionActivities
from activities.execution.executor import WorktreeExecutor
from activities.execution.folders import Acts
from activities.index.shelf import IndexShelf
from activities.models.provider import LiteLlmProvider
from activities.payloads import data_converter
from activities.planning import PlanningActivities
from activities.store import Store, open_store
from activities.workspace import Workspaces
from phasegate.client import JobClient
from phasegate.settings import Settings
from states.agents import AgentKind
from states.artifacts.plan import Estimates, Plan, PlanOption, PlanStep
from states.artifacts.validation import ValidationArtifact
from tests.confinement import CONFINED
from tests.e2e.stage import Stage, job_id
from tests.e2e.temporal_cli import TemporalCli
from tests.scripted import ScriptedPlanner, ScriptedReviewer
from worker import build_worker

WITHOUT_PEOPLE = {"gates": (), "auto_select_best": True}
"""a policy under which a plan is verified, and its only option selected, without anybody"""


@dataclass
class OneWay(ScriptedPlanner):
    """Draws up one option, ready to be carried out."""

    option: PlanOption | None = None

    def validate(self, brief: Brief) -> ValidationArtifact:
        """VALIDATION."""
        options = (self.option,) if self.option else ()
        return super().validate(brief).model_copy(update={"options": options})


@dataclass(frozen=True)
class ActingStage(Stage):
    """A stage whose jobs have one option, with the plan that it was made with."""

    repository: Path

    async def act(self, **spec: Any) -> str:
        """A job that carries its plan out as soon as it is verified; gives its id."""
        job = job_id("acting")
        policy = {**WITHOUT_PEOPLE, **spec.pop("policy", {})}
        given = {"task": "carry it out", "repository": str(self.repository), "act": True, "policy": policy}
        await self.cli.start(job, {**given, **spec})
        return job


def acting_parts(home: Path, store: Store, queue: str, *steps: PlanStep) -> tuple[Settings, list[object]]:
    """The settings and activities of a worker whose jobs have this plan as their only option."""
    settings = Settings(
        state_dir=home / "state", task_queue=queue, drain_seconds=0, unconfined_commands=not CONFINED
    )
    option = PlanOption(
        id="a",
        title="The only way",
        plan=Plan(title="The plan", steps=steps, estimates=Estimates(confidence=0.9)),
    )
    workspaces = Workspaces(settings.workspaces)
    visible = (Path(sys.prefix), Path(sys.base_prefix))
    desk = CodingDesk(store, workspaces, Acts(store, workspaces))
    executor = WorktreeExecutor(
        store, workspaces, IndexShelf(None), visible=visible, unconfined=settings.unconfined_commands
    )
    return settings, [
        PlanningActivities(store, workspaces, OneWay(option=option), ScriptedReviewer()),
        ExecutionActivities(executor),
        AgentActivities(store, {AgentKind.CODE: desk}, LiteLlmProvider()),
    ]


@asynccontextmanager
async def acting_stage(
    address: str, home: Path, repository: Path, *steps: PlanStep, interceptors: Sequence[Interceptor] = ()
) -> AsyncIterator[ActingStage]:
    """A worker with this plan as its jobs' only option."""
    store = open_store(str(home / "state/store"))
    settings, parts = acting_parts(home, store, job_id("acting"), *steps)
    converter = data_converter(store)
    client = await Client.connect(address, data_converter=converter, interceptors=interceptors)
    async with build_worker(client, settings, *parts):
        yield ActingStage(
            TemporalCli(address, settings.task_queue),
            JobClient(client, store, settings.task_queue),
            store,
            settings,
            repository,
        )
