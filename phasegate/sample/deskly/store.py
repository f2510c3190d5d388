"""Where things are kept: in memory, behind small classes that a database could replace."""

from deskly.errors import NotFound
from deskly.models import AccessToken, Session, Ticket, User


class UserStore:
    """People by name."""

    def __init__(self) -> None:
        self._users: dict[str, User] = {}

    def add(self, user: User) -> None:
        """Keep a person; an older one of the same name is replaced."""
        self._users[user.name] = user

    def get(self, name: str) -> User | None:
        """The person, None when there is no such name."""
        return self._users.get(name)


class SessionStore:
    """Web sessions by id."""

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}

    def save(self, session: Session) -> None:
        """Keep a session under its id."""
        self._sessions[session.id] = session

    def get(self, session_id: str) -> Session | None:
        """The session, None when there is no such id."""
        return self._sessions.get(session_id)

    def delete(self, session_id: str) -> None:
        """Forget a session; an unknown id is no error."""
        self._sessions.pop(session_id, None)

    def __len__(self) -> int:
        return len(self._sessions)


class TokenStore:
    """Access tokens by value."""

    def __init__(self) -> None:
        self._tokens: dict[str, AccessToken] = {}

    def save(self, token: AccessToken) -> None:
        """Keep a token."""
        self._tokens[token.value] = token

    def get(self, value: str) -> AccessToken | None:
        """The token, None when it is unknown or revoked."""
        return self._tokens.get(value)

    def revoke(self, value: str) -> None:
        """Forget a token; an unknown one is no error."""
        self._tokens.pop(value, None)


class TicketStore:
    """Tickets by number."""

    def __init__(self) -> None:
        self._tickets: dict[int, Ticket] = {}

    def open(self, author: str, subject: str) -> Ticket:
        """A new ticket with the next number."""
        ticket = Ticket(id=len(self._tickets) + 1, author=author, subject=subject)
        self._tickets[ticket.id] = ticket
        return ticket

    def get(self, ticket_id: int) -> Ticket:
        """The ticket. Raises NotFound."""
        if ticket_id not in self._tickets:
            raise NotFound(f"there is no ticket {ticket_id}")
        return self._tickets[ticket_id]

    def of(self, author: str) -> list[Ticket]:
        """Everything that one person asked."""
        return [ticket for ticket in self._tickets.values() if ticket.author == author]
