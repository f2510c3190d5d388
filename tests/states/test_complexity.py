"""When CONTRACTS may be skipped."""

from itertools import product

import pytest

from states.complexity import is_simple, level_of, why_not_simple
from states.review import PhaseFacts
from states.words import Level


def test_every_combination_of_the_rule() -> None:
    """Fewer than 3 files, no new API or model, no open ambiguity, an existing pattern: all five or none."""
    for files, api, model, questions, pattern in product(
        range(5), *[(False, True)] * 2, range(3), (False, True)
    ):
        facts = PhaseFacts(files_affected=files, new_api=api, new_model=model, existing_pattern=pattern)
        expected = files < 3 and not api and not model and questions == 0 and pattern
        assert is_simple(facts, questions) is expected
        broken = (files >= 3) + api + model + (questions > 0) + (not pattern)
        assert len(why_not_simple(facts, questions)) == broken


def test_the_reasons_are_for_people() -> None:
    facts = PhaseFacts(files_affected=4, new_api=True, new_model=True)
    assert why_not_simple(facts, 2) == (
        "4 files are affected, not fewer than 3",
        "there is a new API",
        "there is a new data model",
        "2 questions without a person's answer",
        "no existing pattern to follow",
    )
    assert "1 question without a person's answer" in why_not_simple(facts, 1)


@pytest.mark.parametrize(
    ("files", "novel", "level"),
    [
        (0, False, Level.LOW),
        (2, False, Level.LOW),
        (1, True, Level.MEDIUM),
        (3, False, Level.MEDIUM),
        (9, True, Level.MEDIUM),
        (10, False, Level.HIGH),
    ],
)
def test_level(files: int, novel: bool, level: Level) -> None:
    assert level_of(files, novel) is level
