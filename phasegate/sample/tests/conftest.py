"""One person, empty stores and a clock that stands still."""

from datetime import UTC, datetime, timedelta

import pytest

from deskly.models import User
from deskly.passwords import hash_password
from deskly.store import SessionStore, TicketStore, TokenStore, UserStore


class StoppedClock:
    """A clock that moves when a test says so."""

    def __init__(self) -> None:
        self.now = datetime(2024, 5, 1, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, minutes: float) -> None:
        self.now += timedelta(minutes=minutes)


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


@pytest.fixture
def users() -> UserStore:
    store = UserStore()
    store.add(User("ada", hash_password("lovelace")))
    return store


@pytest.fixture
def sessions() -> SessionStore:
    return SessionStore()


@pytest.fixture
def tokens() -> TokenStore:
    return TokenStore()


@pytest.fixture
def tickets() -> TicketStore:
    return TicketStore()
