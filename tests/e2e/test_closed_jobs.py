"""A job closes when it has been open long enough, and goes on from the store when somebody wants it to."""

import json
from datetime import timedelta
from typing import Any

import pytest
from temporalio.api.common.v1 import Payloads, TimeSkippingConfig, WorkflowType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import StartWorkflowExecutionRequest

from activities.store import open_store
from phasegate.problems import RefusedByJob, UnknownJob
from phasegate.server import EmbeddedServer
from phasegate.server_options import ServerOptions
from states.record import JobRecord
from states.words import ArtifactStatus, Mode, Phase, State
from tests.e2e.stage import Stage, job_id, stage
from tests.scripted import ScriptedPlanner, scripted_activities
from workflows.attributes import REGISTERED

TASK = {"task": "Add a retry to the uploader", "repository": "/srv/shop"}
AT_ONCE = {**TASK, "policy": {"gates": [], "keep_open_seconds": 0}}
TWO_SECONDS = {**TASK, "policy": {"gates": [], "keep_open_seconds": 2}}
KEPT = (Phase.DISCOVERY, Phase.CLARIFICATION)
REDONE = (Phase.CONTRACTS, Phase.IMPLEMENTATION_PLAN, Phase.VALIDATION)


async def closed(stage: Stage, given: dict[str, Any]) -> tuple[str, JobRecord]:
    """A job that has been verified and has closed."""
    job = job_id("closed")
    await stage.cli.start(job, given)
    ended = await stage.cli.ended(job)
    assert ended["status"] == "COMPLETED"
    assert ended["result"]["state"] == "verified"
    assert set(ended["result"]["artifacts"]) == {phase.value for phase in (*KEPT, *REDONE)}
    return job, await stage.record(job)


async def test_a_job_that_is_not_kept_open_closes_at_once(plain: Stage) -> None:
    _, record = await closed(plain, AT_ONCE)
    assert (record.state, record.mode, record.open_until) == (State.VERIFIED, Mode.NORMAL, None)
    assert record.ledger[-1].what == "Plan -> Normal"
    assert await plain.store.read_manifest(record.job) == record.model_dump(mode="json")


async def test_a_job_is_kept_open_for_as_long_as_the_policy_says(plain: Stage) -> None:
    _, record = await closed(plain, TWO_SECONDS)
    verified = next(
        e.at for e in record.ledger if e.what.startswith("validation_awaiting_ai_review -> verif")
    )
    assert record.ledger[-1].at - verified >= timedelta(seconds=2)


async def start_where_time_is_skipped(ready: Stage, job: str, given: dict[str, Any]) -> None:
    """The server moves this job's clock to its next timer whenever nothing else is to do."""
    client = ready.temporal
    payloads = await client.data_converter.encode([given])
    await client.workflow_service.start_workflow_execution(
        StartWorkflowExecutionRequest(
            namespace=client.namespace,
            workflow_id=job,
            request_id=job,
            workflow_type=WorkflowType(name="PlanningWorkflow"),
            task_queue=TaskQueue(name=ready.settings.task_queue),
            input=Payloads(payloads=payloads),
            time_skipping_config=TimeSkippingConfig(enabled=True),
        )
    )


async def test_the_seven_days_of_the_default_are_seven_days() -> None:
    skips = {"frontend.WorkflowTimeSkippingEnabled": True}
    async with (
        EmbeddedServer(ServerOptions(search_attributes=REGISTERED, dynamic_config=skips)) as server,
        stage(server.address) as ready,
    ):
        await start_where_time_is_skipped(ready, "job", {**TASK, "policy": {"gates": []}})
        await ready.cli.ended("job")
        record = await ready.record("job")
    assert record.started
    assert timedelta(days=7) <= record.ledger[-1].at - record.started < timedelta(days=7, minutes=1)


@pytest.mark.parametrize("way", ["temporal workflow start", "JobClient.restart"])
async def test_a_verified_job_goes_on_from_the_store_with_kept_phases_untouched(
    address: str, way: str
) -> None:
    store, planner = open_store("memory://"), ScriptedPlanner()
    async with stage(address, scripted_activities(store, planner=planner), store) as ready:
        job, before = await closed(ready, AT_ONCE)
        planner.calls.clear()
        given = {"changes": "Use the new client", "trigger": "new_discovery", "by": "ann"}
        if way == "JobClient.restart":
            ack = await ready.jobs.restart(job, {"phase": "contracts", **given})
            assert ack.state == "contracts"
        else:
            await ready.cli.start(job, {"resume_from": "CONTRACTS", **given})
        ended = await ready.cli.ended(job)
        assert ended["result"]["state"] == "verified"
        after = await ready.record(job)
        assert planner.calls == list(REDONE)
        assert [after.current(p) for p in KEPT] == [before.current(p) for p in KEPT]
        assert [len(after.versions(p)) for p in REDONE] == [2, 2, 2]
        assert [after.versions(p)[0].status for p in REDONE] == [ArtifactStatus.INVALIDATED] * 3
        assert after.restarts[0].changes == "Use the new client"
        assert after.restarts[0].by == "ann"
        assert after.ledger[: before.ledger_count] == before.ledger
        assert [entry.n for entry in after.ledger] == list(range(1, after.ledger_count + 1))


