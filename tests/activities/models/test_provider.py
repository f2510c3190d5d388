"""The provider with the real litellm over real HTTP: what is sent, what comes back, how long it may take."""

import asyncio
import itertools
import json
import time
from typing import Any

import pytest
from temporalio.exceptions import ApplicationError

from activities.agent_ports import Message
from activities.models.provider import LiteLlmProvider
from tests.activities.models.asking import CLAUDE, OPENAI, OPENING, ask, serving, tool
from tests.model_server.script import Answer, Call, FaultKind, Script, Tokens, fault, slow

BOTH = pytest.mark.parametrize("model", [OPENAI, CLAUDE])


def script(answer: Answer) -> Script:
    made = Script()
    made.when().answer(answer)
    return made


@BOTH
async def test_a_reply_with_parallel_calls_becomes_plain_json(model: str) -> None:
    two = [Call(name="read_file", arguments={"plan": "é"}), Call(name="submit", arguments={"plan": "x"})]
    with serving(
        script(Answer(text="Both.", calls=two, usage=Tokens(prompt=90, completion=7, cached=60)))
    ) as server:
        reply = await ask(model)
    assert json.loads(json.dumps(reply.message)) == reply.message
    assert reply.message["role"] == "assistant"
    assert reply.message["content"] == "Both."
    assert [call["type"] for call in reply.message["tool_calls"]] == ["function", "function"]
    assert [call["id"] for call in reply.message["tool_calls"]] == ["call_1_0", "call_1_1"]
    assert json.loads(reply.message["tool_calls"][0]["function"]["arguments"]) == {"plan": "é"}
    assert reply.finish == "tool_calls"
    assert (reply.usage.calls, reply.usage.prompt_tokens, reply.usage.completion_tokens) == (1, 90, 7)
    assert reply.usage.cached_tokens == 60
    assert len(server.requests) == 1


async def test_a_known_price_is_booked_and_an_unknown_one_said() -> None:
    with serving(script(Answer(text="Hi.", usage=Tokens(prompt=1000, completion=100)))):
        known, unknown = await ask("openai/gpt-4o-mini"), await ask(OPENAI)
    assert known.usage.cost_usd == pytest.approx(1000 * 0.15e-6 + 100 * 0.6e-6)
    assert known.usage.unpriced_calls == 0
    assert unknown.usage.cost_usd == 0
    assert unknown.usage.unpriced_calls == 1


async def test_a_server_that_counts_nothing_is_estimated_and_that_is_said() -> None:
    with serving(script(Answer(text="x" * 600, counted=False))) as server:
        known, unknown = await ask("openai/gpt-4o-mini"), await ask(OPENAI)
    sent = len(server.requests[0].body)
    for used in (known.usage, unknown.usage):
        assert sent / 4 < used.prompt_tokens < sent / 2
        assert 200 <= used.completion_tokens <= 202
        assert used.estimated_calls == 1
    estimate = known.usage.prompt_tokens * 0.15e-6 + known.usage.completion_tokens * 0.6e-6
    assert known.usage.cost_usd == pytest.approx(estimate)
    assert (known.usage.unpriced_calls, unknown.usage.unpriced_calls) == (0, 1)


async def test_what_a_server_does_count_is_taken_as_it_is() -> None:
    with serving(script(Answer(text="Hi.", usage=Tokens(prompt=1000, completion=0)))):
        partly = await ask()
    assert (partly.usage.prompt_tokens, partly.usage.completion_tokens) == (1000, 3)
    with serving(script(Answer(text="Hi.", usage=Tokens(prompt=1000, completion=100)))):
        counted = await ask()
    assert (counted.usage.tokens, counted.usage.estimated_calls) == (1100, 0)


async def test_prices_of_models() -> None:
    provider = LiteLlmProvider()
    assert (await provider.price("openai/gpt-4o-mini")).model_dump() == {
        "prompt": 0.15e-6,
        "completion": 0.6e-6,
    }
    claude = await provider.price(CLAUDE)
    assert claude.prompt is not None
    assert claude.prompt > 3e-6  # writing to the cache and long prompts cost more than the plain rate
    for unknown in (OPENAI, "nonsense", "huggingface/some/model"):
        assert (await provider.price(unknown)).model_dump() == {"prompt": None, "completion": None}


