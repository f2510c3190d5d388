"""What models used, in words, by phase, in the view, the metrics and the exported plan."""

import pytest

from states.agents import AgentEnd, AgentKind, Usage
from states.artifacts.clarification import ClarificationArtifact, TaskRequirements
from states.artifacts.implementation import ImplementationPlanArtifact
from states.dialogue import reply
from states.metrics import measure
from states.plan_document import plan_document
from states.spending import dollars, in_words, spending
from states.staff import book, hire
from states.view import view_of
from states.words import Phase
from tests.states.job_maker import NOW, new_job

ONE = Usage(calls=1, prompt_tokens=100, completion_tokens=10, cached_tokens=60, cost_usd=0.01)
GUESSED = ONE.model_copy(update={"estimated_calls": 1})
UNKNOWN = Usage(calls=1, prompt_tokens=100, completion_tokens=10, unpriced_calls=1)


@pytest.mark.parametrize(
    ("amount", "text"), [(0, "$0.00"), (0.15, "$0.15"), (0.0421, "$0.0421"), (1234.5, "$1,234.50")]
)
def test_dollars(amount: float, text: str) -> None:
    assert dollars(amount) == text


@pytest.mark.parametrize(
    ("used", "usd", "tokens", "text"),
    [
        (ONE, None, None, "1 call, 110 tokens, $0.01"),
        (ONE + ONE, 5.0, None, "2 calls, 220 tokens, $0.02 of $5.00"),
        (ONE + UNKNOWN, None, None, "2 calls, 220 tokens, $0.01; 1 call at an unknown price"),
        (UNKNOWN + UNKNOWN, None, None, "2 calls, 220 tokens; 2 calls at an unknown price"),
        (UNKNOWN, 1.0, None, "1 call, 110 tokens, $0.00 of $1.00; 1 call at an unknown price"),
        (ONE, None, 20_000, "1 call, 110 of 20,000 tokens, $0.01"),
        (GUESSED + ONE, None, None, "2 calls, 220 tokens, $0.02; 1 call estimated"),
        (Usage(), None, None, "0 calls, 0 tokens, $0.00"),
    ],
)
def test_an_unknown_price_is_never_shown_as_nothing(
    used: Usage, usd: float | None, tokens: int | None, text: str
) -> None:
    assert in_words(used, usd, tokens) == text


def test_spending_is_by_phase_with_reviews_and_the_running_agent_is_named() -> None:
    record = new_job()
    for kind in (AgentKind.PLAN, AgentKind.REVIEW):
        agent = hire(record, kind, Phase.DISCOVERY, ("m", "n")).id
        book(record, agent, AgentEnd.SUBMITTED, ONE, ("n",), "", NOW)
    hire(record, AgentKind.PLAN, Phase.CONTRACTS, ("m",))
    view = view_of(record)
    assert spending(record) == {Phase.DISCOVERY: ONE + ONE, Phase.CONTRACTS: Usage()}
    assert view.spending == spending(record)
    assert view.spent.cached_tokens == 120
    assert view.running is not None
    assert view.running.id == "contracts-1"
    assert record.ledger[-1].what == "review-discovery-1 submitted: 1 call, 110 tokens, $0.01"
    assert record.ledger[-1].who == "model:n"
    metrics = measure(record, {})
    assert (metrics.agents, metrics.model_calls, metrics.tokens) == (3, 2, 220)
    assert (metrics.cached_tokens, metrics.cost_usd, metrics.unpriced_calls) == (120, 0.02, 0)


def test_a_view_repeats_what_people_said_in_short_beside_the_replies() -> None:
    record = new_job()
    record.says.append("word " * 200)
    reply(record, 1, "it means that", ("m",), NOW)
    view = view_of(record)
    assert len(view.said[0]) == 200
    assert [(r.to, r.by) for r in view.replies] == [(1, "model:m")]


def test_the_exported_plan_says_what_models_did_and_cost() -> None:
    record = new_job(budget_usd=2)
    wanted = ClarificationArtifact(updated_requirements=TaskRequirements(task="t", requirements=("r",)))
    artifacts = (wanted, None, ImplementationPlanArtifact(), None)
    assert "## MODELS" not in plan_document(*artifacts, record)
    agent = hire(record, AgentKind.PLAN, Phase.DISCOVERY, ("m",)).id
    book(record, agent, AgentEnd.SUBMITTED, ONE + UNKNOWN, ("m",), "", NOW)
    hire(record, AgentKind.REVIEW, Phase.DISCOVERY, ("m",))
    text = plan_document(*artifacts, record)
    assert "2 calls, 220 tokens, $0.01 of $2.00; 1 call at an unknown price." in text
    assert "- DISCOVERY: 2 calls, 220 tokens, $0.01; 1 call at an unknown price." in text
    assert "  - discovery-1 (m), submitted: 2 calls" in text
    assert "  - review-discovery-1 (no reply), still at work: 0 calls" in text
