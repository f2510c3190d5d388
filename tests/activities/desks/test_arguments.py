"""Raw arguments: a fence or prose around one JSON object is taken off, nothing is guessed."""

import json

import pytest
from pydantic import Field

from activities.desks.arguments import MOST_BYTES, read_arguments
from activities.desks.problems import Refused
from activities.desks.submissions import read_as
from activities.desks.submitted import Submitted

OBJECT = {"a": [1, {"b": "c"}]}


@pytest.mark.parametrize(
    "raw",
    [
        '{"a": [1, {"b": "c"}]}',
        '\n ```json\n{"a": [1, {"b": "c"}]}\n```\n',
        'Here is the plan:\n```\n{"a": [1, {"b": "c"}]}\n```\nI hope that it helps!',
        'Sure! {"a": [1, {"b": "c"}]} Done.',
    ],
)
def test_one_object_is_found(raw: str) -> None:
    assert read_arguments(raw) == OBJECT


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ('{"a": 1', "not valid JSON: Expecting ',' delimiter at line 1, column 8"),
        ("[1]", "must be one JSON object, not a list"),
        ('"a"', "must be one JSON object, not a text"),
        ("null", "must be one JSON object, not null"),
        ("true", "must be one JSON object, not true or false"),
        ("7", "must be one JSON object, not a number"),
        ("approve", "not valid JSON: Expecting value at line 1, column 1"),
        ('{"a": NaN}', "not valid JSON: NaN is no JSON value"),
        ('{"a": 1} or {"a": 2}', "not valid JSON: Extra data"),
        ('```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```', "give one JSON object and nothing else"),
        ("[" * 100_000, "not valid JSON"),
        ('{"a": ' + "9" * 5_000 + "}", "not valid JSON"),
        ('{"a": ' * 60 + "1" + "}" * 60, "nested more than 40 levels deep"),
        ('{"a": ' * 600 + "1" + "}" * 600, "nested more than 40 levels deep"),
        ("```\n" + " \n" * 400_000, "not valid JSON"),
        ("x" * (MOST_BYTES + 1), "have 1,000,001 bytes, at most 1,000,000 are taken"),
    ],
)
def test_anything_else_is_refused(raw: str, told: str) -> None:
    with pytest.raises(Refused) as refused:
        read_arguments(raw)
    assert told in str(refused.value)
    assert len(str(refused.value)) < 400


def test_a_fence_inside_of_a_text_is_no_fence() -> None:
    assert read_arguments('The plan: {"a": "run ```make``` first"}') == {"a": "run ```make``` first"}


def test_blank_arguments_are_none() -> None:
    assert read_arguments("  ") == {}


def test_what_cannot_be_seen_is_stripped_from_texts_and_keys() -> None:
    assert read_arguments('{"a\\u200b": ["x\\u001b[0m\\ud800", "\\u202ey\\r\\nz"]}') == {
        "a": ["x[0m\ufffd", "y\nz"]
    }


class Inner(Submitted):
    """Something nested."""

    names: tuple[str, ...] = ()
    more: tuple["Inner", ...] = ()
    by_name: dict[str, int] = Field(default_factory=dict)


def test_lists_and_objects_sent_as_texts_are_taken_where_they_are_wanted() -> None:
    inner = json.dumps({"names": json.dumps(["b", "[c]"]), "by_name": '{"x": 1}'})
    sent = {"names": '["a"]', "more": json.dumps([inner, {"names": "[]"}])}
    found = read_as(Inner, json.dumps(sent))
    first = Inner(names=("b", "[c]"), by_name={"x": 1})
    assert found == Inner(names=("a",), more=(first, Inner()))


@pytest.mark.parametrize("text", ["a", '{"a": 1}', "[1", '"[1]"', "7", "", "[" * 100_000])
def test_texts_of_another_kind_are_refused(text: str) -> None:
    with pytest.raises(Refused, match="names: must be a list"):
        read_as(Inner, json.dumps({"names": text}))


def test_what_was_packed_is_stripped_and_bounded_too() -> None:
    packed = json.dumps({"names": json.dumps(["a\u202eb"])})
    assert read_as(Inner, packed).names == ("ab",)
    deep = "[" * 60 + "]" * 60
    with pytest.raises(Refused, match="more: must be a list"):
        read_as(Inner, json.dumps({"more": deep}))
