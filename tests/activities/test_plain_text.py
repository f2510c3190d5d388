"""What is left of strangers' text before a model reads it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from activities.plain_text import strip_control, strip_line


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("a\r\nb\rc", "a\nb c"),
        ("a\x1b[31mb\x00\x07\x7f\x9b", "a[31mb"),
        ("a\x0bb\x0cc\x85d\u2028e\u2029f", "a b c d e f"),
        ("pay\u202eevil\u2066\u200b\ufeff", "payevil"),
        ("\U000e0041\U000e0042ok\U000e007f\U000e0101", "ok"),
        ("l\ufe00o\ufe0fok\U000e01efed\u180b up\u180f", "looked up"),
        ("\ud800x", "\ufffdx"),
        (
            "Ümläut — 漢字 \U0001f469\u200d\U0001f680 می\u200cخواهم",
            "Ümläut — 漢字 \U0001f469\u200d\U0001f680 می\u200cخواهم",
        ),
    ],
)
def test_strip_control(text: str, plain: str) -> None:
    assert strip_control(text) == plain


def test_strip_line() -> None:
    assert strip_line("a\nb\tc\x1b") == "a b c"
    assert strip_line("x" * 301) == "x" * 300 + "..."
    assert strip_line("x" * 10**7, 5) == "xxxxx..."


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=50))
def test_any_text_becomes_encodable_and_stays_so(text: str) -> None:
    plain = strip_control(text)
    plain.encode()
    assert strip_control(plain) == plain
    assert len(strip_line(text, 10)) <= 13
    assert "\n" not in strip_line(text)
