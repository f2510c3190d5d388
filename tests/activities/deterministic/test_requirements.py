"""Splitting a task into requirements and constraints."""

import pytest

from activities.deterministic.requirements import MOST, asks, forbids, split


def test_sentences_that_ask_become_requirements_and_background_does_not() -> None:
    found = split(
        "The list command prints a table today. Add a `--json` flag to it. It must print one object per line."
    )
    assert found.requirements == ["Add a `--json` flag to it.", "It must print one object per line."]


def test_bullets_ask_and_lead_ins_do_not() -> None:
    found = split(
        "Please change the cart:\n\n- add a total\n- round prices\n  to cents\n- do not touch the API\n"
    )
    assert found.requirements == ["add a total", "round prices to cents"]
    assert found.constraints == ["do not touch the API"]


def test_a_few_words_keep_what_introduces_them() -> None:
    found = split("Accept input from:\n- files\n- the network\n")
    assert found.requirements == ["Accept input from: files", "Accept input from: the network"]


def test_sections_of_background_and_benefits_ask_for_nothing() -> None:
    text = "# Add expiry\n\n## Background\n- links live for ever\n\n## Solution\n- store a date\n"
    text += "\n## Benefits\n- safer\n"
    assert split(text).requirements == ["Add expiry", "store a date"]


def test_non_goals_are_constraints() -> None:
    assert split("Add a cache.\n\n## Non-goals\n- a distributed cache\n").constraints == [
        "a distributed cache"
    ]


def test_code_blocks_are_not_read() -> None:
    found = split("Add a filter.\n\n```python\n# you must never see this\n```\n")
    assert found.requirements == ["Add a filter."]
    assert found.constraints == []


def test_a_rule_after_a_wish_is_a_requirement() -> None:
    found = split(
        "Let sessions expire. Every request counts as activity. Every session is kept for ever today."
    )
    assert found.requirements == ["Let sessions expire.", "Every request counts as activity."]


def test_a_text_that_asks_for_nothing_is_one_requirement() -> None:
    assert split("Login fails when the password has a blank.").requirements == [
        "Login fails when the password has a blank."
    ]


@pytest.mark.parametrize(
    "text", ["titleize keeps acronyms", "feature flags are off", "Goals of a match are lost", "tasks vanish"]
)
def test_a_task_that_begins_like_a_title_is_not_cut(text: str) -> None:
    assert split(text).requirements == [text]


@pytest.mark.parametrize("label", ["Title: ", "**Title**: ", "**Feature:** ", "**Task** ", "goal:"])
def test_a_title_is_told_by_its_label(label: str) -> None:
    assert split(f"{label}Add a cache\n\nIt is slow today.").requirements == ["Add a cache"]


def test_abbreviations_and_dotted_names_end_no_sentence() -> None:
    found = split("Support shells, e.g. Bash and `os.path.join`. Fix the rest.")
    assert found.requirements == ["Support shells, e.g. Bash and `os.path.join`.", "Fix the rest."]


def test_more_than_the_limit_is_counted() -> None:
    found = split("\n".join(f"- add thing number {n}" for n in range(MOST + 7)))
    assert len(found.requirements) == MOST
    assert found.left == 7


def test_a_megabyte_is_split_in_reasonable_time() -> None:
    assert split("Add a thing that works. " * 45_000).requirements == ["Add a thing that works."]


@pytest.mark.parametrize("text", ["Add a flag", "it should work", "we need SAML", "Could you rename it"])
def test_what_asks(text: str) -> None:
    assert asks(text)


@pytest.mark.parametrize(
    "text", ["Don't break the API", "callers must not change", "Keep the parser unchanged"]
)
def test_what_forbids(text: str) -> None:
    assert forbids(text)
