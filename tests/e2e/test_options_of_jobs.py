"""Options without a model: chosen while approving, later, or by a policy; edited; kept by restarts."""

from pathlib import Path
from typing import Any

import pytest

from activities.deterministic.planner import DeterministicPlanner
from activities.deterministic.reviewer import MechanicalReviewer
from activities.index.shelf import IndexShelf
from activities.planning import PlanningActivities
from activities.store import Store, open_store
from activities.workspace import Workspaces
from phasegate.problems import RefusedByJob
from phasegate.stored_jobs import StoredJobs
from states.artifacts.base import canonical_json
from states.artifacts.plan import Plan
from states.policy import AUTO_SELECT
from states.record import JobSpec
from states.words import Message, Phase, State
from tests.activities.deterministic.small_repos import SHOP, TASK, make
from tests.e2e.stage import Stage, job_id, stage

AT_VALIDATION = {"gates": ("validation",), "question_handling": "best_guess"}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("options") / "repo", SHOP)


def real(store: Store, place: Path) -> PlanningActivities:
    """The product's activities, on a real checkout."""
    indexes = IndexShelf(None)
    return PlanningActivities(
        store, Workspaces(place), DeterministicPlanner(indexes), MechanicalReviewer(indexes)
    )


async def start(ready: Stage, shop: Path, **policy: Any) -> str:
    """A job that waits for people at the VALIDATION gate alone."""
    spec = {"task": TASK, "repository": str(shop), "policy": {**AT_VALIDATION, **policy}}
    return await ready.jobs.start(JobSpec.model_validate(spec), job_id("options"))


async def test_chosen_while_approving(address: str, shop: Path, tmp_path: Path) -> None:
    store = open_store("memory://")
    async with stage(address, real(store, tmp_path), store) as ready:
        job = await start(ready, shop)
        gate = await ready.gate(job, "validation-1")
        view = await ready.view(job)
        assert len(view.options) == 3
        with pytest.raises(RefusedByJob, match="there is no option 'z'; options are"):
            await ready.jobs.send(job, Message.APPROVE, {"option": "z"})
        wanted = view.options[1]
        ack = await ready.jobs.send(job, Message.APPROVE, {"option": wanted.id, "by": "ann"})
        assert f"option {wanted.id} selected" in ack.note
        view = await ready.at(job, State.VERIFIED)
        assert view.selected
        assert (view.selected.option, view.selected.by) == (wanted.id, "ann")
        assert (view.selected.digest, view.selected.plan) == (gate.digest, wanted.plan)
        plan = Plan.model_validate_json(await store.get(view.selected.plan))
        assert len(plan.steps) == wanted.steps
        with pytest.raises(RefusedByJob, match="there is no option"):
            await ready.jobs.send(job, Message.SELECT, {"option": "z"})
        await ready.jobs.send(job, Message.SELECT, {"option": "3", "by": "bob"})
        assert (await ready.record(job)).selected.by == "bob"  # type: ignore[union-attr]
        await ready.jobs.send(job, Message.RESTART_FROM, {"phase": "VALIDATION"})
        await ready.gate(job, "validation-2")
        assert (await ready.view(job)).selected is None


async def test_approved_without_a_choice_and_chosen_by_a_plain_signal(
    address: str, shop: Path, tmp_path: Path
) -> None:
    store = open_store("memory://")
    async with stage(address, real(store, tmp_path), store) as ready:
        job = await start(ready, shop)
        await ready.gate(job, "validation-1")
        await ready.jobs.send(job, Message.APPROVE, {"by": "ann"})
        view = await ready.at(job, State.VERIFIED)
        assert view.selected is None
        offered = [each.phasegate for each in view.next_commands if "select" in each.phasegate]
        assert offered == [f"phasegate select {job} {each.id}" for each in view.options]
        await ready.temporal.get_workflow_handle(job).signal("select", "smallest")
        view = await ready.until(job, lambda view: view.selected)
        assert view.selected
        assert view.selected.option == "smallest"


