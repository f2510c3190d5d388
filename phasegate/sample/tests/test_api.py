import pytest

from deskly.api import Api
from deskly.auth import OAuth2Service
from deskly.settings import Settings


@pytest.fixture
def api(users, tokens, tickets, clock):
    return Api(OAuth2Service(users, tokens, Settings(), clock), tickets)


def test_a_ticket_is_created_and_shown(api):
    _, token = api.create_token("ada", "lovelace")
    status, ticket = api.create_ticket(token["access_token"], "The printer is on fire")
    assert status == 201
    assert api.show_ticket(token["access_token"], ticket["id"])[1]["subject"] == "The printer is on fire"


def test_without_a_token_nothing_works(api):
    assert api.create_ticket("nonsense", "Hello")[0] == 401


def test_a_missing_ticket_is_not_found(api):
    _, token = api.create_token("ada", "lovelace")
    assert api.show_ticket(token["access_token"], 7)[0] == 404
