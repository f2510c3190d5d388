"""Prompts from templates: one file per activity, its blocks `system` and `user` are the two messages."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Undefined

from activities.agent_ports import Message
from activities.desks.fencing import Told, fence

TEMPLATES = Path(__file__).parents[1] / "prompts"


class UnfencedText(TypeError):
    """A template prints text that is neither the machine's own nor fenced."""


def opening(activity: str, given: Mapping[str, Any]) -> list[Message]:
    """The system prompt and the first user message of an activity. Equal arguments give equal bytes.

    Raises UnfencedText, and jinja2.UndefinedError for a name that `given` lacks.
    """
    template = _ENVIRONMENT.get_template(f"{activity}.md.j2")
    return [
        {"role": role, "content": "".join(template.blocks[role](template.new_context(dict(given)))).strip()}
        for role in ("system", "user")
    ]


def _only_told(value: Any) -> Any:
    if isinstance(value, Told | int | Undefined):
        return value
    raise UnfencedText(f"{str(value)[:60]!r} must be fenced before it stands in a prompt")


_ENVIRONMENT = Environment(
    loader=FileSystemLoader(TEMPLATES),
    undefined=StrictUndefined,
    autoescape=False,
    finalize=_only_told,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=False,
)
_ENVIRONMENT.globals["fence"] = fence
