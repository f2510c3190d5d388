"""What programs call. Every call carries an access token."""

from dataclasses import asdict
from typing import Any

from deskly.auth import OAuth2Service
from deskly.errors import AuthError, NotFound
from deskly.store import TicketStore

Response = tuple[int, dict[str, Any]]


class Api:
    """The JSON API."""

    def __init__(self, auth: OAuth2Service, tickets: TicketStore) -> None:
        self._auth = auth
        self._tickets = tickets

    def create_token(self, name: str, password: str) -> Response:
        """POST /token"""
        try:
            token = self._auth.issue_token(name, password)
        except AuthError as error:
            return 401, {"error": str(error)}
        return 200, {"access_token": token.value, "token_type": "Bearer"}

    def create_ticket(self, token: str, subject: str) -> Response:
        """POST /tickets"""
        try:
            user = self._auth.authenticate(token)
        except AuthError as error:
            return 401, {"error": str(error)}
        return 201, asdict(self._tickets.open(user.name, subject))

    def show_ticket(self, token: str, ticket_id: int) -> Response:
        """GET /tickets/{id}"""
        try:
            self._auth.authenticate(token)
            return 200, asdict(self._tickets.get(ticket_id))
        except AuthError as error:
            return 401, {"error": str(error)}
        except NotFound as error:
            return 404, {"error": str(error)}
