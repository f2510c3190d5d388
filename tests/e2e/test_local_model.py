"""The model path against a real model on this machine: its plans are poor, everything around it holds."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from temporalio.exceptions import ApplicationError

from activities.agent_ports import Message
from activities.models.errors import Trouble
from activities.models.provider import LiteLlmProvider
from states.agents import AgentEnd
from states.record import JobSpec
from states.words import HoldKind, State
from states.words import Message as Word
from tests.activities.models.asking import ask, tool
from tests.e2e.stage import job_id, until
from tests.e2e.whole_job import WITHOUT_PEOPLE, shop, whole_stage
from tests.local_model import local_model, missing

pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=missing()),
    pytest.mark.slow,
    pytest.mark.timeout(1800),
]

MODEL = "openai/smollm2"
SLOW_MACHINE = 600.0
"""seconds that one call may take where other work shares the cores"""


@pytest.fixture(scope="module")
def served() -> Iterator[None]:
    with local_model() as environment, pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        yield


@pytest.mark.usefixtures("served")
async def test_a_forced_tool_is_called_with_arguments_of_its_schema() -> None:
    reply = await ask(
        MODEL, tools=[tool("submit")], only="submit", seconds=SLOW_MACHINE, max_output_tokens=60
    )
    calls = reply.message["tool_calls"]
    assert {call["function"]["name"] for call in calls} == {"submit"}
    # The limit may cut a second call short; what is complete keeps to the grammar of the schema.
    given = json.loads(calls[0]["function"]["arguments"])
    assert set(given) == {"plan"}
    assert isinstance(given["plan"], str)
    assert reply.usage.prompt_tokens > 0
    assert 0 < reply.usage.completion_tokens <= 60
    assert (reply.usage.calls, reply.usage.unpriced_calls) == (1, 1)


@pytest.mark.usefixtures("served")
async def test_a_conversation_beyond_the_context_window_fails_for_good() -> None:
    long: list[Message] = [{"role": "user", "content": "word " * 9000}]
    with pytest.raises(ApplicationError) as refused:
        await ask(MODEL, long, seconds=SLOW_MACHINE)
    assert (refused.value.type, refused.value.non_retryable) == (Trouble.CONTEXT_OVERFLOW, True)
    assert refused.value.message.startswith("the conversation is too long for openai/smollm2: ")


@pytest.mark.usefixtures("served")
async def test_a_job_that_the_model_cannot_do_is_held_with_its_reason_and_goes_on(
    address: str, tmp_path: Path
) -> None:
    limits = {"max_output_tokens": 60, "max_iterations": 1, "max_repairs": 0}
    spec = {**shop(tmp_path), "model": MODEL, "agents": limits, "policy": WITHOUT_PEOPLE}
    async with whole_stage(address, tmp_path, LiteLlmProvider()) as ready:
        job = await ready.jobs.start(JobSpec.model_validate(spec), job_id("local"))
        held = await until(lambda: ready.view(job), lambda view: view.hold, 2 * SLOW_MACHINE)
        record = await ready.record(job)
        await ready.jobs.send(job, Word.RESUME, {})
        await until(lambda: ready.record(job), lambda record: record.agents[0].runs == 2, SLOW_MACHINE)
        await ready.jobs.send(job, Word.CANCEL, {})
        note = record.agents[0]
        messages = await ready.jobs.conversation(note.head)
    assert (held.state, held.hold.kind) == (State.DISCOVERY, HoldKind.FAILURE)
    assert "do not validate" in held.hold.reason or "nothing was handed over" in held.hold.reason
    assert "Traceback" not in held.hold.reason
    assert (note.end, note.used) == (AgentEnd.FAILED, (MODEL,))
    assert note.usage.calls == note.usage.unpriced_calls > 0
    assert held.tokens == note.usage.prompt_tokens + note.usage.completion_tokens > 1000
    assert [message["role"] for message in messages[:3]] == ["system", "user", "assistant"]
