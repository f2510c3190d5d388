"""What pydantic finds wrong is said in words that people know who write YAML or JSON."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from states.artifacts.base import Text
from states.wrong_input import told

ROOT = Path(__file__).resolve().parents[2]


class Kind(StrEnum):
    """Three words."""

    ONE, TWO, THREE = "one", "two", "three"


class Entry(BaseModel):
    """An object."""

    model_config = ConfigDict(extra="forbid")

    name: str
    kind: Kind = Kind.ONE


def sentence(kind: Any, given: Any, first: int = 0) -> str:
    """What is told of a value that does not fit."""
    with pytest.raises(ValidationError) as wrong:
        TypeAdapter(kind).validate_python(given)
    return told(wrong.value, first)


@pytest.mark.parametrize(
    ("kind", "given", "sentence_"),
    [
        (tuple[int, ...], 5, "must be a list, not a number"),
        (list[str], {}, "must be a list, not an object"),
        (frozenset[str], "x", "must be a list, not text"),
        (dict[str, int], [], "must be an object, not a list"),
        (Entry, None, "must be an object, not nothing"),
        (str, 1.10, "must be text, not a number"),
        (str, True, "must be text, not true or false"),
        (int, "many", "must be a whole number, not text"),
        (int, 1.5, "must be a whole number"),
        (int, [], "must be a whole number, not a list"),
        (float, "many", "must be a number, not text"),
        (Annotated[float, Field(allow_inf_nan=False)], float("nan"), "must be a finite number"),
        (bool, 5, "must be true or false, not a number"),
        (bool, "perhaps", "must be true or false, not text"),
        (Kind, "four", "must be one of one, two or three, not 'four'"),
        (Kind, 4, "must be one of one, two or three, not a number"),
        (Literal["a", "b"], "c", "must be a or b, not 'c'"),
        (Literal["a"], "c", "must be a, not 'c'"),
        (Annotated[float, Field(gt=0)], 0, "must be more than 0"),
        (Annotated[float, Field(ge=0.5)], 0, "must be 0.5 or more"),
        (Annotated[int, Field(lt=3)], 3, "must be less than 3"),
        (Annotated[int, Field(le=400_000)], 500_000, "must be 400,000 or less"),
        (Annotated[str, Field(min_length=2)], "x", "needs at least 2 characters"),
        (Annotated[str, Field(max_length=2)], "xxx", "at most 2 characters"),
        (Annotated[Text, Field(max_length=2)], "xxx", "at most 2 characters"),
        (Annotated[list[int], Field(min_length=1)], [], "needs at least 1 entry"),
        (Annotated[list[int], Field(max_length=1)], [1, 2], "at most 1 entry"),
        (Annotated[str, Field(pattern="^a$")], "b", "does not match ^a$"),
        (Text, " ", "must not be blank"),
        (Path, 5, "must be text, not a number"),
        (list[Entry], [{"name": "x"}, {}], "1.name: is required"),
        (list[Entry], [{"name": "x", "nane": 1}], "0.nane: is no field here; leave it out"),
        (dict[Kind, int], {"four": 1}, "four: must be one of one, two or three, not 'four'"),
    ],
)
def test_each_kind_of_error(kind: Any, given: Any, sentence_: str) -> None:
    assert sentence(kind, given) == sentence_


def test_entries_are_counted_from_where_the_writer_counts() -> None:
    assert sentence(dict[str, list[Entry]], {"steps": [{"name": 5}]}, 1) == (
        "steps.1.name: must be text, not a number"
    )


def test_json_that_is_none() -> None:
    with pytest.raises(ValidationError) as wrong:
        Entry.model_validate_json("{x")
    assert told(wrong.value) == "is not valid JSON: key must be a string at line 1 column 2"


def test_the_words_of_the_library_are_read_in_one_place() -> None:
    packages = ("states", "activities", "workflows", "phasegate", "benchmarks")
    files = [file for package in packages for file in sorted((ROOT / package).rglob("*.py"))]
    reads = [
        file.relative_to(ROOT).as_posix()
        for file in files
        if any(word in file.read_text(encoding="utf-8") for word in ('["msg"]', "['msg']", '"Value error, "'))
    ]
    assert reads == ["states/wrong_input.py"]
