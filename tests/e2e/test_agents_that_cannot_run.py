"""An agent whose workflow cannot run holds nobody up: its job is cancelled, restarted, and resumed."""

import pytest
from temporalio.client import Client
from temporalio.worker import Worker

from activities.payloads import data_converter
from activities.store import open_store
from phasegate.client import JobClient
from states.agents import AgentEnd
from states.record import JobRecord, JobSpec
from states.words import Message, State
from tests.e2e.stage import job_id, until
from tests.scripted import scripted_activities
from worker import registered, workflow_runner
from workflows.planning import PlanningWorkflow


async def record_of(jobs: JobClient, job: str) -> JobRecord:
    """The record, by way of the client."""
    return await jobs.record(job)


@pytest.mark.slow
async def test_a_job_is_cancelled_although_its_agent_never_answers(address: str) -> None:
    store, queue = open_store("memory://"), job_id("no-agents")
    client = await Client.connect(address, data_converter=data_converter(store))
    jobs = JobClient(client, store, queue)
    spec = JobSpec.model_validate({"task": "do it", "repository": "/r", "model": "m"})
    # A release that does not know agents: their workflow tasks fail for ever.
    async with Worker(
        client,
        task_queue=queue,
        workflows=[PlanningWorkflow],
        activities=registered(scripted_activities(store)),
        workflow_runner=workflow_runner(),
    ):
        job = await jobs.start(spec, job_id("stuck"))
        await until(lambda: record_of(jobs, job), lambda record: record.agents)
        await jobs.send(job, Message.CANCEL, {"by": "ann"})
        record = await until(
            lambda: record_of(jobs, job), lambda record: record.state is State.CANCELLED, seconds=60
        )
    assert [(a.id, a.end, a.reason) for a in record.agents] == [
        ("discovery-1", AgentEnd.STOPPED, "it did not answer")
    ]
    assert record.agents[0].usage.given_up_calls == 1
