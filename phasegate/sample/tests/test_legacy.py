import pytest

from deskly.auth import LegacyAuthService
from deskly.errors import AuthError


@pytest.fixture
def service(users, sessions, clock):
    return LegacyAuthService(users, sessions, clock)


def test_a_session_names_its_owner(service):
    session = service.sign_in("ada", "lovelace")
    assert service.authenticate(session.id).name == "ada"


def test_a_wrong_password_starts_no_session(service, sessions):
    with pytest.raises(AuthError):
        service.sign_in("ada", "byron")
    assert len(sessions) == 0


def test_a_session_that_was_ended_is_refused(service):
    session = service.sign_in("ada", "lovelace")
    service.sign_out(session.id)
    with pytest.raises(AuthError):
        service.authenticate(session.id)


def test_today_a_session_never_expires(service, clock):
    session = service.sign_in("ada", "lovelace")
    clock.forward(minutes=60 * 24 * 30)
    assert service.authenticate(session.id).name == "ada"