async def test_the_policy_takes_the_best(address: str, shop: Path, tmp_path: Path) -> None:
    store = open_store("memory://")
    async with stage(address, real(store, tmp_path), store) as ready:
        job = await start(ready, shop, gates=(), auto_select_best=True, ranking={"speed": 1, "cost": 2})
        view = await ready.at(job, State.VERIFIED)
        assert view.selected
        assert (view.selected.option, view.selected.by) == (view.options[0].id, AUTO_SELECT)
        stored = StoredJobs(store)
        options = await stored.options(await ready.record(job))
        assert [option.id for option in options] == [option.id for option in view.options]


async def test_the_policy_leaves_a_doubtful_one_to_people(address: str, shop: Path, tmp_path: Path) -> None:
    store = open_store("memory://")
    async with stage(address, real(store, tmp_path), store) as ready:
        sure = {"auto_select_best": True, "option_confidence_threshold": 1.0}
        job = await start(ready, shop, gates=(), **sure)
        view = await ready.at(job, State.VERIFIED)
        assert view.selected is None
        assert "below 100%" in view.unselected
        assert any(each.phasegate.startswith("phasegate select") for each in view.next_commands)


async def test_a_plan_edited_at_the_gate_is_checked_and_counted_up(
    address: str, shop: Path, tmp_path: Path
) -> None:
    store = open_store("memory://")
    async with stage(address, real(store, tmp_path), store) as ready:
        job = await start(ready, shop)
        gate = await ready.gate(job, "validation-1")
        body = (await store.get_artifact(gate.digest)).body
        first = body["options"][0]
        first["plan"]["steps"][0]["dependencies"] = ["nowhere"]
        await _edit(ready, store, job, gate.digest, body)
        (refused,) = await ready.refusals(job, 1)
        assert refused.why.endswith(f"option {first['id']}: step 1: dependency nowhere not found")
        first["plan"]["steps"][0]["dependencies"] = []
        first["plan"]["steps"][-1]["title"] = "Look at it"
        await _edit(ready, store, job, gate.digest, body)
        await ready.gate(job, "validation-2")
        view = await ready.view(job)
        versions = {option.id: option.version for option in view.options}
        assert versions.pop(first["id"]) == 2
        assert set(versions.values()) == {1}
        chosen = {"option": first["id"], "by": "ann"}
        await ready.jobs.send(job, Message.APPROVE, chosen)
        view = await ready.at(job, State.VERIFIED)
        assert view.selected
        plan = Plan.model_validate_json(await store.get(view.selected.plan))
        assert plan.steps[-1].title == "Look at it"


async def _edit(ready: Stage, store: Store, job: str, base: str, body: dict[str, Any]) -> None:
    digest = await store.put(canonical_json(body))
    await ready.jobs.send(job, Message.EDIT, {"artifact": digest, "base": base, "by": "ann"})


async def test_feedback_refines_and_a_restart_keeps_the_plan(
    address: str, shop: Path, tmp_path: Path
) -> None:
    store = open_store("memory://")
    async with stage(address, real(store, tmp_path), store) as ready:
        job = await start(ready, shop)
        await ready.gate(job, "validation-1")
        plan = (await ready.record(job)).current(Phase.IMPLEMENTATION_PLAN)
        await ready.jobs.send(job, Message.REVISE, {"feedback": "run `ruff check .` too", "by": "ann"})
        await ready.gate(job, "validation-2")
        view = await ready.view(job)
        assert {option.version for option in view.options} == {2}
        await ready.jobs.send(job, Message.RESTART_FROM, {"phase": "VALIDATION"})
        await ready.gate(job, "validation-3")
        again = await ready.view(job)
        assert [option.plan for option in again.options] == [option.plan for option in view.options]
        assert (await ready.record(job)).current(Phase.IMPLEMENTATION_PLAN) == plan
