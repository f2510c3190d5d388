"""A job as text: its answers, and how long something took."""

from datetime import UTC, datetime, timedelta

import pytest

from phasegate.screen.job import choices, duration
from states.record import QuestionState
from states.review import QuestionRef


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (59, "59s"), (60, "1m00s"), (3_599, "59m59s"), (8_040, "2h14m"), (90_000, "1d1h")],
)
def test_duration(seconds: int, text: str) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    assert duration(start, start + timedelta(seconds=seconds)) == text


def test_the_recommended_answer_comes_first_and_once() -> None:
    ref = QuestionRef(id="q1", text="Which one of these?", choices=("a", "b", "c"), recommended="b")
    assert choices(QuestionState(ref=ref)) == ("b", "a", "c")
