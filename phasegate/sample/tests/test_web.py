import pytest

from deskly.auth import LegacyAuthService
from deskly.settings import Settings
from deskly.web import Web


@pytest.fixture
def web(users, sessions, tickets, clock):
    return Web(LegacyAuthService(users, sessions, clock), tickets, Settings())


def test_signing_in_sets_the_cookie(web):
    page, cookies = web.sign_in("ada", "lovelace")
    assert page == (303, "/tickets")
    assert web.my_tickets(cookies) == (200, "")


def test_a_page_without_a_cookie_leads_to_the_form(web):
    assert web.my_tickets({}) == (303, "/sign-in")


def test_signing_out_ends_the_session(web):
    _, cookies = web.sign_in("ada", "lovelace")
    web.sign_out(cookies)
    assert web.my_tickets(cookies) == (303, "/sign-in")
