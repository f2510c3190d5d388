"""Text of strangers in a prompt: stripped of what cannot be seen, and fenced so that it cannot get out.

A fence's boundary is made of the text's own digest, and made anew until the text does not hold it: no text
can close its own fence, and equal texts give equal bytes.
"""

import hashlib
from typing import Any

from activities.plain_text import strip_control, strip_line
from states.artifacts.base import canonical_json

MOST_CHARACTERS = 40_000
"""of one fenced text; the rest can be read with the repository tools"""
_BOUNDARY_DIGITS = 12


class Told(str):
    """Text that the machine wrote or fenced. Nothing else may stand bare in a prompt."""

    __slots__ = ()


def cleaned(value: Any) -> Any:
    """JSON with every text and key in it stripped of what cannot be seen."""
    match value:
        case str():
            return strip_control(value)
        case dict():
            return {strip_control(str(key)): cleaned(each) for key, each in value.items()}
        case list() | tuple():
            return [cleaned(each) for each in value]
        case _:
            return value


def fence(label: str, value: Any, most: int = MOST_CHARACTERS) -> Told:
    """A text, or anything else as compact JSON, between two lines that it cannot forge."""
    text = strip_control(value) if isinstance(value, str) else canonical_json(cleaned(value)).decode()
    if len(text) > most:
        text = f"{text[:most]}\n[cut here: {most:,} of {len(text):,} characters are shown]"
    name = strip_line(label)
    boundary = _boundary(name, text)
    return Told(f"<data-{boundary} {name}>\n{text}\n</data-{boundary}>")


def _boundary(name: str, text: str) -> str:
    found = ""
    while not found or found in text or found in name:
        found = hashlib.sha256(f"{found}\0{name}\0{text}".encode()).hexdigest()[:_BOUNDARY_DIGITS]
    return found
