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
        ("\x1b[31mred\x1b[0m", "<U+001B>[31mred<U+001B>[0m"),
        ("\x1b[2J\x1b[1;1Hgone", "<U+001B>[2J<U+001B>[1;1Hgone"),
        ("\x1b]0;a title\x07after", "<U+001B>]0;a title<U+0007>after"),
        ("\x1b]8;;x\x1b\\click\x1b]8;;\x1b\\", "<U+001B>]8;;x<U+001B>\\click<U+001B>]8;;<U+001B>\\"),
        ("\x1bP1$r\x1b\\q", "<U+001B>P1$r<U+001B>\\q"),
        ("\x9b31mC1\x9b0m", "<U+009B>31mC1<U+009B>0m"),
        ("overwritten\rby this", "overwritten\nby this"),
        ("dos\r\nlines", "dos\nlines"),
        ("bell\x07 back\x08space\x00", "bell<U+0007> back<U+0008>space<U+0000>"),
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
    assert tame_line("a\n b\t\x1b[1mc") == "a b <U+001B>[1mc"
    assert tame_line("x" * 500, 10) == "xxxxxxxxx…"
