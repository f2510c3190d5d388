"""Counts and times in words."""

import pytest

from states.amounts import counted, estimate_words, metric_words, seconds_words, span_words
from states.execution import Metrics


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.44, "0.4s"), (12.2, "12s"), (185, "3m05s"), (8_040, "2h14m"), (59.7, "1m00s")]
)
def test_measured_times(seconds: float, words: str) -> None:
    assert seconds_words(seconds) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0s"), (59, "59s"), (60, "1m00s"), (3_599, "59m59s"), (8_040, "2h14m"), (90_000, "1d1h")],
)
def test_spans(seconds: int, words: str) -> None:
    assert span_words(seconds) == words


@pytest.mark.parametrize(
    ("minutes", "words"),
    [
        (0, "not estimated"),
        (0.001, "1s"),
        (0.5, "30s"),
        (1.5, "1m30s"),
        (2, "2m"),
        (10, "10m"),
        (90.5, "1h30m"),
        (120, "2h"),
        (1800, "30h"),
    ],
)
def test_estimates_are_round_and_nothing_is_none(minutes: float, words: str) -> None:
    assert estimate_words(minutes) == words


def test_counts() -> None:
    assert counted(0, "line") == "0 lines"
    assert counted(1, "line") == "1 line"
    assert counted(1200, "line") == "1,200 lines"


def test_what_happened() -> None:
    assert metric_words(Metrics()) == ""
    assert metric_words(Metrics(files_created=2, lines_changed=9, commands_executed=1)) == (
        "files: 2 created, 9 lines changed; 1 command"
    )
    assert metric_words(Metrics(files_modified=1, lines_changed=1, errors=1, tests_failed=1)) == (
        "files: 1 modified, 1 line changed; tests: 1 failed; 1 error"
    )
