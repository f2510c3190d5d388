"""Who acts: names tidied so that no spelling passes for somebody else, a policy, or a second person."""

import unicodedata

UNNAMED = "unnamed"
AI_REVIEW = "ai_review"
BEST_GUESS = "best guess"
NOT_PERSONS = ("phasegate", AI_REVIEW, BEST_GUESS, "mechanical checks", "message")
"""names under which the record keeps what nobody decided, next to all that begin with `policy:`"""
PERSON = "person:"
"""begins the source of what a person wrote"""
TEMPLATE = "template:"
"""begins the source of what a person had filled in from a template"""

_BLANK_LETTERS = "\u034f\u115f\u1160\u2800\u3164\uffa0"
"""printable as Unicode sees it, and nothing on a screen; variation selectors are the same"""


def tidy(name: str) -> str:
    """A name as it looks: without invisible characters, blanks and letter forms brought into one shape."""
    seen = "".join(c for c in unicodedata.normalize("NFKC", name) if c.isspace() or _is_visible(c))
    return " ".join(seen.split())


def same_person(one: str, other: str) -> bool:
    """Whether two names are spellings of one."""
    return person_key(one) == person_key(other)


def person_key(name: str) -> str:
    """What all spellings of one name have in common."""
    return tidy(tidy(name).casefold())


def is_reserved(name: str) -> bool:
    """Whether the record would show this name as a decision that no person took."""
    key = person_key(name).replace(" ", "").replace("_", "")
    taken = {each.replace(" ", "").replace("_", "") for each in NOT_PERSONS}
    return key.startswith("policy:") or key in taken


def is_policy(name: str) -> bool:
    """Whether a named policy stands here, and no person."""
    return name.startswith("policy:")


def is_person(name: str) -> bool:
    """Whether the record holds a person's decision under this name; blank is nobody's."""
    return bool(name) and not is_reserved(name)


def people_wrote(source: str) -> bool:
    """Whether a person put an option there: of their own, out of a template, or edited at a gate."""
    return source.startswith((PERSON, TEMPLATE))


def _is_visible(char: str) -> bool:
    selector = "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"
    return char.isprintable() and char not in _BLANK_LETTERS and not selector
