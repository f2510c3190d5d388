"""Signing in."""

from deskly.auth.legacy import LegacyAuthService
from deskly.auth.oauth2 import OAuth2Service

__all__ = ["LegacyAuthService", "OAuth2Service"]
