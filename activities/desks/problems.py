"""What is wrong with a submission, as a short numbered list that a model can work off."""

from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from activities.plain_text import strip_line
from states.artifacts.base import canonical_json
from states.wrong_input import rule_of

MOST = 20
"""problems told at once; mending these usually mends the rest"""
_NO_VALUE = ("missing", "too_long", "too_short", "string_too_long")


_MEND = "not accepted; mend this and submit the whole of it again:"


class Refused(Exception):
    """A submission that is not taken; the message is for the model."""

    @property
    def findings(self) -> str:
        """What is wrong, in one line for people."""
        return "; ".join(str(self).removeprefix(_MEND).strip().splitlines())


@dataclass
class Problems:
    """Collects what is wrong, field by field."""

    found: list[str] = field(default_factory=list)

    def add(self, where: str, rule: str, value: Any = None) -> None:
        """One problem: a field as `subtasks[0].title`, the rule that it breaks, the value given."""
        given = "" if value is None else f" (given: {strip_line(_shown(value), 100)})"
        self.found.append(f"{strip_line(where, 200)}: {strip_line(rule, 400)}{given}")

    def raise_any(self) -> None:
        """Raises Refused when there is a problem."""
        if self.found:
            raise Refused(self.text())

    def text(self) -> str:
        """The list, numbered, and how much longer it is than shown."""
        problems = list(dict.fromkeys(self.found))
        rows = [f"{number}. {each}" for number, each in enumerate(problems[:MOST], 1)]
        rows += [f"and {len(problems) - MOST} more"] if len(problems) > MOST else []
        return "\n".join([_MEND, *rows])


def problems_of(error: ValidationError) -> Problems:
    """The problems that pydantic found, without its addresses and class names."""
    found = Problems()
    errors = error.errors(include_url=False)
    for each in errors:
        where = each["loc"]
        # a list is also called too short because its bad entries do not count
        deeper = any(other["loc"][: len(where)] == where and other is not each for other in errors)
        if not (each["type"] == "too_short" and deeper):
            found.add(
                _where(where),
                rule_of(each, given=False),
                None if each["type"] in _NO_VALUE else each["input"],
            )
    return found


def _where(steps: tuple[int | str, ...]) -> str:
    text = ""
    for step in steps:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.removeprefix(".") or "the arguments"


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return repr(value[:200])
    try:
        return canonical_json(value).decode()[:200]
    except (TypeError, ValueError):  # not JSON, as a set of a default: its kind says enough
        return type(value).__name__