@BOTH
async def test_only_forces_the_tool(model: str) -> None:
    with serving(script(Answer(calls=[Call(name="submit", arguments={"plan": "x"})]))) as server:
        await ask(model, only="submit", tools=[tool("submit")])
        await ask(model)
    forced, free = (request.json for request in server.requests)
    by_dialect = {
        OPENAI: "required",
        CLAUDE: {"type": "tool", "name": "submit"},
    }
    assert forced["tool_choice"] == by_dialect[model]
    assert len(forced["tools"]) == 1
    assert "tool_choice" not in free


async def test_among_several_tools_the_forced_one_is_named() -> None:
    with serving(script(Answer(calls=[Call(name="submit", arguments={"plan": "x"})]))) as server:
        await ask(only="submit")
    assert server.requests[0].json["tool_choice"] == {"type": "function", "function": {"name": "submit"}}


async def test_a_model_that_refuses_tool_choice_is_asked_without_it_next_time() -> None:
    made = Script()
    made.when(forced="submit").fail(fault(FaultKind.NO_TOOL_CHOICE, times=None))
    made.when().call("submit", {"plan": "x"})
    provider = LiteLlmProvider()
    with serving(made) as server:
        with pytest.raises(ApplicationError) as refused:
            await ask(only="submit", provider=provider)
        again = await ask(only="submit", provider=provider)
    assert (refused.value.type, refused.value.non_retryable) == ("ModelToolChoiceRefused", False)
    assert again.message["tool_calls"][0]["function"]["name"] == "submit"
    assert len(server.requests) == 2


@BOTH
async def test_output_tokens_are_limited(model: str) -> None:
    with serving(script(Answer(text="Cut", finish="length"))) as server:
        assert (await ask(model, max_output_tokens=77)).finish == "length"
        await ask("openai/gpt-4o-mini", max_output_tokens=10**6)
    assert server.requests[0].json["max_tokens"] == 77
    assert server.requests[1].json["max_tokens"] == 16384, (
        "more than the model can is refused by its provider"
    )


async def test_no_tools_are_none_on_the_wire() -> None:
    with serving(script(Answer(text="Hi."))) as server:
        await ask(tools=[])
    assert "tools" not in server.requests[0].json


# --- the prefix of a conversation ---


async def converse(model: str, calls: int) -> list[str]:
    """The raw bodies of so many calls of one conversation."""
    made = Script()
    answers = made.when()
    for number in range(calls):
        answers.answer(
            Answer(
                text=f"Step {number} ü",
                thinking="hm" if model == CLAUDE else "",
                calls=[
                    Call(name="read_file", arguments={"plan": str(number)}),
                    Call(name="read_file", arguments={}),
                ],
            )
        )
    messages: list[Message] = [*OPENING]
    with serving(made) as server:
        for _ in range(calls):
            reply = (await ask(model, messages)).message
            messages.append(json.loads(json.dumps(reply)))  # as it comes back from the store
            messages += [
                {"role": "tool", "tool_call_id": call["id"], "content": f"result of {call['id']}"}
                for call in reply["tool_calls"]
            ]
    return [request.body for request in server.requests]


@BOTH
async def test_the_prefix_is_byte_stable(model: str) -> None:
    bodies = await converse(model, 4)
    for earlier, later in itertools.pairwise(bodies):
        messages = _raw_messages(earlier)
        assert _raw_messages(later).startswith(messages), "messages that were sent are sent the same again"
        rest = [body.replace(_raw_messages(body), "", 1) for body in (earlier, later)]
        assert rest[0] == rest[1], "tools, system prompt and options stay as they were"


def _raw_messages(body: str) -> str:
    """The list of messages as it stands in the body, without its closing bracket."""
    start = body.index('"messages":') + len('"messages":')
    _, end = json.JSONDecoder().raw_decode(body, start)
    return body[start : end - 1]


async def test_claude_gets_cache_marks_and_its_thinking_back() -> None:
    body: dict[str, Any] = json.loads((await converse(CLAUDE, 2))[1])
    mark = {"type": "ephemeral"}
    assert body["system"] == [{"type": "text", "text": "You plan.", "cache_control": mark}]
    assert body["cache_control"] == mark
    assert "cache_control" not in json.dumps(body["messages"])
    assert body["messages"][1]["content"][0] == {
        "type": "thinking",
        "thinking": "hm",
        "signature": "c2lnbmVk",
    }


