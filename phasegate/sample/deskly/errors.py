"""What can go wrong, as classes of its own."""


class DesklyError(Exception):
    """Anything that deskly refuses to do."""


class AuthError(DesklyError):
    """The person or program could not be recognised."""


class InvalidToken(AuthError):
    """A token is unknown or was revoked."""


class NotFound(DesklyError):
    """There is nothing under this id."""
