"""Plans carried out on a real repository by a worker of the product, without a job around them."""

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from temporalio.client import Client, WorkflowHandle

from activities.execution.plans import Plans
from activities.execution_orders import ActOrder, CommandRules
from activities.models.provider import LiteLlmProvider
from activities.payloads import data_converter
from activities.store import Store, open_store
from activities.workspace import Workspaces
from phasegate.settings import Settings
from states.act import ActOutcome
from states.artifacts.plan import Plan, PlanStep, StepType
from states.execution import Execution
from states.workspace import WorkspaceRef
from tests.confinement import CONFINED
from tests.e2e.stage import job_id
from worker import build_worker, wired
from workflows.execution import ExecutionWorkflow

Handle = WorkflowHandle[Any, ActOutcome]


def a_step(id: str, *dependencies: str, command: str = "", **fields: Any) -> PlanStep:
    """A step that runs a command, unless `fields` say otherwise."""
    kind = fields.pop("type", StepType.SHELL_COMMAND)
    return PlanStep(
        id=id,
        title=f"Step {id}",
        type=kind,
        action="do it",
        command=command,
        dependencies=dependencies,
        **fields,
    )


def repository(home: Path, files: dict[str, str]) -> Path:
    """A git repository with one commit."""
    for name, text in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for words in (
        ("init", "-q", "-b", "main"),
        ("add", "-A"),
        ("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "first"),
    ):
        subprocess.run(["git", *words], cwd=home, check=True)
    return home


@dataclass
class Acts:
    """Executions of one worker."""

    client: Client
    store: Store
    settings: Settings
    workspace: WorkspaceRef
    job: str

    async def order(self, *steps: PlanStep, **fields: Any) -> ActOrder:
        """The order to carry these steps out."""
        plan = await Plans(self.store).put(Plan(title="A plan", steps=steps))
        rules = CommandRules(allow=("sh *", "touch *"))
        given = {"rules": rules, "branch": f"phasegate/{self.job}", **fields}
        return ActOrder(
            job=self.job, execution=f"{self.job}.act-1", workspace=self.workspace, plan=plan, **given
        )

    async def start(self, order: ActOrder) -> Handle:
        """Begin, or go on."""
        queue = self.settings.task_queue
        return await self.client.start_workflow(
            ExecutionWorkflow.run, order, id=order.execution, task_queue=queue
        )

    async def run(self, order: ActOrder) -> ActOutcome:
        """To the next rest."""
        return await (await self.start(order)).result()

    async def execution(self, outcome: ActOutcome) -> Execution:
        """What was kept at a rest."""
        return Execution.model_validate_json(await self.store.get(outcome.kept))

    def file(self, outcome: ActOutcome, path: str) -> Path:
        """A file of the worktree."""
        return Path(outcome.path) / path


@asynccontextmanager
async def acts(address: str, home: Path, source: Path, **settings: Any) -> AsyncIterator[Acts]:
    """A worker of the product in this process, and a workspace of a job at the repository's HEAD."""
    # The environment of the tests may lie where the sandbox shows nothing.
    visible = (Path(sys.prefix), Path(sys.base_prefix))
    given = {"unconfined_commands": not CONFINED, **settings}
    made = Settings(
        state_dir=home / "state", task_queue=job_id("acts"), drain_seconds=0, command_paths=visible, **given
    )
    store, job = open_store(made.store), job_id("act")
    client = await Client.connect(address, data_converter=data_converter(store))
    opened = await Workspaces(made.workspaces).open(job, str(source))
    async with build_worker(client, made, *wired(made, LiteLlmProvider())):
        yield Acts(client, store, made, opened.ref, job)