async def test_other_providers_get_neither() -> None:
    with serving(script(Answer(text="Hi."))) as server:
        blocks = [{"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk"}]
        spoken = {"role": "assistant", "content": "Well.", "thinking_blocks": blocks}
        await ask(OPENAI, [*OPENING, spoken, {"role": "user", "content": "Go on."}])
    assert server.requests[0].json["messages"] == [
        *OPENING,
        {"role": "assistant", "content": "Well."},
        {"role": "user", "content": "Go on."},
    ]


# --- odd replies ---


@pytest.mark.parametrize("ids", [("", ""), ("same", "same"), ("old", "old")])
async def test_missing_and_repeated_ids_are_filled_in_the_same_way_each_time(ids: tuple[str, str]) -> None:
    before: list[Message] = [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "old", "type": "function", "function": {"name": "submit", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "old", "content": "Error"},
    ]
    calls = [Call(name="submit", arguments={"plan": "x"}, id=call_id) for call_id in ids]
    with serving(script(Answer(calls=calls))):
        first, second = [(await ask(messages=[*OPENING, *before])).message for _ in range(2)]
    assert first == second
    assert len({"old", *(call["id"] for call in first["tool_calls"])}) == 3


async def test_malformed_arguments_are_kept_as_they_are_and_sent_back_readable() -> None:
    with serving(script(Answer(calls=[Call(name="submit", arguments='{"plan": ')]))) as server:
        reply = (await ask()).message
        assert reply["tool_calls"][0]["function"]["arguments"] == '{"plan":'
        answer = {"role": "tool", "tool_call_id": reply["tool_calls"][0]["id"], "content": "Error: no JSON"}
        for model in (OPENAI, CLAUDE):
            await ask(model, [*OPENING, reply, answer])
    sent = server.requests[1].json["messages"][2]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(sent) == {"malformed_arguments": '{"plan":'}
    assert server.requests[2].json["messages"][1]["content"][0]["input"] == json.loads(sent)


@BOTH
async def test_a_refusal_is_a_text(model: str) -> None:
    with serving(script(Answer(refusal="I will not."))):
        reply = await ask(model)
    assert reply.message == {"role": "assistant", "content": "I will not."}


@BOTH
async def test_an_empty_reply_can_be_followed_by_another_call(model: str) -> None:
    with serving(script(Answer())) as server:
        reply = (await ask(model)).message
        assert reply == {"role": "assistant", "content": ""}
        await ask(model, [*OPENING, reply, {"role": "user", "content": "Go on."}])
    said = server.requests[1].json["messages"][-2]["content"]
    assert "(empty reply)" in json.dumps(said)


# --- time ---


@BOTH
async def test_the_time_out_holds_and_the_beat_goes_on(model: str) -> None:
    made = Script()
    made.when().fail(slow(30, times=None)).say("Late.")
    beats: list[float] = []
    with serving(made) as server:
        await LiteLlmProvider().warm()
        start = time.monotonic()
        with pytest.raises(ApplicationError) as late:
            await ask(model, seconds=2.5, beat=lambda: beats.append(time.monotonic()))
        took = time.monotonic() - start
        assert (late.value.type, late.value.non_retryable) == ("ModelTimeOut", False)
        assert 2.4 < took < 6
        assert len(beats) >= 2
        assert len(server.requests) == 1
        assert not server.answered()


async def test_cancelling_hangs_up() -> None:
    made = Script()
    made.when().fail(slow(30, times=None)).say("Late.")
    with serving(made) as server:
        call = asyncio.create_task(ask())
        while not server.requests:
            await asyncio.sleep(0.02)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await asyncio.sleep(0.3)
        assert [(r.status, r.answered) for r in server.requests] == [(0, False)]


async def test_calls_run_side_by_side() -> None:
    with serving(script(Answer(text="Hi.", delay=1.0))):
        await ask()
        start = time.monotonic()
        await asyncio.gather(
            *(ask(messages=[*OPENING, {"role": "user", "content": str(n)}]) for n in range(8))
        )
        assert time.monotonic() - start < 4
