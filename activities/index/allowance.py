"""How long one text may hold a parser: there is none that cannot be held for hours by a text made for it."""

import time

SECONDS = 5.0
"""of processor time: a hundred times what a text of the largest size takes when it is no attack"""


class TookTooLong(Exception):
    """A text has used its allowance up."""


class Allowance:
    """Processor time of the thread that made it."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._end = time.thread_time() + seconds

    def over(self) -> bool:
        """Whether it is used up."""
        return time.thread_time() > self._end

    def check(self) -> None:
        """Raise TookTooLong once it is used up."""
        if self.over():
            raise TookTooLong
