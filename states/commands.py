"""How far the commands of a plan may go (issue: Act): what a job may ask for, in numbers and patterns."""

from pydantic import Field

from states.artifacts.base import Piece, Text


class CommandPolicy(Piece):
    """Which commands run without asking besides the worker's own list, and within which limits."""

    allow: tuple[Text, ...] = Field(default=(), max_length=100)
    """beyond the default list of build and test tools; a trailing `*` stands for any further words"""
    seconds: float = Field(default=600, gt=0, le=24 * 3600)
    output_bytes: int = Field(default=20_000_000, gt=0, le=1_000_000_000)
    processes: int = Field(default=256, gt=0, le=100_000)
    memory_bytes: int = Field(default=4 * 1024**3, gt=0)
