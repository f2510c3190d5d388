"""Takes secrets out of texts that providers and libraries wrote, before anyone keeps or shows them."""

import re
from collections.abc import Mapping

HIDDEN = "[redacted]"
_SHORTEST = 6
"""characters; shorter values of variables are no secrets, and would be found in harmless words"""

_SECRET_NAME = re.compile(
    r"key|token|secret|passw|credential|auth|bearer|cookie|private|signature|session|_dsn|conn(ection)?_?str",
    re.I,
)
_HARMLESS_VALUE = re.compile(r"true|false|yes|no|\d{1,5}|/[\w./-]*", re.I)
_URL_USER = re.compile(r"(?<=://)[^/\s@]+(?=@)")
_PARAMETER = re.compile(r"(?i)([?&](?:api[-_]?)?(?:key|token|secret|password|sig|signature)=)[^&\s\"']+")
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{6,}")
_KEY = re.compile(r"\b(?:sk|pk|rk|gsk|xai|hf|ghp|gho|AIza|AKIA|ASIA)[-_]?[\w*-]{12,}|\bsk-[\w*-]{4,}")
"""what keys of the usual providers look like, also when the provider has starred their middle"""


def redacted(text: str, environment: Mapping[str, str]) -> str:
    """The text without the values of secret-looking variables, keys, bearer tokens and users of URLs."""
    values = {
        part
        for name, value in environment.items()
        if _SECRET_NAME.search(name)
        for part in {value, value.strip()}
        if len(part) >= _SHORTEST and not _HARMLESS_VALUE.fullmatch(part)
    }
    for value in sorted(values, key=lambda value: (-len(value), value)):
        text = text.replace(value, HIDDEN)
    text = _URL_USER.sub(HIDDEN, _PARAMETER.sub(rf"\1{HIDDEN}", text))
    return _KEY.sub(HIDDEN, _BEARER.sub(rf"\1 {HIDDEN}", text))
