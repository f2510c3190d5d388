"""A plan that a person brought along and mended: the mended one counts, wherever planning begins anew."""

from pathlib import Path
from typing import Any

import pytest

from activities.option_keeping import store_option
from activities.store import Store, open_store
from states.artifacts.base import canonical_json
from states.artifacts.plan import PlanOption
from states.plan_reading import read_option
from states.record import JobSpec
from states.words import WORK_PHASES, Message, Phase, State
from tests.activities.deterministic.small_repos import SHOP, TASK, make
from tests.e2e.stage import Stage, job_id, stage
from tests.e2e.test_options_of_jobs import real

READY = {"gates": ("validation",), "question_handling": "best_guess"}
FROM = [phase for phase in WORK_PHASES if phase is not Phase.CONTRACTS]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("brought") / "repo", SHOP)


def way(command: str) -> PlanOption:
    """A plan of one command."""
    step = {"title": "Look", "type": "shell_command", "action": "look", "command": command}
    return read_option({"id": "mine", "title": "Mine", "steps": [step]}, source="person:ann")


async def begun(ready: Stage, shop: Path, **policy: Any) -> str:
    """A job that is started with a plan, at its gate."""
    kept = await store_option(ready.store, way("echo first"))
    spec = {"task": TASK, "repository": str(shop), "brought": (kept,), "policy": {**READY, **policy}}
    job = await ready.jobs.start(JobSpec.model_validate(spec), job_id("brought"))
    await ready.gate(job, "validation-1")
    return job


async def mend(ready: Stage, job: str, gate: str, command: str) -> None:
    """Put another command into the place of the plan's."""
    base = (await ready.gate(job, gate)).digest
    body = (await ready.store.get_artifact(base)).body
    for option in body["options"]:
        if option["id"] == "mine":
            option["plan"] = way(command).plan.model_dump(mode="json")
    digest = await ready.store.put(canonical_json(body))
    await ready.jobs.send(job, Message.EDIT, {"artifact": digest, "base": base, "by": "bob"})


async def offered(ready: Stage, store: Store, job: str, gate: str) -> dict[str, tuple[str, int, str]]:
    """Command, version and source of each option at a gate."""
    body = (await store.get_artifact((await ready.gate(job, gate)).digest)).body
    options = [PlanOption.model_validate(each) for each in body["options"]]
    return {each.id: (each.plan.steps[0].command, each.plan.version, each.source) for each in options}


@pytest.mark.parametrize("phase", FROM)
async def test_a_restart_begins_with_the_mended_plan(
    address: str, shop: Path, tmp_path: Path, phase: Phase
) -> None:
    store = open_store("memory://")
    async with stage(address, real(store, tmp_path), store) as ready:
        job = await begun(ready, shop, option_count=0)
        await mend(ready, job, "validation-1", "echo second")
        mended = await offered(ready, store, job, "validation-2")
        assert mended == {"mine": ("echo second", 2, "person:bob")}
        await ready.jobs.send(job, Message.RESTART_FROM, {"phase": phase.value, "by": "ann"})
        assert await offered(ready, store, job, "validation-3") == mended
        await mend(ready, job, "validation-3", "echo third")
        assert (await offered(ready, store, job, "validation-4"))["mine"][:2] == ("echo third", 3)
        await ready.jobs.send(job, Message.RESTART_FROM, {"phase": phase.value, "by": "ann"})
        assert (await offered(ready, store, job, "validation-5"))["mine"][:2] == ("echo third", 3)


async def test_so_does_a_job_that_has_closed(address: str, shop: Path, tmp_path: Path) -> None:
    store = open_store("memory://")
    async with stage(address, real(store, tmp_path), store) as ready:
        job = await begun(ready, shop, option_count=0, keep_open_seconds=0)
        await mend(ready, job, "validation-1", "echo second")
        await ready.gate(job, "validation-2")
        await ready.jobs.send(job, Message.APPROVE, {"by": "ann"})
        await ready.temporal.get_workflow_handle(job).result()
        await ready.jobs.restart(job, {"phase": "DISCOVERY", "by": "ann"})
        assert (await offered(ready, store, job, "validation-3"))["mine"][0] == "echo second"


async def test_what_was_asked_before_the_mending_is_not_done_to_the_mended_plan(
    address: str, shop: Path, tmp_path: Path
) -> None:
    store = open_store("memory://")
    async with stage(address, real(store, tmp_path), store) as ready:
        job = await begun(ready, shop, option_count=0)
        await ready.jobs.send(job, Message.REVISE, {"feedback": "run `ruff check .` too", "by": "ann"})
        await mend(ready, job, "validation-2", "echo second")
        await ready.gate(job, "validation-3")
        await ready.jobs.send(job, Message.RESTART_FROM, {"phase": "IMPLEMENTATION_PLAN", "by": "ann"})
        again = await ready.gate(job, "validation-4")
        [option] = (await store.get_artifact(again.digest)).body["options"]
        assert [step["command"] for step in option["plan"]["steps"]] == ["echo second"]
        assert option["plan"]["version"] == 3


async def test_beside_it_the_planners_own_are_drawn_up_anew(address: str, shop: Path, tmp_path: Path) -> None:
    store = open_store("memory://")
    async with stage(address, real(store, tmp_path), store) as ready:
        job = await begun(ready, shop, option_count=2)
        first = await offered(ready, store, job, "validation-1")
        await mend(ready, job, "validation-1", "echo second")
        await ready.gate(job, "validation-2")
        await ready.jobs.send(job, Message.RESTART_FROM, {"phase": "DISCOVERY", "by": "ann"})
        again = await offered(ready, store, job, "validation-3")
        assert again == {**first, "mine": ("echo second", 2, "person:bob")}


async def test_a_plan_that_an_edit_adds_is_brought_along_too(
    address: str, shop: Path, tmp_path: Path
) -> None:
    store = open_store("memory://")
    async with stage(address, real(store, tmp_path), store) as ready:
        job = await begun(ready, shop, option_count=0)
        base = (await ready.gate(job, "validation-1")).digest
        body = (await store.get_artifact(base)).body
        body["options"].append({**way("echo other").model_dump(mode="json"), "id": "other"})
        digest = await store.put(canonical_json(body))
        await ready.jobs.send(job, Message.EDIT, {"artifact": digest, "base": base, "by": "bob"})
        await ready.gate(job, "validation-2")
        await ready.jobs.send(job, Message.RESTART_FROM, {"phase": "CLARIFICATION", "by": "ann"})
        assert set(await offered(ready, store, job, "validation-3")) == {"mine", "other"}
        assert (await ready.view(job)).state is State.VALIDATION_HUMAN_REVIEW
