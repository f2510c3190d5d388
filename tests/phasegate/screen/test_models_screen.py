"""Models as text: who is asked, what an agent does, a conversation, a narrow table."""

from typing import Any

from rich.console import Console

from phasegate.screen.agents import agents_table, cost_words, model_words, token_words
from phasegate.screen.models import agent_words, cost, model_lines, models_words
from phasegate.screen.moving import Moving
from phasegate.screen.transcript import message_lines, text_of
from states.agents import AgentEnd, AgentKind, AgentNote, Usage
from states.staff import hire
from states.trace import AgentProgress
from states.view import view_of
from states.words import Phase
from tests.states.job_maker import new_job

ONE = Usage(calls=1, prompt_tokens=100, completion_tokens=10, cached_tokens=60, cost_usd=0.01)
UNKNOWN = Usage(calls=1, prompt_tokens=100, completion_tokens=10, unpriced_calls=1)


def progress(doing: str, calls: int = 0, usage: Usage | None = None) -> AgentProgress:
    return AgentProgress(
        agent="contracts-1", kind=AgentKind.PLAN, doing=doing, calls=calls, usage=usage or Usage()
    )


def note(**fields: Any) -> AgentNote:
    given = {"id": "contracts-1", "kind": AgentKind.PLAN, "phase": Phase.CONTRACTS, "models": ("a", "b")}
    return AgentNote.model_validate(given | fields)


def test_what_an_agent_does() -> None:
    assert agent_words(progress("asks m")) == "contracts-1, call 1: asks m"
    assert agent_words(progress("read_file, grep_search", 2, ONE + ONE)) == (
        "contracts-1, call 2: read_file, grep_search (so far 2 calls, 220 tokens, $0.02)"
    )
    assert "\x1b" not in agent_words(progress("\x1b[2Jtool", 1))
    assert agent_words(progress("")) == "contracts-1: begins"


def test_models_of_a_job() -> None:
    record = new_job()
    models = {"contracts": ("c",), "review": ("none",)}
    record.spec = record.spec.model_copy(update={"model": ("a", "b"), "models": models})
    view = view_of(record)
    assert models_words(view) == "a, then b; CONTRACTS: c; reviews: none"
    hire(record, AgentKind.PLAN, Phase.DISCOVERY, ("a",))
    told = [line.plain for line in model_lines(view_of(record))]
    assert "agent       discovery-1 is at work" in told
    assert list(model_lines(view_of(new_job()))) == []


def test_an_unknown_price_is_no_zero() -> None:
    assert (cost(UNKNOWN), cost(ONE), cost(ONE + UNKNOWN)) == ("110 tokens", "$0.01", "$0.01 and more")
    assert (cost_words(UNKNOWN), cost_words(ONE + UNKNOWN)) == ("unknown", "$0.01 + unknown")


def test_what_was_estimated_is_marked() -> None:
    guessed = ONE.model_copy(update={"estimated_calls": 1})
    assert (token_words(ONE), token_words(ONE + guessed)) == ("110", "~220")


def test_who_stood_in_is_named_with_whom_it_replaced() -> None:
    assert model_words(note()) == "a"
    assert model_words(note(used=("a", "b"))) == "a, b"
    assert model_words(note(used=("b",))) == "b instead of a"


def test_a_narrow_table_holds_everything() -> None:
    failed = note(used=("a",), usage=ONE, end=AgentEnd.FAILED, reason="no key; set A_API_KEY")
    lines = [str(part) for part in agents_table([failed, note(id="contracts-2")], None, ONE, 40)]
    assert lines == [
        *("contracts-1", "  plan by a", "  1 call, 110 tokens, $0.01, 60 tokens cached"),
        "  failed: no key; set A_API_KEY",
        *("contracts-2", "  plan by a", "  0 calls, 0 tokens, $0.00", "  not known"),
        *("all", "  1 call, 110 tokens, $0.01, 60 tokens cached"),
    ]


def test_a_message_of_parts_says_its_texts() -> None:
    assert text_of([{"type": "text", "text": "a"}, {"type": "image"}]) == 'a\n{"type": "image"}'
    assert (text_of(None), text_of({"a": 1})) == ("", '{"a": 1}')


def test_messages_are_cut_in_both_directions() -> None:
    call = {"id": "c1", "function": {"name": "submit", "arguments": "x" * 1_000}}
    messages: list[dict[str, Any]] = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "y" * 500 + "\nz" * 20},
    ]
    told = "\n".join(line.plain for line in message_lines(messages, full=False))
    assert "600 more characters; --full shows all" in told
    assert "100 more characters" in told
    assert "… 9 more lines; --full shows all" in told
    whole = "\n".join(line.plain for line in message_lines(messages, full=True))
    assert "more" not in whole
    assert whole.count("  z") == 20
    [*_, nothing] = message_lines([], full=False)
    assert "nothing has been said yet" in nothing.plain


def test_where_no_terminal_is_nothing_moves() -> None:
    with open("/dev/null", "w") as nowhere:
        moving = Moving(Console(file=nowhere))
        assert not moving.possible
        record = new_job()
        hire(record, AgentKind.PLAN, Phase.DISCOVERY, ("a",))
        moving.update(view_of(record))
        assert moving.running is not None
        moving.agent(progress("asks a"))
        moving.stop()
        assert moving.running is None
