"""Ask a person on the terminal."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_OVERTAKES = signal.SIGURG
"""ignored where no question is open"""


class Overtaken(Exception):
    """What was asked is settled: somebody else was faster."""


class Left(Exception):
    """The person closed the input: there is nobody left to ask."""


def ask(prompt: str) -> str:
    """One line, stripped. Raises Left at the end of input, KeyboardInterrupt on Ctrl-C, Overtaken.

    What was typed before the question could be read does not count: a line too many, pasted or
    impatient, must not become a decision. Blocks the event loop: nothing may be printed into what is typed.
    """
    _forget_typed()
    with _plain_interrupt():
        try:
            return _line(prompt).strip()
        except EOFError:
            print()
            raise Left from None
        except (KeyboardInterrupt, Overtaken):
            print()
            raise


def ask_lines(prompt: str) -> str:
    """Lines up to an empty one, as one text; pasted text may come at once. Raises as `ask`."""
    lines = []
    line = ask(prompt)
    while line:
        lines.append(line)
        with _plain_interrupt():
            try:
                line = _line("  ").rstrip()
            except EOFError:
                break
            except Overtaken:
                print()
                raise
    return "\n".join(lines)


def overtake() -> None:
    """From another thread: end the question that is open now, whatever was typed; nothing if none is."""
    main = threading.main_thread().ident
    assert main is not None, "it runs as long as anybody can be asked"
    signal.pthread_kill(main, _OVERTAKES)


def _line(prompt: str) -> str:
    """`input`, which a signal ends as Ctrl-C does: it gives the terminal back and drops what was typed."""
    waiting = True

    def end(*_: object) -> None:
        # one that comes later must not hit what is done with the answer
        nonlocal waiting
        if waiting:
            waiting = False
            raise Overtaken

    before = signal.signal(_OVERTAKES, end)
    try:
        line = input(prompt)
        waiting = False
    finally:
        signal.signal(_OVERTAKES, before)
    return line


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
