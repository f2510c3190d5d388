"""Work that fails: what passes is tried again, what lasts parks the job until somebody says `resume`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from activities.brief import Brief
from activities.planning import PlanningActivities
from activities.repository import RepositoryUnusable
from activities.store import Store, StoreUnusable, open_store
from activities.workspace import Workspace
from states.ledger import EntryKind
from states.record import JobRecord
from states.words import Awaiting, HoldKind, Mode, Phase, State
from tests.e2e.mortals import mortals
from tests.e2e.stage import Stage, job_id, stage
from tests.scripted import NoWorkspaces, ScriptedPlanner, ScriptedReviewer, scripted_activities

TASK = {"task": "Add a retry to the uploader", "repository": "/srv/shop", "policy": {"gates": ["contracts"]}}
GONE = "the repository /srv/shop is gone; put it back"


@dataclass
class LostWorkspaces(NoWorkspaces):
    """A repository that is gone until it is back."""

    gone: bool = True

    async def open(self, job: str, repository: str, ref: str = "HEAD", refresh: bool = False) -> Workspace:
        """Raises while the repository is gone."""
        if self.gone:
            raise RepositoryUnusable(GONE)
        return await super().open(job, repository, ref, refresh)


class UnwritableManifests(Store):
    """A store whose manifests cannot be written."""

    async def write_manifest(self, job: str, manifest: dict[str, Any]) -> None:
        """Raises."""
        assert manifest
        raise StoreUnusable(where=job, why="the disk is full")


async def parked(stage: Stage, job: str, why: str) -> None:
    """Wait until the job has stopped for an operator, for this reason."""
    view = await stage.until(job, lambda view: view.hold)
    assert (view.mode, view.awaiting) == (Mode.PAUSED, Awaiting.OPERATOR)
    assert view.hold
    assert view.hold.kind is HoldKind.FAILURE
    assert why in view.hold.reason
    assert [each.temporal for each in view.next_commands] == [
        f"temporal workflow signal --workflow-id {job} --name resume"
    ]
    details = (await stage.cli.run("workflow", "metadata", "--workflow-id", job)).out
    assert "--name resume" in details
    failures = [e for e in (await stage.record(job)).ledger if e.kind is EntryKind.FAILURE]
    assert why in failures[-1].why


@pytest.mark.parametrize("way", ["resume", "resume too early", "restart_from"])
async def test_a_lasting_failure_parks_the_job_until_somebody_resumes_it(address: str, way: str) -> None:
    store, lost = open_store("memory://"), LostWorkspaces()
    parts = PlanningActivities(store, lost, ScriptedPlanner(), ScriptedReviewer())
    async with stage(address, parts, store) as ready:
        job = job_id("lost")
        await ready.cli.start(job, TASK)
        await parked(ready, job, GONE)
        if way == "resume too early":
            known = (await ready.record(job)).ledger_count
            await ready.cli.signal(job, "resume")
            await ready.until(job, lambda view: view.ledger_count > known + 2)
            await parked(ready, job, GONE)
        lost.gone = False
        if way == "restart_from":
            await ready.cli.signal(job, "restart_from", "DISCOVERY")
        else:
            await ready.cli.signal(job, "resume", {"by": "ann"})
        await ready.gate(job, "contracts-1")
        assert (await ready.view(job)).mode is Mode.PLAN


async def test_a_failure_that_passes_is_not_even_noticed(address: str) -> None:
    tries: list[Phase] = []

    def fail_twice(phase: Phase, _: Brief) -> None:
        tries.append(phase)
        if tries.count(Phase.CONTRACTS) in (1, 2):
            raise OSError("too many open files")

    store = open_store("memory://")
    async with stage(address, scripted_activities(store, ScriptedPlanner(before=fail_twice)), store) as ready:
        job = job_id("flaky")
        await ready.cli.start(job, TASK)
        await ready.gate(job, "contracts-1")
        assert tries.count(Phase.CONTRACTS) == 3
        assert not [e for e in (await ready.record(job)).ledger if e.kind is EntryKind.FAILURE]


async def test_a_damaged_blob_is_named_and_can_be_put_back(address: str, tmp_path: Path) -> None:
    store, job = open_store(str(tmp_path)), job_id("damaged")
    async with stage(address, scripted_activities(store), store, queue=job) as ready:
        await ready.cli.start(job, {**TASK, "policy": {"gates": ["clarification"]}})
        await ready.gate(job, "clarification-1")
        found = (await ready.record(job)).current(Phase.DISCOVERY)
    assert found
    blob = tmp_path / "blobs" / found.digest[:2] / found.digest[2:]
    whole = blob.read_bytes()
    blob.write_bytes(whole[:-20])
    # another worker, as the first one remembers what it has read
    async with stage(address, scripted_activities(store), store, queue=job) as ready:
        await ready.cli.signal(job, "approve")
        await parked(ready, job, f"Blob {found.digest} in the store at {tmp_path} is damaged")
        blob.write_bytes(whole)
        await ready.cli.signal(job, "resume")
        await ready.at(job, State.VERIFIED)


@pytest.mark.slow
async def test_a_manifest_that_cannot_be_saved_does_not_stop_the_job(address: str) -> None:
    store = UnwritableManifests("memory", open_store("memory://")._backend)
    async with stage(address, scripted_activities(store), store) as ready:
        job = job_id("full")
        await ready.cli.start(job, TASK)
        await ready.gate(job, "contracts-1")

        def told(record: JobRecord) -> bool:
            return any(e.what == "the manifest was not saved" for e in record.ledger)

        await ready.recorded(job, told)
        await ready.cli.signal(job, "approve")
        await ready.at(job, State.VERIFIED)


@pytest.mark.slow
async def test_a_worker_that_dies_in_a_long_activity_is_missed_by_its_heartbeat(tmp_path: Path) -> None:
    async with mortals(tmp_path, "large") as both:
        both.hold("discovery-work")
        await both.cli.start("job", TASK)
        await both.reached("discovery-work")
        both.kill_worker()
        both.release("discovery-work")
        await both.start_worker()
        view = await both.next_stop("job")
        assert view.awaiting is Awaiting.ANSWERS
        shown = await both.cli.run("workflow", "show", "--workflow-id", "job", "--output", "json")
        assert "activity Heartbeat timeout" in shown.out
        assert [entry.n for entry in (await both.record("job")).ledger] == list(
            range(1, view.ledger_count + 1)
        )
