"""The raw arguments of a tool call: JSON, perhaps with a fence or prose around it, never guessed at."""

import json
from typing import Any

from activities.desks.fencing import cleaned
from activities.desks.problems import Refused

MOST_BYTES = 1_000_000
"""of one submission: several times a plan of a hundred subtasks, as code is never submitted"""
MOST_LEVELS = 40
"""of nesting; artifacts have less than ten, schemas of endpoints a few more"""
_FENCE = "```"


def read_arguments(raw: str) -> dict[str, Any]:
    """The one JSON object in the arguments, without control characters in its texts. Raises Refused."""
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
    given: dict[str, Any] = cleaned(found)
    return given


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
