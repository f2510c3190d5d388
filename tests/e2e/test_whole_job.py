"""A whole job by a model, everything real but the model: paid once, and sent so that caches serve it."""

import itertools
import json
from collections import defaultdict
from pathlib import Path

import pytest

from activities.models.provider import LiteLlmProvider
from states.record import JobSpec
from states.words import WORK_PHASES, State
from tests.e2e.stage import job_id
from tests.e2e.whole_job import CALLS, MODEL, WITHOUT_PEOPLE, shop, whole_job, whole_stage
from tests.model_server.server import ModelServer, Recorded

LOOKING = 4
"""looks of every phase"""


async def test_a_job_pays_once_for_each_call_and_its_prefixes_are_byte_stable(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ModelServer(whole_job(LOOKING)) as models:
        for name, value in models.environment.items():
            monkeypatch.setenv(name, value)
        provider = LiteLlmProvider()
        await provider.warm()  # an import of seconds, for which no test should wait in vain
        async with whole_stage(address, tmp_path, provider) as ready:
            spec = JobSpec.model_validate({**shop(tmp_path), "policy": WITHOUT_PEOPLE})
            job = await ready.jobs.start(spec, job_id("whole"))
            view = await ready.at(job, State.VERIFIED)
            record = await ready.record(job)
        assert models.asked_twice() == models.unmatched() == []
        requests = models.answered()
    assert len(requests) == len(models.requests) == CALLS + (LOOKING - 1) * len(WORK_PHASES)
    assert [ref.made_by for ref in record.artifacts] == [f"model:{MODEL}"] * len(WORK_PHASES)
    assert view.tokens
    agents = conversations(requests)
    assert [len(bodies) for bodies in agents] == [LOOKING + 1, 1] * len(WORK_PHASES)
    for bodies in agents:
        for earlier, later in itertools.pairwise(bodies):
            assert messages_of(later).startswith(messages_of(earlier)), "what was sent is sent the same again"
            assert frame_of(later) == frame_of(earlier), "tools and options stay as they were"


def conversations(requests: list[Recorded]) -> list[list[str]]:
    """The raw bodies of each agent, agents and calls in the order in which they came."""
    found: dict[str, list[str]] = defaultdict(list)
    for request in requests:
        found[json.dumps(request.json["messages"][:2])].append(request.body)
    return list(found.values())


def messages_of(body: str) -> str:
    """The list of messages as it stands in the raw body, without its closing bracket."""
    start, end = _place(body)
    return body[start : end - 1]


def frame_of(body: str) -> str:
    """Everything but the messages."""
    start, end = _place(body)
    return body[:start] + body[end:]


def _place(body: str) -> tuple[int, int]:
    start = body.index('"messages":') + len('"messages":')
    _, length = json.JSONDecoder().raw_decode(body[start:].lstrip())
    start += len(body[start:]) - len(body[start:].lstrip())
    return start, start + length
