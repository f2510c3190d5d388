"""The pure modules are passed through the sandbox: one machine for all jobs, none imported anew for each."""

import importlib
from types import ModuleType

import pytest
from temporalio.worker.workflow_sandbox import SandboxRestrictions
from temporalio.worker.workflow_sandbox._importer import Importer
from temporalio.worker.workflow_sandbox._restrictions import RestrictionContext

import workflows.job
import workflows.planning
from states import machine
from worker import PASSED_THROUGH, workflow_runner

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
