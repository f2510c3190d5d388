"""What browsers see. Every page but the sign-in form needs a session cookie."""

from deskly.auth import LegacyAuthService
from deskly.errors import AuthError
from deskly.settings import Settings
from deskly.store import TicketStore

Page = tuple[int, str]


class Web:
    """The web pages."""

    def __init__(self, auth: LegacyAuthService, tickets: TicketStore, settings: Settings) -> None:
        self._auth = auth
        self._tickets = tickets
        self._settings = settings

    def sign_in(self, name: str, password: str) -> tuple[Page, dict[str, str]]:
        """POST /sign-in: the page and the cookies to set."""
        try:
            session = self._auth.sign_in(name, password)
        except AuthError as error:
            return (401, str(error)), {}
        return (303, "/tickets"), {self._settings.cookie_name: session.id}

    def my_tickets(self, cookies: dict[str, str]) -> Page:
        """GET /tickets: one line per ticket of the person who is signed in."""
        try:
            user = self._auth.authenticate(cookies.get(self._settings.cookie_name, ""))
        except AuthError:
            return 303, "/sign-in"
        return 200, "\n".join(f"#{ticket.id} {ticket.subject}" for ticket in self._tickets.of(user.name))

    def sign_out(self, cookies: dict[str, str]) -> Page:
        """POST /sign-out"""
        self._auth.sign_out(cookies.get(self._settings.cookie_name, ""))
        return 303, "/sign-in"
