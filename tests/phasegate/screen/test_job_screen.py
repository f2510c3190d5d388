"""A job as text: its answers, and how long something took."""

from datetime import UTC, datetime, timedelta

import pytest
from rich.text import Text

from phasegate.screen.job import choices, duration, job_text, waiting_text
from phasegate.screen.options import fact_lines
from states.artifacts.plan import Complexity, Impact
from states.receive import receive
from states.record import QuestionState
from states.review import OptionFact, QuestionRef
from states.view import view_of
from states.words import State
from tests.states.job_maker import NOW, job_in


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (59, "59s"), (60, "1m00s"), (3_599, "59m59s"), (8_040, "2h14m"), (90_000, "1d1h")],
)
def test_duration(seconds: int, text: str) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    assert duration(start, start + timedelta(seconds=seconds)) == text


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([{"by": "ann"}], "The job is paused by ann."),
        ([{"reason": "lunch", "by": "ann"}], "The job is paused by ann: lunch"),
    ],
)
def test_a_pause_says_by_whom_and_why_where_that_is_known(given: list[object], words: str) -> None:
    record = job_in(State.CONTRACTS)
    receive(record, "pause", given, NOW)
    assert waiting_text(view_of(record)).plain == words


def test_a_job_that_nobody_works_on_does_not_look_as_if_somebody_did() -> None:
    view = view_of(job_in(State.CONTRACTS))
    at_work = "The job is being worked on."
    for trouble, last in (
        ("", at_work),
        ("no worker takes it up", "Nothing happens now: no worker takes it up."),
    ):
        texts = [part.plain for part in job_text(view, (), trouble=trouble) if isinstance(part, Text)]
        assert at_work in texts
        assert texts[-1] == last


def test_what_nobody_estimated_is_no_time_of_nought() -> None:
    fact = OptionFact(
        id="a",
        rank=1,
        score=45,
        complexity=Complexity.LOW,
        duration_minutes=0,
        confidence=0.5,
        risk=Impact.LOW,
        steps=1,
        plan="d",
    )
    view = view_of(job_in(State.VERIFIED))
    for minutes, words in ((0, "time not estimated"), (120, "2h")):
        timed = fact.model_copy(update={"duration_minutes": minutes})
        _, told = fact_lines(view.model_copy(update={"options": (timed,)}))
        assert f"low complexity, {words}, 50% sure" in told.plain


def test_the_recommended_answer_comes_first_and_once() -> None:
    ref = QuestionRef(id="q1", text="Which one of these?", choices=("a", "b", "c"), recommended="b")
    assert choices(QuestionState(ref=ref)) == ("b", "a", "c")
