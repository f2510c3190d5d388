"""What pydantic finds wrong, in the words of whoever wrote it: a person in YAML or JSON, or a model.

Deterministic, as workflows say these sentences too.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from states.amounts import counted

_KINDS = {
    "a list": ("tuple_type", "list_type", "set_type", "frozen_set_type", "iterable_type"),
    "an object": ("model_type", "model_attributes_type", "dict_type", "mapping_type", "dataclass_type"),
    "text": ("string_type", "path_type"),
    "a whole number": ("int_type", "int_parsing", "int_from_float", "int_parsing_size"),
    "a number": ("float_type", "float_parsing"),
    "a finite number": ("finite_number",),
    "true or false": ("bool_type", "bool_parsing"),
}
_WANTED = {error: kind for kind, errors in _KINDS.items() for error in errors}
_BOUNDS = {
    "greater_than": ("gt", "must be more than {}"),
    "greater_than_equal": ("ge", "must be {} or more"),
    "less_than": ("lt", "must be less than {}"),
    "less_than_equal": ("le", "must be {} or less"),
}
_SIZES = {
    "too_short": ("min_length", "needs at least {}"),
    "too_long": ("max_length", "at most {}"),
    "string_too_short": ("min_length", "needs at least {}"),
    "string_too_long": ("max_length", "at most {}"),
}
_LONGEST = 60
"""characters of a wrong word that are repeated"""


def first_wrong(error: ValidationError, first: int = 0) -> tuple[str, str]:
    """Where the first error is, as `place_of` says it, and the rule that is broken there."""
    found = error.errors(include_url=False)[0]
    return place_of(found["loc"], first), rule_of(found)


def told(error: ValidationError, first: int = 0) -> str:
    """The first error, as `steps.2.type: must be text, not a number`; no place if it is the whole."""
    place, rule = first_wrong(error, first)
    return f"{place}: {rule}" if place else rule


def place_of(steps: tuple[int | str, ...], first: int = 0) -> str:
    """`steps.2.type`; entries of lists are counted from `first`. Blank for the whole."""
    # what has a bracket names an alternative of the schema, and nothing that anybody wrote
    named = [step for step in steps if isinstance(step, int) or "[" not in step]
    return ".".join(str(step + first) if isinstance(step, int) else step for step in named)


def rule_of(error: Mapping[str, Any], given: bool = True) -> str:
    """What has to be, from an entry of `errors()`: `must be a list`; with `given` also what was there."""
    kind, limits = error["type"], error.get("ctx", {})
    if kind in _WANTED:
        return f"must be {_WANTED[kind]}{_instead(error['input'], _WANTED[kind]) if given else ''}"
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        return words.format(_number(limits[name]))
    if kind in _SIZES:
        name, words = _SIZES[kind]
        what = ("character", "") if isinstance(error["input"], str) else ("entry", "entries")
        return words.format(counted(limits[name], *what))
    match kind:
        case "missing":
            return "is required"
        case "extra_forbidden":
            return "is no field here; leave it out"
        case "enum" | "literal_error":
            word = f", not {_word(error['input'])}" if given else ""
            return f"must be {_one_of(str(limits['expected']))}{word}"
        case "json_invalid":
            return f"is not valid JSON: {limits['error']}"
        case "string_pattern_mismatch":
            return f"does not match {limits['pattern']}"
        case _:
            plain = str(error["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")
            return plain.replace("Input should be", "must be")


def _one_of(expected: str) -> str:
    """From `'a', 'b' or 'c'`, as the library lists them."""
    words = expected.replace("'", "")
    return f"one of {words}" if "," in words else words


def _instead(value: Any, wanted: str) -> str:
    """`, not a number`; blank where that would not tell the two apart."""
    found = _kind_of(value)
    return f", not {found}" if found and found.removeprefix("a ") not in wanted else ""


def _kind_of(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list() | tuple():
            return "a list"
        case Mapping():
            return "an object"
        case _:
            return ""


def _word(value: Any) -> str:
    """The word itself, or what kind of thing it is."""
    return repr(value[:_LONGEST]) if isinstance(value, str) else _kind_of(value) or "that"


def _number(limit: float) -> str:
    return f"{int(limit):,}" if limit == int(limit) else f"{limit:g}"
