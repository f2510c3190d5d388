"""The things that deskly knows about."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class User:
    """A person who can sign in."""

    name: str
    password_hash: str
    scopes: frozenset[str] = frozenset({"tickets"})


@dataclass
class Session:
    """A browser that is signed in."""

    id: str
    user: str
    started: datetime
    ended: bool = False


@dataclass(frozen=True)
class AccessToken:
    """What a program shows with every call of the API."""

    value: str
    user: str
    expires: datetime


@dataclass
class Ticket:
    """A question that somebody has to answer."""

    id: int
    author: str
    subject: str
    replies: list[str] = field(default_factory=list)
