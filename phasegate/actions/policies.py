"""The policy of a new job: the `[policy]` table of phasegate.toml, and the flags, which win."""

import json
import os
import re
from typing import Any

from annotated_types import Ge, Le
from pydantic import ValidationError

from phasegate.places import find_config
from phasegate.problems import WrongUse
from phasegate.screen.tame import tame_line
from phasegate.settings import Settings
from states.agents import Allowance
from states.policy import Policy
from states.words import Phase
from states.wrong_input import rule_of

_TIME = re.compile(r"(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s?)?")
_TOLD = ("policy", "model", "models")
_VARIABLES = ("PHASEGATE_POLICY", "PHASEGATE_MODEL")
_FLAGS = {
    "budget_usd": "max_budget_usd",
    "budget_tokens": "max_tokens",
    "option_count": "options",
    "option_confidence_threshold": "option_confidence",
    "ranking": "weight",
}
"""fields of the policy whose flags have other names"""
_SECONDS = (604_800, 86_400, 3_600, 60, 1)


def policy_of(table: dict[str, Any], flags: dict[str, Any]) -> Policy:
    """Raises WrongUse naming the field that is wrong, and where it comes from."""
    given = {**table, **flags}
    if "keep_open" in flags:
        given.pop("keep_open_seconds", None)
    if "keep_open" in given:
        given["keep_open_seconds"] = seconds_of(str(given.pop("keep_open")))
    if "gates" in given:
        given["gates"] = _gates(given["gates"])
    try:
        return Policy.model_validate(given)
    except ValidationError as wrong:
        error = wrong.errors(include_url=False)[0]
        name = str(error["loc"][0])
        where = (
            f"--{_FLAGS.get(name, name).replace('_', '-')}"
            if name in flags
            else f"policy.{name} of the settings"
        )
        if error["type"] == "extra_forbidden":
            known = ", ".join(Policy.model_fields)
            raise WrongUse(f"the policy has no field {name!r}; it has {known}") from None
        raise WrongUse(f"{where}: {_range_of(error) or rule_of(error)}") from None


def _range_of(error: Any) -> str:
    """Both limits of a field, where it has two and its value lies outside; else blank."""
    found = Policy.model_fields[error["loc"][0]].metadata
    least = [each.ge for each in found if isinstance(each, Ge)]
    most = [each.le for each in found if isinstance(each, Le)]
    outside = error["type"] in ("greater_than_equal", "less_than_equal")
    return f"must be {least[0]:,} to {most[0]:,}" if outside and least and most else ""


def allowance_of(max_budget_usd: float | None, max_tokens: int | None) -> Allowance:
    """The two limits where there is no job, read and refused as those of one. Raises WrongUse."""
    policy = policy_of({}, {"budget_usd": max_budget_usd, "budget_tokens": max_tokens})
    return Allowance(usd=policy.budget_usd, tokens=policy.budget_tokens)


def source_of(settings: Settings) -> str:
    """What the settings decide about who is asked and what is paid; blank when they decide nothing.

    The file may have come with the repository that is planned, so nobody should have to look for it.
    """
    table = {name: value for name in _TOLD if (value := getattr(settings, name))}
    table = {**table.pop("policy", {}), **table}
    if not table:
        return ""
    named = [v for v in _VARIABLES if any(name.upper().startswith(v) for name in os.environ)]
    places = [f"the variable {name}" for name in named]
    if config := find_config():
        places.append(str(config))
    given = ", ".join(f"{name} = {json.dumps(value, default=str)}" for name, value in table.items())
    return tame_line(f"policy from {' and '.join(places)}: {given}")


def _gates(value: Any) -> Any:
    """`none` is no gate at all; VERIFIED, which has none, must not come to the same by accident."""
    names = [part.strip().lower() for part in value.split(",")] if isinstance(value, str) else value
    if names == ["none"]:
        return ()
    if isinstance(names, list) and any(str(name).strip().lower() == Phase.VERIFIED for name in names):
        raise WrongUse("gates: VERIFIED has no gate; name the phases before it, or none")
    return value


def seconds_of(text: str) -> int:
    """`7d`, `1d12h`, `90m`, `0`; a bare number is seconds. Raises WrongUse."""
    found = _TIME.fullmatch(text.strip().lower())
    if not text.strip() or found is None:
        raise WrongUse(f"--keep-open: {text[:40]!r} is no time; write 7d, 12h, 90m, 30s or 0")
    return sum(int(part) * unit for part, unit in zip(found.groups(), _SECONDS, strict=True) if part)
