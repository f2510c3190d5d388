"""The raw arguments of a tool call: JSON, perhaps with a fence or prose around it, never guessed at."""

import json
from typing import Any

from pydantic import ValidationError

from activities.desks.fencing import cleaned
from activities.desks.problems import Refused

MOST_BYTES = 1_000_000
"""of one submission: several times a plan of a hundred subtasks, as code is never submitted"""
MOST_LEVELS = 40
"""of nesting; artifacts have less than ten, schemas of endpoints a few more"""
_FENCE = "```"
_WANTED: dict[str, type] = {"tuple_type": list, "list_type": list, "dict_type": dict, "model_type": dict}
"""what pydantic misses, by the name of its error"""


def read_arguments(raw: str, *, exact: bool = False) -> dict[str, Any]:
    """The one JSON object in the arguments, without control characters in its texts unless they are wanted
    `exact`, as code is. Raises Refused."""
    size = len(raw.encode("utf-8", "replace"))
    if size > MOST_BYTES:
        raise Refused(
            f"the arguments have {size:,} bytes, at most {MOST_BYTES:,} are taken; point at code by place "
            "instead of copying it, and shorten the texts"
        )
    found = _read(raw.strip() or "{}")
    if not isinstance(found, dict):
        raise Refused(f"the arguments must be one JSON object, not {_kind(found)}")
    if _deeper(found, MOST_LEVELS):
        raise Refused(f"the arguments are nested more than {MOST_LEVELS} levels deep; flatten them")
    given: dict[str, Any] = found if exact else cleaned(found)
    return given


def unpack(given: dict[str, Any], error: ValidationError) -> bool:
    """Put lists and objects that were sent as JSON texts in their places, where the schema wants them.

    Whether anything was. Each text is read once: what it holds is no text any more.
    """
    found = False
    for each in error.errors(include_url=False):
        wanted, text = _WANTED.get(each["type"]), each["input"]
        if wanted is None or not isinstance(text, str):
            continue
        place, last = _place(given, each["loc"])
        inside = _unpacked(text, wanted)
        if inside is not None and place is not None and place[last] == text:
            place[last] = inside
            found = True
    return found


def _place(given: dict[str, Any], steps: tuple[int | str, ...]) -> tuple[Any, int | str]:
    """The list or object that holds what `steps` lead to, and the last step; None where they lead nowhere."""
    here: Any = given
    try:
        for step in steps[:-1]:
            here = here[step]
        here[steps[-1]]
    except (LookupError, TypeError):  # the steps also name alternatives of a schema
        return None, ""
    return here, steps[-1]


def _unpacked(text: str, wanted: type) -> Any:
    try:
        found = _json(text)
    except ValueError:  # a text, as it seemed
        return None
    return cleaned(found) if isinstance(found, wanted) and not _deeper(found, MOST_LEVELS) else None


def _read(text: str) -> Any:
    try:
        return _json(text)
    except ValueError as problem:
        found = _objects(_fenced(text)) or _objects(_braced(text))
        if len(found) != 1:
            more = "; give one JSON object and nothing else" if found else ""
            raise Refused(f"the arguments are not valid JSON: {_told(problem)}{more}") from None
        return found[0]


def _objects(candidates: list[str]) -> list[Any]:
    found = []
    for candidate in candidates:
        try:
            found.append(_json(candidate))
        except ValueError:  # not JSON either: the first problem is what the model is told
            continue
    return found


def _fenced(text: str) -> list[str]:
    """What stands between pairs of fences, without the word that names the language."""
    return [part.lstrip().removeprefix("json").removeprefix("JSON") for part in text.split(_FENCE)[1::2]]


def _braced(text: str) -> list[str]:
    """What stands between the first and the last brace, where prose is around it."""
    first, last = text.find("{"), text.rfind("}")
    return [text[first : last + 1]] if 0 <= first < last else []


def _deeper(value: Any, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    inside = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_deeper(each, levels - 1) for each in inside)


def _json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")


def _told(problem: ValueError) -> str:
    if isinstance(problem, json.JSONDecodeError):
        return f"{problem.msg} at line {problem.lineno}, column {problem.colno}"
    return str(problem)[:200]


def _kind(value: Any) -> str:
    return {list: "a list", str: "a text", bool: "true or false", type(None): "null"}.get(
        type(value), "a number"
    )
