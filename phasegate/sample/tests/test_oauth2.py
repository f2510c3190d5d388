import pytest

from deskly.auth import OAuth2Service
from deskly.errors import AuthError, InvalidToken
from deskly.settings import Settings


@pytest.fixture
def service(users, tokens, clock):
    return OAuth2Service(users, tokens, Settings(), clock)


def test_a_token_names_its_owner(service):
    token = service.issue_token("ada", "lovelace")
    assert service.authenticate(token.value).name == "ada"


def test_a_wrong_password_gets_no_token(service):
    with pytest.raises(AuthError):
        service.issue_token("ada", "byron")


def test_a_token_expires_after_its_lifetime(service, clock):
    token = service.issue_token("ada", "lovelace")
    clock.forward(minutes=61)
    with pytest.raises(InvalidToken, match="expired"):
        service.authenticate(token.value)


def test_a_revoked_token_is_worthless(service):
    token = service.issue_token("ada", "lovelace")
    service.revoke_token(token.value)
    with pytest.raises(InvalidToken):
        service.authenticate(token.value)
