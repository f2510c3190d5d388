"""What waits while an execution goes on: told within bounds, asked in order, answered once."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from activities.execution_orders import ActOrder
from states.act import ActEnd, ActNote, ActOutcome, StepAnswer, StepAsk, StepLine
from states.acting import answers, book_rest, next_ask, next_code, note_report, open_ask, settle_ask
from states.artifacts.plan import Plan, PlanStep, StepType
from states.carrying import TOLD, bounded, may_be_overtaken, report_of
from states.execution import Execution, StepResult, StepStatus, begin_execution, end_step, start_step
from states.receive import receive
from states.record import JobRecord
from states.workspace import WorkspaceRef
from tests.states.job_maker import NOW, verified_job

ONE = StepAsk(step="1", asks="make install", attempt=1)
TWO = StepAsk(step="2", asks="rm -rf build", attempt=1)
CODE = StepAsk(step="3", asks="write it", by_hand=True, attempt=1)
LINES = tuple(StepLine(id=name, status="waiting") for name in "123")


def acting(*asks: StepAsk, **act: Any) -> JobRecord:
    """A job whose execution goes on and has said that these wait."""
    record = verified_job()
    record.act = ActNote(id="job-1.act-1", option="a", plan="p", branch="b", by="ann", running=True, **act)
    assert report(record, *asks)
    return record


def report(record: JobRecord, *asks: StepAsk) -> bool:
    """Take in that these wait now, and no others."""
    told = {"execution": "job-1.act-1", "asks": [ask.model_dump(mode="json") for ask in asks]}
    return note_report(record, [told])


def allow(record: JobRecord, ask: StepAsk) -> None:
    """Ann allows what is asked first."""
    open_ask(record, ask, NOW)
    assert record.gate
    assert receive(record, "approve", [{"gate": record.gate.id, "by": "ann"}], NOW)
    settle_ask(record, NOW)


def rest(record: JobRecord, end: ActEnd, *asks: StepAsk, steps: tuple[StepLine, ...] = LINES) -> None:
    """The execution comes to rest."""
    book_rest(record, ActOutcome(end=end, asks=asks, steps=steps, kept="k"), None, NOW)


def answered(record: JobRecord) -> list[StepAsk]:
    """What was decided and still waits."""
    return [answer.ask for answer in answers(record)]


def test_questions_come_in_the_order_of_the_plan_and_each_once() -> None:
    record = acting(ONE, TWO)
    assert next_ask(record) == ONE
    allow(record, ONE)
    assert (answered(record), next_ask(record)) == ([ONE], TWO)
    open_ask(record, TWO, NOW)
    assert receive(record, "revise", [{"feedback": "no", "by": "bob"}], NOW)
    assert answers(record)[1].refused == "bob refused: no"
    assert next_ask(record) is None


@pytest.mark.parametrize("end", [ActEnd.WAITING, ActEnd.STOPPED, ActEnd.BROKEN])
def test_an_answer_that_was_not_heard_is_given_again(end: ActEnd) -> None:
    record = acting(ONE, TWO)
    allow(record, ONE)
    rest(record, end, ONE, TWO)
    assert record.act
    assert record.act.ready == ("1",)
    assert (answered(record), next_ask(record)) == ([ONE], TWO)


@pytest.mark.parametrize("by", ["a report", "a rest"])
def test_a_step_that_waits_again_asks_anew(by: str) -> None:
    record = acting(ONE, TWO)
    allow(record, ONE)
    again = ONE.model_copy(update={"attempt": 2})
    if by == "a report":
        assert report(record, again, TWO)
    else:
        rest(record, ActEnd.WAITING, again, TWO)
    assert (answered(record), next_ask(record)) == ([], again)


def test_where_nobody_counted_attempts_answers_end_with_the_rest() -> None:
    old = ONE.model_copy(update={"attempt": 0})
    record = acting(old)
    allow(record, old)
    rest(record, ActEnd.WAITING, old)
    assert next_ask(record) == old


def test_an_execution_that_is_lost_leaves_what_it_had_said() -> None:
    record = acting(ONE, TWO)
    allow(record, ONE)
    open_ask(record, TWO, NOW)
    rest(record, ActEnd.BROKEN, steps=())
    assert answered(record) == [ONE]
    assert record.gate
    assert record.gate.step == "2"


def test_an_execution_that_could_keep_nothing_is_told_again_what_it_had_heard() -> None:
    record = acting(ONE, TWO)
    rest(record, ActEnd.WAITING, ONE, TWO)
    allow(record, ONE)
    rest(record, ActEnd.BROKEN, TWO)
    assert answered(record) == [ONE], "it is gone on with from where it waits for that"
    assert next_ask(record) == TWO


@pytest.mark.parametrize("end", [ActEnd.FAILED, ActEnd.COMPLETED, ActEnd.WAITING])
def test_a_gate_that_nobody_waits_at_any_more_is_closed(end: ActEnd) -> None:
    record = acting(ONE)
    open_ask(record, ONE, NOW)
    rest(record, end, *((TWO,) if end is ActEnd.WAITING else ()))
    assert record.gate is None
    assert record.gates_closed["operator-1"] == "step 1 does not wait for it any more"


def test_an_earlier_release_tells_progress_alone() -> None:
    record = acting(ONE)
    assert note_report(record, [{"execution": "job-1.act-1", "total_steps": 3}])
    assert record.act
    assert record.act.last.asks == (ONE,)
    assert record.act.last.progress
    assert record.act.last.progress.total_steps == 3


@pytest.mark.parametrize(
    "given", [[], ["x"], [{"asks": []}], [{"execution": "another", "asks": []}], [{}, {}], [{"asks": 3}]]
)
def test_what_is_no_report_of_the_execution_is_not_taken(given: list[Any]) -> None:
    record = acting(ONE)
    assert not note_report(record, given)
    assert next_ask(record) == ONE


def test_one_that_rests_reports_nothing() -> None:
    record = acting(ONE)
    rest(record, ActEnd.WAITING, ONE)
    assert not report(record, TWO)


def test_code_is_left_to_models_where_the_job_has_some() -> None:
    record = acting(CODE, ONE)
    assert next_ask(record) == CODE
    record.spec = record.spec.model_copy(update={"models": {"code": ("m",)}})
    assert next_ask(record) == ONE
    assert next_code(record) is None, "a model is asked when nothing goes on"
    rest(record, ActEnd.WAITING, CODE, ONE)
    assert next_code(record) == CODE
    open_ask(record, CODE, NOW)
    assert next_code(record) is None, "a person is at it"


def test_what_is_told_at_once_is_bounded() -> None:
    long = [StepAsk(step=str(n), asks="x" * (TOLD // 4), attempt=1) for n in range(9)]
    assert bounded(long) == tuple(long[:3])
    assert bounded([ONE.model_copy(update={"asks": "x" * TOLD})])
    assert bounded(()) == ()
    record = acting(*long)
    assert record.act
    assert len(record.act.last.asks) == 3


def waiting(statuses: Mapping[str, StepStatus], seconds: float) -> tuple[Execution, Plan]:
    """An execution whose steps began so many seconds ago; what is pending has not begun."""
    steps = tuple(PlanStep(id=name, title=name, type=StepType.VALIDATION, action="x") for name in statuses)
    plan = Plan(title="The plan", steps=steps)
    execution = begin_execution(plan, "p", "e", "b", "c")
    for name, status in statuses.items():
        if status is not StepStatus.PENDING:
            start_step(execution, name, NOW - timedelta(seconds=seconds))
        if status is not StepStatus.IN_PROGRESS and status is not StepStatus.PENDING:
            end_step(execution, plan, name, StepResult(status=status, asks=f"ask {name}"), NOW)
    return execution, plan


@pytest.mark.parametrize(
    ("statuses", "seconds", "overtaken"),
    [
        ({"b": StepStatus.IN_PROGRESS, "a": StepStatus.WAITING}, 0.5, True),
        ({"b": StepStatus.IN_PROGRESS, "a": StepStatus.WAITING}, 1.5, False),
        ({"b": StepStatus.WAITING, "a": StepStatus.IN_PROGRESS}, 0.5, False),
        ({"b": StepStatus.PENDING, "a": StepStatus.WAITING}, 0.5, False),
        ({"b": StepStatus.COMPLETED, "a": StepStatus.WAITING}, 0.5, False),
        ({"b": StepStatus.IN_PROGRESS, "a": StepStatus.COMPLETED}, 0.5, False),
    ],
)
def test_a_question_waits_a_moment_for_those_before_it(
    statuses: dict[str, StepStatus], seconds: float, overtaken: bool
) -> None:
    execution, plan = waiting(statuses, seconds)
    assert may_be_overtaken(execution, plan, NOW - timedelta(seconds=1)) is overtaken


def test_a_report_has_what_waits_with_its_attempt() -> None:
    execution, plan = waiting({"b": StepStatus.WAITING, "a": StepStatus.WAITING}, 1)
    told = report_of(execution, plan, NOW)
    assert told.asks
    assert [(ask.step, ask.asks, ask.attempt) for ask in told.asks] == [("b", "ask b", 1), ("a", "ask a", 1)]
    assert told.total_steps == 2


def test_an_order_takes_in_what_was_decided_since() -> None:
    at = WorkspaceRef(repository="r", commit="c" * 40)
    order = ActOrder(job="j", execution="e", workspace=at, branch="b", plan="p")
    for answer in (
        StepAnswer(ask=ONE),
        StepAnswer(ask=TWO, refused="ann refused: no"),
        StepAnswer(ask=CODE, done_by="bob"),
    ):
        order = order.answered(answer)
    assert order.rules.approved == ("make install",)
    assert order.refused == {"2": "ann refused: no"}
    assert order.done == {"3": "bob"}
    assert order.ready == ("1", "3")
