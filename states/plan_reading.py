"""Plans as models and people write them: the seed's form and the richer one, brought into one shape.

HelixCode seed, parseOptions, and the prompt's schema. Nothing is guessed: what is missing stays missing, and
the checks of `states.option_checks` say so.
"""

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from states.artifacts.plan import Plan, PlanOption
from states.wrong_input import told

_FENCED = re.compile(r"```[A-Za-z]*\s*\n(.*?)```", re.S)
_DURATION = re.compile(
    r"(?:(\d+(?:\.\d+)?)\s*h[a-z]*)?\s*(?:(\d+(?:\.\d+)?)\s*m[a-z]*)?\s*(?:(\d+(?:\.\d+)?)\s*s[a-z]*)?", re.I
)
_WORDS = ("type", "impact", "likelihood", "complexity", "kind", "status")
_ALSO = {
    "probability": "likelihood",
    "risk": "description",
    "estimated_time": "estimated_minutes",
    "estimated_duration": "estimated_minutes",
    "name": "title",
    "depends_on": "dependencies",
}
"""other names of fields that are in use"""


class BadPlan(ValueError):
    """What was written is no plan. The text says which field, in one sentence."""


def plan_object(text: str) -> dict[str, Any]:
    """The JSON object in a text, in a fence or with prose around it. Raises BadPlan."""
    first, last = text.find("{"), text.rfind("}")
    for candidate in (text, *_FENCED.findall(text), text[first : last + 1] if 0 <= first < last else ""):
        try:
            found = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return found
    raise BadPlan("there is no JSON object in it")


def read_plan(written: Mapping[str, Any]) -> Plan:
    """A plan from an object in either form. Raises BadPlan."""
    return read_option({"id": "plan", **written}).plan


def read_option(written: Mapping[str, Any], **more: str) -> PlanOption:
    """An option from an object in either form; `more` are fields of the option that win. Raises BadPlan."""
    try:
        return PlanOption.model_validate({**shaped(written), **more})
    except ValidationError as wrong:
        raise BadPlan(_as_written(told(wrong, first=1), written)) from None


def strange_field(written: Mapping[str, Any]) -> str:
    """The first name in an option, such as `plan.steps.1.typ`, that is no field's; blank if all are known."""
    return _as_written(next(_strange(PlanOption, shaped(written), ""), ""), written)


def _as_written(place: str, written: Mapping[str, Any]) -> str:
    """A place in an option as whoever wrote it finds it: the plan may stand there without its name."""
    return place if isinstance(written.get("plan"), Mapping) else place.removeprefix("plan.")


def _strange(model: type[BaseModel], given: Mapping[str, Any], where: str) -> Iterator[str]:
    for name, value in given.items():
        known = model.model_fields.get(name)
        if known is None:
            yield f"{where}{name}"
            continue
        kinds = (known.annotation, *get_args(known.annotation))
        inner = next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)
        if inner and isinstance(value, Mapping):
            yield from _strange(inner, value, f"{where}{name}.")
        elif inner and isinstance(value, list):
            for number, each in enumerate(value, 1):
                if isinstance(each, Mapping):
                    yield from _strange(inner, each, f"{where}{name}.{number}.")


def shaped(written: Mapping[str, Any]) -> dict[str, Any]:
    """The object with the fields of PlanOption, not validated: the plan nested or not, words in any case."""
    given = dict(written)
    body = given.pop("plan", None)
    if not isinstance(body, Mapping):
        own = ("title", "description", "steps", "risks", "estimates")
        body = {name: given[name] for name in own if name in given}
        given = {name: value for name, value in given.items() if name not in ("steps", "risks", "estimates")}
    plan = dict(body)
    plan.setdefault("title", given.get("title", ""))
    if isinstance(steps := plan.get("steps"), list):
        plan["steps"] = [_step(number, step) for number, step in enumerate(steps, 1)]
    if isinstance(risks := plan.get("risks"), list):
        plan["risks"] = [_risk(risk) for risk in risks]
    if isinstance(estimates := plan.get("estimates"), Mapping):
        plan["estimates"] = _estimates(estimates)
    return {**given, "plan": plan}


def _step(number: int, step: Any) -> Any:
    if isinstance(step, str):
        step = {"title": step}
    if not isinstance(step, Mapping):
        return step
    found = _renamed(step)
    title = found.get("title") or found.get("action") or found.get("description") or ""
    found["title"] = str(title).strip().split("\n")[0]
    found["id"] = str(found.get("id") or f"step-{number}")
    found["action"] = found.get("action") or found.get("command") or found.get("description") or ""
    waits = found.get("dependencies")
    if isinstance(waits, str | int):
        waits = [waits]
    if isinstance(waits, list):
        found["dependencies"] = [str(each) for each in waits]
    if "estimated_minutes" in found:
        found["estimated_minutes"] = minutes_of(found["estimated_minutes"])
    if isinstance(condition := found.get("condition"), Mapping):
        found["condition"] = _condition(condition)
    if isinstance(files := found.get("files"), list):
        found["files"] = [_file(file) if isinstance(file, Mapping) else file for file in files]
    return found


def _condition(condition: Mapping[str, Any]) -> dict[str, Any] | None:
    """None where it names neither a step nor a path."""
    found = _renamed(condition)
    if not found.get("path"):
        found.pop("path", None)
    return found if found.get("step") or "path" in found else None


def _file(file: Mapping[str, Any]) -> dict[str, Any]:
    found = _renamed(file)
    if not found.get("to"):
        found.pop("to", None)
    return found


def _risk(risk: Any) -> Any:
    return (
        {"description": risk}
        if isinstance(risk, str)
        else _renamed(risk)
        if isinstance(risk, Mapping)
        else risk
    )


def _estimates(estimates: Mapping[str, Any]) -> dict[str, Any]:
    found = _renamed(estimates)
    written = found.pop("duration", None)
    if "duration_minutes" not in found and written is not None:
        found["duration_minutes"] = minutes_of(written)
    confidence = found.get("confidence")
    if isinstance(confidence, str) and confidence.strip().endswith("%"):
        # what is no number stays as it is: the model of the option says what is wrong with it
        with contextlib.suppress(ValueError):
            found["confidence"] = float(confidence.strip().removesuffix("%")) / 100
    return found


def minutes_of(written: Any) -> Any:
    """Minutes of `90`, `2h30m`, `45 minutes` or `30s`; anything else stays as it is, to be refused."""
    if not isinstance(written, str):
        return written
    text = written.strip()
    found = _DURATION.fullmatch(text)
    if not text or found is None or not any(found.groups()):
        return written
    hours, minutes, seconds = (float(part or 0) for part in found.groups())
    return hours * 60 + minutes + seconds / 60


def _renamed(given: Mapping[str, Any]) -> dict[str, Any]:
    """Fields under their own names, words of enums as ours are, null as not given."""
    found = {_ALSO.get(name, name): value for name, value in given.items() if value is not None}
    for name in _WORDS:
        if isinstance(word := found.get(name), str):
            found[name] = re.sub(r"[\s-]+", "_", word.strip().lower())
    return found
