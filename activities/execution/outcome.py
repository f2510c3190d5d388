"""What carrying out one step came to, before it is committed."""

import time
from dataclasses import dataclass, field
from pathlib import Path

from states.execution import Metrics


@dataclass
class Outcome:
    """`asks` is what a person has to do or to allow first, `skipped` why the step was not needed."""

    error: str = ""
    asks: str = ""
    skipped: str = ""
    output: bytes = b""
    spool: Path | None = None
    """where the output is, if it is not in `output`"""
    tail: str = ""
    notes: list[str] = field(default_factory=list)
    metrics: Metrics = field(default_factory=Metrics)
    leave_out: str = ""
    """a path that the step made only to be read, such as a report of tests"""
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return round(time.monotonic() - self.began, 3)


class StepFailed(Exception):
    """One sentence: why a step cannot be done. Nothing that it did stays."""
