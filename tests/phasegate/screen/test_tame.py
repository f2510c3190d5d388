"""What strangers wrote must not steer the reader's terminal."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasegate.screen.tame import tame, tame_line


@pytest.mark.parametrize(
    ("wild", "expected"),
    [
        ("plain text\n\twith a tab", "plain text\n\twith a tab"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[2J\x1b[1;1Hgone", "gone"),
        ("\x1b]0;a title\x07after", "after"),
        ("\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\", "click"),
        ("\x1bP1$r\x1b\\q", "q"),
        ("\x9b31mC1\x9b0m", "C1"),
        ("overwritten\rby this", "overwritten\nby this"),
        ("dos\r\nlines", "dos\nlines"),
        ("bell\x07 back\x08space\x00", "bell backspace"),
        ("user\u202egpj.exe", "user<U+202E>gpj.exe"),
        ("zero\u200bwidth", "zero<U+200B>width"),
        ("\ufefffirst", "<U+FEFF>first"),
        ("half \ud800 character", "half \ufffd character"),
        ("naïve 文字 👩‍💻", "naïve 文字 👩‍💻"),
    ],
)
def test_known_tricks(wild: str, expected: str) -> None:
    assert tame(wild) == expected


@given(st.text(st.characters(categories=("Cc", "Cs", "Cf", "L", "P")), max_size=60))
def test_nothing_that_moves_the_cursor_is_left(wild: str) -> None:
    shown = tame(wild)
    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"]
    assert tame(shown) == shown


def test_one_line_stays_one_line_and_ends() -> None:
    assert tame_line("a\n b\t\x1b[1mc") == "a b c"
    assert tame_line("x" * 500, 10) == "xxxxxxxxx…"
