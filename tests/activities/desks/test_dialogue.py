"""Questions and replies: bounded, typed, and never a decision."""

import json
from typing import Any

import pytest

from states.agents import AgentEnd
from states.review import QuestionRef
from states.words import Phase
from tests.activities.desks.good import QUESTION
from tests.activities.desks.offices import Office, answered

ASKED = {
    "question": "Which clock is meant here?",
    "why": "they differ",
    "choices": ["UTC", "local"],
    "recommended": "UTC",
}


async def test_follow_up_questions_end_the_conversation(office: Office) -> None:
    order = await office.plan(Phase.CLARIFICATION, may_ask=True)
    two = [ASKED, {"question": "How long is a week?", "critical": False}]
    raw = json.dumps({"questions": two})
    given = await office.desk.run(order, "ask_people", raw, model="m")
    assert given.answer["end"] is AgentEnd.ASKED
    assert given.answer["questions"] == (
        QuestionRef(
            id="follow-1",
            text="Which clock is meant here?",
            why="they differ",
            choices=("UTC", "local"),
            recommended="UTC",
        ),
        QuestionRef(id="follow-2", text="How long is a week?", critical=False),
    )


@pytest.mark.parametrize(
    ("questions", "told"),
    [
        ([], "1. questions: needs at least 1 entry"),
        ([ASKED] * 6, "1. questions: at most 5 entries"),
        ([{"question": "Really"}], "1. questions[0].question: a question has at least 10 characters"),
        ([{**ASKED, "recommended": "mars"}], "1. questions[0].recommended: must be one of the choices"),
        (
            [{"question": QUESTION.upper()}],
            "1. questions[0].question: was asked before as q1; read its answer",
        ),
        ([ASKED, ASKED], "1. questions[1].question: was asked before as questions[0]"),
        ([{**ASKED, "choices": ["x" * 201]}], "1. questions[0].choices[0]: at most 200 characters"),
        ([{**ASKED, "approve": True}], "1. questions[0].approve: is no field here; leave it out"),
    ],
)
async def test_a_bad_question_is_refused(office: Office, questions: list[Any], told: str) -> None:
    order = await office.plan(Phase.CLARIFICATION, may_ask=True, answers=(answered("q1", QUESTION, "no"),))
    raw = json.dumps({"questions": questions})
    given = await office.desk.run(order, "ask_people", raw, model="m")
    assert told in given.error
    assert given.answer["refused"] is True
    assert "questions" not in given.answer


async def test_people_are_asked_only_where_they_may_be(office: Office) -> None:
    orders = [
        await office.plan(Phase.CLARIFICATION),
        await office.plan(Phase.CONTRACTS, may_ask=True),
        await office.explain(),
        await office.review(Phase.CLARIFICATION),
    ]
    for order in orders:
        assert "ask_people" not in [tool["function"]["name"] for tool in office.desk.tools(order)]
        given = await office.desk.run(order, "ask_people", '{"questions": []}', model="m")
        assert given.error == "Tool 'ask_people' not found"
        assert given.answer == {}


async def test_a_reply_is_handed_over(office: Office) -> None:
    order = await office.explain(says=("what is a link?",))
    given = await office.submit(order, {"text": " A token for a URL, see src/shop/links.py:13. "})
    assert given.answer == {
        "end": AgentEnd.SUBMITTED,
        "text": "A token for a URL, see src/shop/links.py:13.",
    }
    for body, told in (
        ({"text": "x" * 2_001}, "at most 2,000 characters"),
        ({"text": " "}, "must not be blank"),
    ):
        refused = await office.submit(order, body)
        assert told in refused.error
        assert "end" not in refused.answer
