"""Messages are read forgivingly and refused with one sentence, whatever it is that comes in."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from states.ledger import EntryKind
from states.messages import (
    REQUESTS,
    Answer,
    Approve,
    Edit,
    Finish,
    Malformed,
    Pause,
    RestartFrom,
    Revise,
    SetBudget,
    parse,
)
from states.people import UNNAMED
from states.receive import read, receive
from states.record import JobRecord
from states.refusals import Refused
from states.words import Message, Phase, ReviewKind, State
from tests.states.job_maker import NOW, everything_but_the_ledger, job_in

# Every JSON text that can reach a handler, halves of characters, NaN and infinities included.
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=30)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)
FIELD_NAMES = sorted(
    {name for kind in REQUESTS.values() for name in kind.model_fields} | {"context", "restart_from"}
)
LIKELY = st.sampled_from(
    [
        "",
        "approve",
        "contracts",
        "CLARIFICATION",
        "verified",
        "contract",
        "contracts-1",
        "q1",
        "a" * 64,
        "policy:x",
    ]
)
NEAR_MISS = st.dictionaries(st.sampled_from(FIELD_NAMES), LIKELY | ANY_JSON, max_size=5)
ANY_ARGS = st.lists(ANY_JSON | NEAR_MISS | LIKELY, max_size=2)
ANY_NAME = st.sampled_from(list(Message)) | ANY_TEXT

NO_INPUT_IS_FINE = {
    Message.APPROVE,
    Message.FINISH,
    Message.ACT,
    Message.PAUSE,
    Message.RESUME,
    Message.CANCEL,
    Message.SET_BUDGET,
    Message.SET_MODELS,
    Message.ROLLBACK,
}
MISSING = {
    Message.REVISE: "revise needs feedback",
    Message.ANSWER: "answer needs text",
    Message.SAY: "say needs text",
    Message.EDIT: "edit needs artifact",
    Message.RESTART_FROM: "restart_from needs phase",
    Message.SELECT: "select needs option",
}
A_STRING = {
    Message.APPROVE: ("looks good", "comment"),
    Message.REVISE: ("use the newer one", "feedback"),
    Message.ANSWER: ("both", "text"),
    Message.SAY: ("mind the cache", "text"),
    Message.RESTART_FROM: ("contracts", "phase"),
    Message.SELECT: ("2", "option"),
    Message.PAUSE: ("lunch", "reason"),
    Message.RESUME: ("back", "reason"),
    Message.CANCEL: ("not needed", "reason"),
    Message.ACT: ("2", "option"),
    Message.ROLLBACK: ("step 2", "to"),
    Message.SET_MODELS: ("openai/gpt-5", "model"),
}
AN_OBJECT: dict[Message, dict[str, Any]] = {
    Message.APPROVE: {
        "gate": "contracts-1",
        "digest": "A" * 64,
        "option": "1",
        "comment": "good",
        "feedback": "",
        "by": "Ann",
    },
    Message.REVISE: {
        "feedback": "no",
        "kind": "Contract",
        "gate": "contracts-1",
        "digest": "a" * 8,
        "by": "Ann",
    },
    Message.ANSWER: {"question": "q1", "text": "both", "by": "Ann"},
    Message.SAY: {"text": "mind the cache", "by": "Ann"},
    Message.FINISH: {"by": "Ann"},
    Message.EDIT: {"artifact": {"a": 1}, "base": "a" * 64, "by": "Ann"},
    Message.RESTART_FROM: {
        "phase": "Implementation-Plan",
        "trigger": "testing_failed",
        "changes": "new criteria",
        "preserve_artifacts": ["discovery"],
        "invalidated_decisions": ["x"],
        "by": "Ann",
    },
    Message.SELECT: {"option": "2", "by": "Ann"},
    Message.ACT: {"option": "2", "by": "Ann"},
    Message.PAUSE: {"reason": "lunch", "by": "Ann"},
    Message.RESUME: {"reason": "back", "by": "Ann"},
    Message.CANCEL: {"reason": "no", "by": "Ann"},
    Message.SET_BUDGET: {"usd": 1.5, "tokens": 1000, "by": "Ann"},
    Message.SET_MODELS: {"model": "a,b", "models": {"review": "none", "Contracts": ["c"]}, "by": "Ann"},
    Message.ROLLBACK: {"to": "step 2", "by": "Ann"},
}


# --- how each message reads ---


def test_every_message_has_a_request() -> None:
    assert set(REQUESTS) == set(Message) == set(AN_OBJECT)
    assert set(Message) == NO_INPUT_IS_FINE | set(MISSING)


@pytest.mark.parametrize("message", Message)
@pytest.mark.parametrize("nothing", [[], [None], [{}], [""], ["  "], [None, None]])
def test_no_input(message: Message, nothing: list[Any]) -> None:
    if message in NO_INPUT_IS_FINE:
        assert parse(message, nothing).who == UNNAMED
        return
    with pytest.raises(Malformed) as refused:
        parse(message, nothing)
    assert str(refused.value) == MISSING[message]


@pytest.mark.parametrize("message", Message)
def test_a_bare_string_fills_the_main_field(message: Message) -> None:
    if message in A_STRING:
        text, field = A_STRING[message]
        # one model is a ladder of one
        assert getattr(parse(message, [f" {text}\n"]), field) in (text, (text,))
        return
    with pytest.raises(Malformed, match=f"^{message} takes no text; send an object or nothing$"):
        parse(message, ["words"])


@pytest.mark.parametrize("message", Message)
def test_an_object_with_every_field(message: Message) -> None:
    request = parse(message, [AN_OBJECT[message]])
    assert isinstance(request, REQUESTS[message])
    assert request.who == "Ann"
    assert set(AN_OBJECT[message]) == set(type(request).model_fields)


@pytest.mark.parametrize("message", Message)
def test_a_field_that_does_not_exist_is_named(message: Message) -> None:
    with pytest.raises(Malformed, match=f"^{message} has no field 'aprove'$"):
        parse(message, [{**AN_OBJECT[message], "aprove": True}])


@pytest.mark.parametrize("message", Message)
@pytest.mark.parametrize("wrong", [True, 7, 1.5, ["x"], b"x"])
def test_neither_string_nor_object(message: Message, wrong: Any) -> None:
    with pytest.raises(
        Malformed, match=f"^{message} takes a string or an object, got {type(wrong).__name__}$"
    ):
        parse(message, [wrong])


@pytest.mark.parametrize("message", Message)
def test_two_arguments(message: Message) -> None:
    with pytest.raises(Malformed, match=f"^{message} takes one argument, got 2$"):
        parse(message, [AN_OBJECT[message], "and more"])


@pytest.mark.parametrize("message", Message)
def test_wrong_types_name_the_field(message: Message) -> None:
    for field in AN_OBJECT[message]:
        with pytest.raises(Malformed, match=f"^{message}: {field}") as refused:
            parse(message, [{**AN_OBJECT[message], field: [{"very": "wrong"}]}])
        assert len(str(refused.value)) <= 300


@pytest.mark.parametrize("message", Message)
def test_a_megabyte_of_text_is_refused_in_one_short_sentence(message: Message) -> None:
    huge = "x" * 1_000_000
    for args in ([huge], [{"by": huge}], [{huge: 1}], [dict.fromkeys(AN_OBJECT[message], huge)]):
        with pytest.raises(Malformed) as refused:
            parse(message, args)
        assert len(str(refused.value)) <= 300
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("message", Message)
@pytest.mark.parametrize(
    "name", ["policy:skip_human_reviews", "Policy:x", "ai_review", "phasegate", " Best guess "]
)
def test_nobody_signs_as_a_policy_or_a_part_of_phasegate(message: Message, name: str) -> None:
    with pytest.raises(Malformed, match="is no person's name"):
        parse(message, [{**AN_OBJECT[message], "by": name}])


@pytest.mark.parametrize("name", ["contracts-12", "operator-1"])
def test_a_bare_gate_binds_an_approval(name: str) -> None:
    gate = parse(Message.APPROVE, [name])
    assert isinstance(gate, Approve)
    assert (gate.gate, gate.digest, gate.comment) == (name, "", "")


def test_a_bare_digest_binds_an_approval() -> None:
    digest = parse(Message.APPROVE, ["sha256:ABCDEF012345"])
    assert isinstance(digest, Approve)
    assert (digest.gate, digest.digest, digest.comment) == ("", "sha256:abcdef012345", "")


@pytest.mark.parametrize(
    ("given", "kind"), [("Requirement", ReviewKind.REQUIREMENT), (" contract ", ReviewKind.CONTRACT)]
)
def test_the_kind_of_a_revision_in_any_case(given: str, kind: ReviewKind) -> None:
    request = parse(Message.REVISE, [{"feedback": "no", "kind": given}])
    assert isinstance(request, Revise)
    assert request.kind is kind


@pytest.mark.parametrize("key", ["base", "base_digest", "base digest", "digest"])
def test_the_base_of_an_edit_by_any_of_its_names(key: str) -> None:
    request = parse(Message.EDIT, [{"artifact": "B" * 64, key: "A" * 64}])
    assert isinstance(request, Edit)
    assert (request.base, request.artifact) == ("a" * 64, "b" * 64)


def _nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "body",
    [{"a": "\ud800"}, {"\ud800": 1}, {"a": [float("nan")]}, {"a": float("inf")}, _nested(120), _nested(900)],
)
def test_an_edit_that_cannot_be_stored_is_refused(body: dict[str, Any]) -> None:
    """Such a body once passed and then stopped the job for good, where it was to be written."""
    with pytest.raises(Malformed, match=r"^edit: artifact: "):
        parse(Message.EDIT, [{"artifact": body, "base": "a" * 64}])


@pytest.mark.parametrize("amount", [float("inf"), float("nan"), -1, "much", 1e999])
def test_a_budget_is_a_finite_amount(amount: Any) -> None:
    with pytest.raises(Malformed, match=r"^set_budget: usd: "):
        parse(Message.SET_BUDGET, [{"usd": amount}])


# --- restart_from, in the seed's form ---

SEED: dict[str, Any] = {
    "restart_from": "CLARIFICATION",
    "task_id": "AL-001",
    "context": {
        "trigger": "requirements_changed",
        "changes": "Now need to support SAML authentication",
        "preserve_artifacts": ["discovery", "partial_contracts"],
        "invalidated_decisions": ["oauth_only_approach"],
    },
}


def test_the_seeds_form_of_a_restart() -> None:
    request = parse(Message.RESTART_FROM, [SEED])
    assert request == RestartFrom(
        phase=Phase.CLARIFICATION,
        trigger="requirements_changed",
        changes="Now need to support SAML authentication",
        preserve_artifacts=("discovery", "partial_contracts"),
        invalidated_decisions=("oauth_only_approach",),
    )


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("spell", [str.upper, str.lower, str.title, lambda p: f" {p.replace('_', '-')} "])
def test_a_phase_in_any_case(phase: Phase, spell: Any) -> None:
    for args in (
        [spell(phase.value)],
        [{"phase": spell(phase.value)}],
        [{"restart_from": spell(phase.value)}],
    ):
        request = parse(Message.RESTART_FROM, args)
        assert isinstance(request, RestartFrom)
        assert request.phase is phase


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("planning", "unknown phase 'planning'; name one of DISCOVERY, CLARIFICATION, CONTRACTS"),
        ({**SEED, "context": "SAML"}, "context of restart_from must be an object"),
        ({**SEED, "context": {"chnages": "x"}}, "restart_from has no field 'chnages'"),
        ({"context": {}}, "restart_from needs phase"),
        ({"phase": 3}, "restart_from: phase: "),
        ({"phase": "contracts", "restart_from": "validation"}, "restart_from has no field 'restart_from'"),
        ({"phase": "contracts", "preserve_artifacts": "discovery"}, "restart_from: preserve_artifacts: "),
    ],
)
def test_a_restart_that_cannot_be_read(given: Any, sentence: str) -> None:
    with pytest.raises(Malformed) as refused:
        parse(Message.RESTART_FROM, [given])
    assert sentence in str(refused.value)


# --- arbitrary input ---


@given(message=st.sampled_from(list(Message)), args=ANY_ARGS)
def test_parse_raises_nothing_but_malformed(message: Message, args: list[Any]) -> None:
    try:
        request = parse(message, args)
    except Malformed as refused:
        sentence = str(refused)
    else:
        assert isinstance(request, REQUESTS[message])
        sentence = request.model_dump_json()
    assert sentence.encode()


JOBS = [job_in(state) for state in State]


@given(at=st.integers(0, len(JOBS) - 1), name=ANY_NAME, args=ANY_ARGS)
def test_receive_never_raises_and_a_refusal_changes_only_the_ledger(
    at: int, name: str, args: list[Any]
) -> None:
    record = JOBS[at].model_copy(deep=True)
    before = everything_but_the_ledger(record)
    count = record.ledger_count
    ack = receive(record, name, args, NOW)
    if ack is None:
        assert everything_but_the_ledger(record) == before
        assert (record.ledger_count, record.ledger[-1].kind) == (count + 1, EntryKind.REFUSED)
        assert record.ledger[-1].why
    else:
        assert record.ledger[-1].kind is EntryKind.MESSAGE
        assert ack.entry == record.ledger_count
    json.dumps(record.model_dump(mode="json"), allow_nan=False).encode()
    assert JobRecord.model_validate_json(record.model_dump_json()) == record


def test_read_changes_nothing_at_all() -> None:
    for record in JOBS:
        for message in Message:
            before = record.model_dump_json()
            with suppress(Malformed, Refused):
                read(record, message, [AN_OBJECT[message]])
            assert record.model_dump_json() == before


def test_a_misspelled_message_is_told_the_names() -> None:
    record = JOBS[0].model_copy(deep=True)
    assert receive(record, "aprove", [], NOW) is None
    assert "unknown message 'aprove'; messages are approve, revise" in record.ledger[-1].why


def test_requests_are_frozen() -> None:
    for kind in (Approve, Answer, Finish, Pause, SetBudget):
        assert kind.model_config["frozen"]
        assert kind.model_config["extra"] == "forbid"
    with pytest.raises(ValidationError):
        Finish().by = "Ann"  # type: ignore[misc]
