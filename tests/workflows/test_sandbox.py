"""The pure modules are passed through the sandbox: one machine for all jobs, none imported anew for each."""

import asyncio
import importlib
from collections import Counter
from types import ModuleType
from typing import Any

import pytest
from temporalio.client import WorkflowHistory
from temporalio.worker import Replayer, WorkflowInstance, WorkflowInstanceDetails
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions
from temporalio.worker.workflow_sandbox._importer import Importer
from temporalio.worker.workflow_sandbox._restrictions import RestrictionContext

import workflows.job
import workflows.planning
from activities.payloads import data_converter
from activities.store import open_store
from states import machine
from tests.replay.record import HISTORIES
from worker import PASSED_THROUGH, workflow_runner
from workflows.planning import PlanningWorkflow
from workflows.sandbox import Sandbox

STORIES = (workflows.planning, workflows.job)


def inside(restrictions: SandboxRestrictions, name: str) -> ModuleType:
    """A module as a sandboxed workflow sees it."""
    importer = Importer(restrictions, RestrictionContext())
    with importer.applied():
        return importlib.import_module(name)


def shared(outside: ModuleType) -> list[str]:
    """Names that a story takes from modules which must be the same in all jobs."""
    roots = tuple(f"{root}." for root in PASSED_THROUGH) + PASSED_THROUGH
    names = [
        name for name, it in vars(outside).items() if str(getattr(it, "__module__", "")).startswith(roots)
    ]
    return [name for name in names if getattr(outside, name).__module__ != outside.__name__]


@pytest.mark.parametrize("outside", STORIES, ids=lambda m: m.__name__)
def test_pure_modules_are_the_same_in_every_job(outside: ModuleType) -> None:
    seen = inside(workflow_runner().restrictions, outside.__name__)
    assert seen is not outside, "the stories themselves run in the sandbox"
    names = shared(outside)
    assert names
    again = [name for name in names if getattr(seen, name) is not getattr(outside, name)]
    assert not again, f"imported anew for each job: {again}; import them in the imports_passed_through block"


def test_all_jobs_share_one_machine() -> None:
    seen = inside(workflow_runner().restrictions, "states.machine")
    assert seen.PHASE_MACHINE is machine.PHASE_MACHINE


def test_without_pass_through_there_is_a_machine_for_each_job() -> None:
    seen = inside(SandboxRestrictions.default, "states.machine")
    assert seen.PHASE_MACHINE is not machine.PHASE_MACHINE


async def test_payloads_are_converted_without_asking_the_workflow() -> None:
    asked: Counter[str] = Counter()

    class Noticing(SandboxedWorkflowRunner):
        """Counts how often code of a workflow is entered."""

        def create_instance(self, det: WorkflowInstanceDetails) -> WorkflowInstance:
            instance = super().create_instance(det)
            run = instance._run_code  # type: ignore[attr-defined]

            def counted(code: str, **given: Any) -> None:
                asked.update(name for name in ("activate", "_context(") if name in code)
                run(code, **given)

            instance._run_code = counted  # type: ignore[attr-defined]
            return instance

    class NoticingOurs(Sandbox, Noticing):
        """Ours, over the one that counts."""

    await replayed(Noticing(restrictions=workflow_runner().restrictions))
    assert asked["_context("] > asked["activate"] > 0
    asked.clear()
    await replayed(NoticingOurs(restrictions=workflow_runner().restrictions))
    assert (asked["_context("], asked["activate"] > 0) == (0, True)


async def replayed(runner: SandboxedWorkflowRunner) -> None:
    """A job of many payloads, once more."""
    history = WorkflowHistory.from_json("replay-agents", (HISTORIES / "agents.json").read_text())
    replayer = Replayer(
        workflows=[PlanningWorkflow],
        data_converter=data_converter(open_store("memory://")),
        workflow_runner=runner,
    )
    await asyncio.wait_for(replayer.replay_workflow(history), timeout=30)
