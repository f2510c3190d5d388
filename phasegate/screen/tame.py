"""Text of strangers made safe to print: what a repository holds must not steer the reader's terminal."""

import re

_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Shown and not dropped: two files whose names differ by an escape must not look like one.
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
# Right-to-left overrides and invisible characters can make code read as what it is not: show them.
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e0fff]"
)
_SURROGATES = re.compile("[\ud800-\udfff]")


def tame(text: object) -> str:
    """The text with control and invisible characters named, as `<U+001B>`; newlines and tabs stay."""
    plain = _CONTROLS.sub(_named, _LINE_ENDS.sub("\n", str(text)))
    return _SURROGATES.sub("\ufffd", _INVISIBLE.sub(_named, plain))


def tame_line(text: object, longest: int = 400) -> str:
    """The same in one line of at most `longest` characters."""
    line = " ".join(tame(text).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _named(found: re.Match[str]) -> str:
    return f"<U+{ord(found[0]):04X}>"
