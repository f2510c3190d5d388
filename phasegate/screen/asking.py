"""Ask a person on the terminal."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager


class Left(Exception):
    """The person closed the input: there is nobody left to ask."""


def ask(prompt: str) -> str:
    """One line, stripped. Raises Left at the end of input, KeyboardInterrupt on Ctrl-C.

    What was typed before the question could be read does not count: a line too many, pasted or
    impatient, must not become a decision. Blocks the event loop: nothing may be printed into what is typed.
    """
    _forget_typed()
    with _plain_interrupt():
        try:
            return input(prompt).strip()
        except EOFError:
            print()
            raise Left from None
        except KeyboardInterrupt:
            print()
            raise


def ask_lines(prompt: str) -> str:
    """Lines up to an empty one, as one text; pasted text may come at once. Raises Left as `ask`."""
    lines = []
    line = ask(prompt)
    while line:
        lines.append(line)
        with _plain_interrupt():
            try:
                line = input("  ").rstrip()
            except EOFError:
                break
    return "\n".join(lines)


def _forget_typed() -> None:
    # readline gives prompts their arrow keys; importing it is all it takes
    import readline  # noqa: F401
    import termios

    if sys.stdin.isatty():
        termios.tcflush(sys.stdin, termios.TCIFLUSH)


@contextmanager
def unmoved() -> Iterator[None]:
    """Ctrl-C is for the program that has the terminal meanwhile, such as an editor; we stay."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _plain_interrupt() -> Iterator[None]:
    """Ctrl-C ends the question at once; asyncio's own handler would wait for the end of the line."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