async def test_a_cancelled_job_goes_on_from_what_it_had(plain: Stage) -> None:
    job = job_id("cancelled")
    await plain.cli.start(job, {**TASK, "policy": {"gates": ["contracts"]}})
    gate = await plain.gate(job, "contracts-1")
    await plain.cli.signal(job, "cancel", {"by": "ann"})
    await plain.cli.ended(job)
    before = await plain.jobs.record(job)
    with pytest.raises(RefusedByJob, match="VALIDATION builds on CONTRACTS, whose gate was not passed"):
        await plain.jobs.restart(job, {"phase": "VALIDATION"})
    await plain.jobs.restart(job, {"phase": "CONTRACTS", "by": "ann"})
    again = await plain.gate(job, "contracts-2")
    assert again.digest == gate.digest
    after = await plain.record(job)
    assert (after.state, after.mode) == (State.CONTRACTS_HUMAN_REVIEW, Mode.PLAN)
    assert [after.current(p) for p in KEPT] == [before.current(p) for p in KEPT]


async def test_a_terminated_job_goes_on_from_what_it_had(plain: Stage) -> None:
    """The last resort for a job that Temporal cannot replay: end its run, keep its work."""
    job = job_id("terminated")
    await plain.cli.start(job, {**TASK, "policy": {"gates": ["contracts"]}})
    gate = await plain.gate(job, "contracts-1")
    await plain.temporal.get_workflow_handle(job).terminate("does not replay")
    before = await plain.jobs.record(job)
    await plain.jobs.restart(job, {"phase": "CONTRACTS", "by": "ann"})
    again = await plain.gate(job, "contracts-2")
    assert again.digest == gate.digest
    after = await plain.record(job)
    assert [after.current(p) for p in KEPT] == [before.current(p) for p in KEPT]
    assert after.ledger[: before.ledger_count] == before.ledger


async def test_a_restart_that_cannot_be_ends_as_failed_and_the_store_stays_as_it_was(plain: Stage) -> None:
    job, before = await closed(plain, AT_ONCE)
    wrong = {"resume_from": "CLARIFICATION", "preserve_artifacts": ["contracts"]}
    await plain.cli.start(job, wrong)
    ended = await plain.cli.ended(job)
    assert ended["status"] == "FAILED"
    failure = ended["closeEvent"]["workflowExecutionFailedEventAttributes"]["failure"]
    assert "preserve_artifacts names CONTRACTS" in failure["message"]
    assert await plain.store.read_manifest(job) == before.model_dump(mode="json")
    await plain.jobs.restart(job, {"phase": "VALIDATION"})
    assert (await plain.cli.ended(job))["result"]["state"] == "verified"


async def test_a_run_that_could_not_be_read_hides_nothing_of_the_job(plain: Stage) -> None:
    job, before = await closed(plain, AT_ONCE)
    manifest = before.model_dump(mode="json")
    await plain.store.write_manifest(job, {**manifest, "job": "another"})
    await plain.cli.start(job, {"resume_from": "VALIDATION"})
    ended = await plain.cli.ended(job)
    assert ended["status"] == "FAILED"
    failure = ended["closeEvent"]["workflowExecutionFailedEventAttributes"]["failure"]
    assert "it is that of job 'another'" in failure["message"]
    await plain.store.write_manifest(job, manifest)
    assert await plain.jobs.record(job) == before
    await plain.jobs.restart(job, {"phase": "VALIDATION"})
    assert (await plain.cli.ended(job))["result"]["state"] == "verified"


async def test_a_message_that_comes_with_the_restart_is_read_after_it(plain: Stage) -> None:
    job, _ = await closed(plain, AT_ONCE)
    await plain.cli.run(
        *("workflow", "signal-with-start", "--type", "PlanningWorkflow", "--workflow-id", job),
        *("--task-queue", plain.cli.task_queue, "--input", json.dumps({"resume_from": "VALIDATION"})),
        *("--signal-name", "set_budget", "--signal-input", '{"usd": 3}'),
    )
    assert (await plain.cli.ended(job))["result"]["state"] == "verified"
    record = await plain.record(job)
    assert record.budget_usd == 3
    assert record.restarts


async def test_a_job_that_nobody_knows_is_refused_in_one_sentence(plain: Stage) -> None:
    with pytest.raises(UnknownJob, match=r"^no job never-was; `phasegate list` shows all$"):
        await plain.jobs.restart("never-was", {"phase": "CONTRACTS"})
