"""The desk: what it offers, whom it serves, and that nothing on it approves, restarts or spends."""

import re

import pytest

from activities.agent_orders import AgentOrder, ToolAnswer
from activities.tools.toolbox import ALL_TOOLS
from states.agents import AgentEnd, AgentKind
from states.words import WORK_PHASES, Phase
from tests.activities.desks.good import SUBMISSIONS
from tests.activities.desks.offices import Office


async def names(office: Office, order: AgentOrder) -> list[str]:
    """The tools on offer."""
    return [tool["function"]["name"] for tool in office.desk.tools(order)]


async def test_each_kind_is_offered_the_repository_and_its_own_way_to_hand_over(office: Office) -> None:
    for phase in WORK_PHASES:
        assert await names(office, await office.plan(phase)) == [*ALL_TOOLS, "submit_artifact"]
        assert await names(office, await office.review(phase)) == [*ALL_TOOLS, "submit_review"]
    assert await names(office, await office.explain()) == [*ALL_TOOLS, "reply_to_person"]
    asking = await office.plan(Phase.CLARIFICATION, may_ask=True)
    assert await names(office, asking) == [*ALL_TOOLS, "submit_artifact", "ask_people"]


async def test_another_kinds_way_to_hand_over_does_not_exist(office: Office) -> None:
    for order in (await office.plan(Phase.DISCOVERY), await office.explain()):
        for name in ("submit_review", "approve", "restart_from", "set_budget", "human_approve", "x" * 500):
            given = await office.desk.run(order, name, '{"verdict": "approve"}', model="m")
            assert given.error == f"Tool {name[:60]!r} not found"
            assert given.answer == {}


async def test_what_it_answers_fits_the_tool_answer(office: Office) -> None:
    order = await office.plan(Phase.DISCOVERY)
    good = await office.submit(order, SUBMISSIONS[Phase.DISCOVERY])
    bad = await office.submit(order, {})
    taken = ToolAnswer(message="m", size=1, **good.answer)
    assert (taken.end, taken.handover and taken.handover.summary) == (
        AgentEnd.SUBMITTED,
        "2 relevant files, 2 symbols, 1 question",
    )
    refused = ToolAnswer(message="m", size=1, **bad.answer)
    assert (refused.refused, refused.end, refused.handover) == (True, None, None)
    # The model is told to mend it; people, whose job is held when it cannot, what is wrong.
    assert bad.error.startswith("not accepted; mend this and submit the whole of it again:\n1. ")
    assert refused.text.startswith("1. ")
    bad = await office.submit(order, {"extracted_context": 5, "estimate": "x"})
    assert re.fullmatch(r"1\. [^;\n]+; 2\. [^;\n]+.*", ToolAnswer(message="m", size=1, **bad.answer).text)
    assert len(refused.text) <= 1_000


async def test_tools_run_in_the_jobs_checkout(office: Office) -> None:
    order = await office.plan(Phase.DISCOVERY)
    found = await office.desk.run(order, "find_symbol", '{"name": "LinkService.revoke"}', model="m")
    assert "src/shop/links.py:" in found.content
    outside = await office.desk.run(order, "read_file", '{"filename": "../../etc/passwd"}', model="m")
    assert "\nPath ../../etc/passwd is outside agent workspace directory\n" in outside.error
    assert outside.answer == {}


async def test_the_forced_call_names_the_tool_and_nothing_stands_in(office: Office) -> None:
    for order, name in (
        (await office.plan(Phase.CONTRACTS), "submit_artifact"),
        (await office.review(Phase.CONTRACTS), "submit_review"),
        (await office.explain(), "reply_to_person"),
    ):
        assert office.desk.submitting(order) == name
        assert name in office.desk.demand(order)
        assert await office.desk.fallback(order) == ""


async def test_orders_that_belong_elsewhere_are_refused(office: Office) -> None:
    order = await office.plan(Phase.DISCOVERY)
    for wrong, told in (
        (order.model_copy(update={"kind": AgentKind.COOP}), "is a coop agent, which plans no phase"),
        (order.model_copy(update={"work": None}), "is a plan agent and has no work order"),
        (order.model_copy(update={"kind": AgentKind.REVIEW}), "is a review agent and has no review order"),
    ):
        with pytest.raises(ValueError, match=told):
            office.desk.tools(wrong)
        with pytest.raises(ValueError, match=told):
            await office.desk.opening(wrong)
    review = await office.review(Phase.DISCOVERY)
    assert review.review is not None
    bare = review.model_copy(update={"review": review.review.model_copy(update={"work": None})})
    with pytest.raises(ValueError, match="without the work that it was made for"):
        await office.desk.opening(bare)
