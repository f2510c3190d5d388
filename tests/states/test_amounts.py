"""Counts and times in words."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from states.amounts import counted, estimate_words, metric_words, seconds_words, span_words
from states.execution import Metrics

NEVER_ONE = {
    "activities/desks/fencing.py",
    "activities/desks/shown.py",
    "activities/deterministic/conventions.py",
    "activities/deterministic/ways.py",
    "activities/store.py",
    "activities/tools",
    "phasegate/actions/planning.py",
    "phasegate/demo/beginning.py",
    "phasegate/log_processors.py",
    "phasegate/screen/acting.py",
}
"""where a count is more than one, or the form of the text is laid down, as that of the agents' tools"""
ROOT = Path(__file__).parents[2]


def uncounted(file: Path) -> Iterator[str]:
    """`{len(x)} things` in a text: with one of them it reads `1 things`."""
    for node in ast.walk(ast.parse(file.read_text())):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, text in pairwise(node.values):
            if not (isinstance(value, ast.FormattedValue) and isinstance(text, ast.Constant)):
                continue
            counts = isinstance(value.value, ast.Call) and ast.unparse(value.value.func) == "len"
            if counts and re.match(r" (\w+ )?\w+s\b", str(text.value)):
                yield f"{file.relative_to(ROOT)}:{node.lineno}"


def test_texts_count_with_the_one_helper() -> None:
    folders = ("states", "activities", "workflows", "phasegate")
    files = [file for folder in folders for file in sorted((ROOT / folder).rglob("*.py"))]
    assert len(files) > 100
    assert [
        place for file in files for place in uncounted(file) if not place.startswith(tuple(NEVER_ONE))
    ] == []


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
    assert counted(1, "place uses", "places use") == "1 place uses"
    assert counted(2, "place uses", "places use") == "2 places use"
    assert counted(1200, "line") == "1,200 lines"


def test_what_happened() -> None:
    assert metric_words(Metrics()) == ""
    assert metric_words(Metrics(files_created=2, lines_changed=9, commands_executed=1)) == (
        "files: 2 created, 9 lines changed; 1 command"
    )
    assert metric_words(Metrics(files_modified=1, lines_changed=1, errors=1, tests_failed=1)) == (
        "files: 1 modified, 1 line changed; tests: 1 failed; 1 error"
    )
