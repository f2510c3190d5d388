"""A person's own version of an artifact is checked before it is sent."""

import json
from typing import Any

import pytest

from phasegate.actions.editing import BadArtifact, checked
from states.words import Phase

GOOD: dict[str, Any] = {
    "updated_requirements": {"task": "Do it", "requirements": ["It is done"]},
    "resolved_ambiguities": [
        {
            "question_id": "q1",
            "original_question": "Which one is meant?",
            "human_response": "b",
            "clarification": "b is meant",
            "answered_by": "ann",
        }
    ],
}


def test_a_good_version_is_taken_as_it_is() -> None:
    assert checked(Phase.CLARIFICATION, json.dumps(GOOD)) == GOOD


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[]", "JSON object"),
        ("{}", "updated_requirements"),
        (json.dumps({**GOOD, "requirments": []}), "no field requirments"),
        (
            json.dumps({**GOOD, "resolved_ambiguities": [{**GOOD["resolved_ambiguities"][0], "by": "x"}]}),
            r"no field resolved_ambiguities\.0\.by",
        ),
        (json.dumps({**GOOD, "updated_requirements": {"task": " "}}), "must not be blank"),
    ],
)
def test_mistakes_are_named(text: str, words: str) -> None:
    with pytest.raises(BadArtifact, match=words):
        checked(Phase.CLARIFICATION, text)


def test_free_keys_of_a_mapping_are_no_unknown_fields() -> None:
    version = {
        "commit": "c0ffee",
        "extracted_context": {"code_snippets": {"a.py:1-2": "x = 1"}},
        "languages": {"Python": 3},
    }
    assert checked(Phase.DISCOVERY, json.dumps(version)) == version
