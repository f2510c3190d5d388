"""What the ledger keeps of a text: one line, tame, short, whatever came."""

import pytest

from states.ledger import LONGEST, cut


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("plain", "plain"),
        ("two\nlines\tand  blanks", "two lines and blanks"),
        ("a\x1b[31mred\x1b]0;title\x07", "a[31mred]0;title"),
        ("right\u202eleft\u200b", "rightleft"),
        ("half \ud800 a character", "half  a character"),
        ("\x00", ""),
        (5, "5"),
    ],
)
def test_one_tame_line(text: object, kept: str) -> None:
    assert cut(text) == kept


@pytest.mark.parametrize("text", ["z" * 20_000, "\x1b" + "z" * 20_000])
def test_a_long_text_is_cut(text: str) -> None:
    assert cut(text) == "z" * (LONGEST - 1) + "…"
