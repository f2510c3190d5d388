"""Signing in with access tokens."""

import secrets

from deskly.clock import Clock, system_clock
from deskly.errors import AuthError, InvalidToken
from deskly.models import AccessToken, User
from deskly.passwords import verify_password
from deskly.settings import Settings
from deskly.store import TokenStore, UserStore


class OAuth2Service:
    """Issues and checks the access tokens of the API (newer)."""

    def __init__(
        self, users: UserStore, tokens: TokenStore, settings: Settings, clock: Clock = system_clock
    ) -> None:
        self._users = users
        self._tokens = tokens
        self._settings = settings
        self._clock = clock

    def issue_token(self, name: str, password: str) -> AccessToken:
        """A fresh token for a person. Raises AuthError."""
        user = self._users.get(name)
        if user is None or not verify_password(password, user.password_hash):
            raise AuthError("unknown name or wrong password")
        token = AccessToken(secrets.token_urlsafe(24), name, self._clock() + self._settings.token_lifetime)
        self._tokens.save(token)
        return token

    def authenticate(self, value: str) -> User:
        """The person behind a token. Raises InvalidToken."""
        token = self._tokens.get(value)
        user = self._users.get(token.user) if token else None
        if token is None or user is None:
            raise InvalidToken("the token is unknown or was revoked")
        if token.expires <= self._clock():
            self._tokens.revoke(value)
            raise InvalidToken("the token has expired")
        return user

    def revoke_token(self, value: str) -> None:
        """Make a token worthless from now on."""
        self._tokens.revoke(value)
