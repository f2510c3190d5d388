"""`ask_people` and `reply_to_person`: how a model speaks to people. Neither decides anything."""

from typing import Annotated

from pydantic import Field, StringConstraints

from activities.desks.problems import Problems
from activities.desks.submissions import read_as
from activities.desks.submitted import Submitted
from activities.orders import WorkOrder
from states.artifacts.base import Question, Text
from states.checks.words import same
from states.review import QuestionRef

LONGEST_REPLY = 2_000


class FollowUp(Submitted):
    """One question that the answers so far leave open and on which the plan depends."""

    question: Annotated[Question, StringConstraints(max_length=1_000)]
    """one question, ending in a question mark"""
    why: Annotated[str, StringConstraints(max_length=1_000)] = ""
    """what goes wrong if it is guessed"""
    choices: Annotated[
        tuple[Annotated[Text, StringConstraints(max_length=200)], ...], Field(max_length=8)
    ] = ()
    """short answers to choose from, if there are any"""
    recommended: Annotated[str, StringConstraints(max_length=200)] = ""
    """one of the choices"""
    critical: bool = True
    """whether a wrong guess would make the plan worthless"""


class AskPeople(Submitted):
    """Questions for people."""

    questions: Annotated[tuple[FollowUp, ...], Field(min_length=1, max_length=5)]


class ReplyToPerson(Submitted):
    """A reply to what a person said."""

    text: Annotated[Text, StringConstraints(max_length=LONGEST_REPLY)]


def read_questions(raw: str, order: WorkOrder) -> tuple[QuestionRef, ...]:
    """Follow-up questions `follow-1` and so on; the job gives them ids of its own. Raises Refused."""
    asked = read_as(AskPeople, raw).questions
    known = {same(answer.question): answer.question_id for answer in order.answers}
    problems = Problems()
    for number, each in enumerate(asked):
        where = f"questions[{number}]"
        if earlier := known.get(same(each.question)):
            problems.add(
                f"{where}.question", f"was asked before as {earlier}; read its answer", each.question
            )
        known.setdefault(same(each.question), f"questions[{number}]")
        if each.recommended and each.recommended not in each.choices:
            problems.add(f"{where}.recommended", "must be one of the choices", each.recommended)
    problems.raise_any()
    return tuple(
        QuestionRef(
            id=f"follow-{number}",
            text=each.question,
            why=each.why,
            choices=each.choices,
            recommended=each.recommended,
            critical=each.critical,
        )
        for number, each in enumerate(asked, 1)
    )


def read_reply(raw: str) -> str:
    """The text for a person. Raises Refused."""
    return read_as(ReplyToPerson, raw).text.strip()
