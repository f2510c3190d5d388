"""Signing in with a cookie."""

import secrets

from deskly.clock import Clock, system_clock
from deskly.errors import AuthError
from deskly.models import Session, User
from deskly.passwords import verify_password
from deskly.store import SessionStore, UserStore


class LegacyAuthService:
    """Keeps the cookie sessions of the web pages (older)."""

    def __init__(self, users: UserStore, sessions: SessionStore, clock: Clock = system_clock) -> None:
        self._users = users
        self._sessions = sessions
        self._clock = clock

    def sign_in(self, name: str, password: str) -> Session:
        """Start a session. Raises AuthError."""
        user = self._users.get(name)
        if user is None or not verify_password(password, user.password_hash):
            raise AuthError("unknown name or wrong password")
        session = Session(id=secrets.token_urlsafe(24), user=name, started=self._clock())
        self._sessions.save(session)
        return session

    def authenticate(self, session_id: str) -> User:
        """The person behind a session. Raises AuthError when nobody is signed in."""
        session = self._sessions.get(session_id)
        user = self._users.get(session.user) if session and not session.ended else None
        if user is None:
            raise AuthError("please sign in")
        return user

    def sign_out(self, session_id: str) -> None:
        """End a session; it stays in the store for the audit page."""
        session = self._sessions.get(session_id)
        if session is not None:
            session.ended = True
            self._sessions.save(session)
