"""What an operator can change."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True)
class Settings:
    """Limits and names. Defaults suit a small team."""

    token_lifetime: timedelta = timedelta(hours=1)
    cookie_name: str = "deskly_session"
    max_open_tickets: int = 50
