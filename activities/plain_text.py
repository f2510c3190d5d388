"""Text of strangers made plain for models: nothing in it that a person would not see."""

import re

_BREAKS = re.compile("\r\n")
_SPACES = re.compile("[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Overrides of direction and invisible characters can hide orders to a model from whoever reviews the file;
# selectors of variants and tags can spell whole texts behind one letter.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u115f\u1160\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
_SURROGATES = re.compile("[\ud800-\udfff]")


def strip_control(text: str) -> str:
    """The text without control and invisible characters. Newlines and tabs stay, CRLF becomes a newline,
    other line and page breaks a space; what is no character at all becomes U+FFFD."""
    spaced = _SPACES.sub(" ", _BREAKS.sub("\n", text))
    return _SURROGATES.sub("\ufffd", _UNSEEN.sub("", spaced))


def strip_line(text: str, longest: int = 300) -> str:
    """The same on one line, for names and short quotes; cut after `longest` characters."""
    line = strip_control(text[: 8 * longest]).replace("\n", " ").replace("\t", " ")
    return line if len(line) <= longest else f"{line[:longest]}..."
