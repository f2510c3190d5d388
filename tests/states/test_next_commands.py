"""The commands that a job offers can be typed as they stand, and do what they say."""

import json
import shlex
from collections.abc import Iterator

import pytest

from states.act import ActEnd, ActOutcome, StepLine
from states.act_commands import NextCommand
from states.acting import ask_undo, begin_act, book_rest, note_report
from states.artifacts.plan import Complexity, Impact
from states.execution import ExecutionStatus, Progress
from states.holding import pause
from states.receive import receive
from states.record import Hold, JobRecord, QuestionState
from states.review import OptionFact, PhaseFacts
from states.selecting import choose
from states.view import awaiting, next_commands
from states.words import Awaiting, State
from tests.states.job_maker import NOW, QUESTION, job_in, verified_job

ODD_NAME = "plan 'x'; echo $(whoami) > \"out\" #1"
WAITING = [state for state in State if state.value.endswith("human_review")]


def job_that_acts(source: str = "") -> JobRecord:
    """A job whose plan is being carried out."""
    fact = OptionFact(
        id="a",
        rank=1,
        score=1,
        complexity=Complexity.LOW,
        confidence=1,
        duration_minutes=0,
        risk=Impact.LOW,
        steps=1,
        plan="p",
        source=source,
    )
    record = verified_job(PhaseFacts(options=(fact,)))
    record.job = ODD_NAME
    choose(record, fact, "ann", NOW)
    begin_act(record, "ann", NOW)
    return record


def jobs(name: str) -> Iterator[JobRecord]:
    """A job for each way of waiting for a person."""
    asking = job_in(State.CLARIFICATION)
    odd = QUESTION.model_copy(
        update={"id": "q 2", "text": "Is 'x' right; or y?", "recommended": 'it\'s "both" -> $x'}
    )
    asking.questions = [QuestionState(ref=QUESTION), QuestionState(ref=odd)]
    failed = job_in(State.CONTRACTS)
    pause(failed, Hold(reason="the key is wrong", by="phasegate", failed=True), NOW)
    for record in (asking, failed, *(job_in(state) for state in WAITING)):
        record.job = name
        yield record


def signal_of(each: NextCommand, job: str) -> tuple[str, list[object]]:
    """What the plain Temporal form sends, read as a shell would."""
    words = shlex.split(each.temporal)
    assert words[:5] == ["temporal", "workflow", "signal", "--workflow-id", job]
    assert words[5] == "--name"
    if len(words) == 7:
        return words[6], []
    assert words[7] == "--input"
    (given,) = words[8:]
    return words[6], [json.loads(given)]


@pytest.mark.parametrize("name", ["job-1", ODD_NAME])
def test_every_command_is_taken(name: str) -> None:
    for record in jobs(name):
        assert awaiting(record) is not Awaiting.NONE
        offered = next_commands(record)
        assert offered
        for each in offered:
            message, args = signal_of(each, name)
            assert receive(record.model_copy(deep=True), message, args, NOW), each.temporal
            typed = shlex.split(each.phasegate, comments=True)
            assert typed[:3] == ["phasegate", message, name]


def test_each_question_is_offered_with_its_recommended_answer() -> None:
    record = next(jobs("job-1"))
    for each in next_commands(record)[:2]:
        message, args = signal_of(each, "job-1")
        assert receive(record, message, args, NOW)
    assert [q.text for q in record.questions] == [q.ref.recommended for q in record.questions]
    assert awaiting(record) is Awaiting.NONE


def test_approving_as_offered_binds_the_digest() -> None:
    record = job_in(State.CONTRACTS_HUMAN_REVIEW)
    assert record.gate is not None
    _, (payload,) = signal_of(next_commands(record)[0], "job-1")
    assert isinstance(payload, dict)
    assert payload == {"gate": record.gate.id, "digest": record.gate.digest[:12]}


def test_a_verified_job_offers_its_plan() -> None:
    record = job_in(State.VERIFIED)
    record.job = ODD_NAME
    (only,) = next_commands(record)
    assert shlex.split(only.phasegate, comments=True) == ["phasegate", "export", ODD_NAME]
    assert shlex.split(only.temporal, comments=True)[-4:] == ["--workflow-id", ODD_NAME, "--name", "view"]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("person:ann", ["edit", ODD_NAME, "--plan", "plan.yaml"]),
        ("model:m", ["restart", ODD_NAME, "IMPLEMENTATION_PLAN", "--trigger", "implementation_failed"]),
    ],
)
def test_a_plan_that_failed_can_be_mended_or_made_again(source: str, words: list[str]) -> None:
    record = job_that_acts(source)
    done, failed = StepLine(id="1", status="completed"), StepLine(id="2", status="failed", error="no")
    book_rest(record, ActOutcome(end=ActEnd.FAILED, steps=(done, failed)), None, NOW)
    resume, mend, undo = next_commands(record)
    assert shlex.split(resume.phasegate)[1] == "resume"
    assert shlex.split(mend.phasegate) == ["phasegate", *words]
    message, args = signal_of(mend, ODD_NAME)
    assert receive(record, message, args, NOW), mend.temporal
    assert shlex.split(undo.phasegate) == ["phasegate", "rollback", ODD_NAME]


def test_undoing_is_offered_only_where_a_step_is_done() -> None:
    record = job_that_acts()
    record.act = record.act and record.act.model_copy(update={"running": True})
    assert not offers(record, "rollback"), "nothing is known to be done yet"
    nothing, one = (
        Progress(
            execution=f"{ODD_NAME}.act-1",
            status=ExecutionStatus.RUNNING,
            total_steps=2,
            completed_steps=number,
        )
        for number in (0, 1)
    )
    assert note_report(record, [nothing.model_dump(mode="json")])
    assert not offers(record, "rollback")
    assert note_report(record, [one.model_dump(mode="json")])
    assert offers(record, "rollback")
    pause(record, Hold(reason="lunch", by="ann", since=NOW), NOW)
    fresh, done = (StepLine(id="1", status=status) for status in ("pending", "completed"))
    book_rest(record, ActOutcome(end=ActEnd.STOPPED, steps=(done, fresh), progress=one), None, NOW)
    assert offers(record, "rollback")
    ask_undo(record, "", "ann", NOW)
    undo = record.act.undo if record.act else None
    book_rest(record, ActOutcome(end=ActEnd.ROLLED_BACK, steps=(fresh, fresh), progress=nothing), undo, NOW)
    assert offers(record, "resume")
    assert not offers(record, "rollback"), "all of it is undone already"


def offers(record: JobRecord, message: str) -> bool:
    """Whether one of the next commands sends this."""
    return any(shlex.split(each.phasegate)[1] == message for each in next_commands(record))
