"""Shares of a budget: equal, never overdrawn side by side, by one call at most alone."""

import pytest

from states.agents import AgentEnd, AgentKind, Allowance, Usage
from states.budget import Account, least
from states.record import Draft, JobRecord
from states.shares import Shares, share
from states.staff import book, hire
from states.words import Phase
from tests.states.job_maker import NOW, new_job

DRAFTS = tuple(Draft(number=number) for number in (1, 2, 3))
CALL = Usage(calls=1, prompt_tokens=100, completion_tokens=10, cost_usd=0.01)


def job(usd: float | None = None, tokens: int | None = None) -> JobRecord:
    """One that has used a call of its budget."""
    record = new_job(budget_usd=usd, budget_tokens=tokens)
    used(record)
    return record


def used(record: JobRecord) -> None:
    """Another call is booked."""
    agent = hire(record, AgentKind.OPTION, Phase.IMPLEMENTATION_PLAN, ("m",)).id
    book(record, agent, AgentEnd.STOPPED, CALL, ("m",), "", NOW)


def numbers(drafts: tuple[Draft, ...]) -> list[int]:
    """Whose turn it is."""
    return [draft.number for draft in drafts]


@pytest.mark.parametrize(
    ("usd", "tokens", "among", "each"),
    [
        (None, None, 3, Allowance()),
        (0.31, None, 3, Allowance(usd=0.1)),
        (None, 1_010, 3, Allowance(tokens=300)),
        (None, 112, 3, Allowance(tokens=1)),
        (None, 110, 3, Allowance(tokens=0)),
        (0.01, None, 2, Allowance(usd=0.0)),
        (0.05, 410, 1, Allowance(usd=0.04, tokens=300)),
    ],
)
def test_a_share_is_an_equal_part_of_what_is_left(
    usd: float | None, tokens: int | None, among: int, each: Allowance
) -> None:
    found = share(job(usd, tokens), among)
    assert found.usd == pytest.approx(each.usd)
    assert found.tokens == each.tokens


def test_who_has_no_room_beside_the_others_goes_on_alone_with_the_rest_of_its_share() -> None:
    record = job(usd=0.31)
    shares = Shares(record)
    assert numbers(shares.begin(DRAFTS)) == [1, 2, 3]
    for draft in DRAFTS:
        used(record)
        shares.book(draft, CALL)
        assert shares.of(draft).usd == pytest.approx(0.09)
        shares.ran_out(draft, alone=False)
    assert numbers(shares.begin(DRAFTS)) == [1]
    shares.ran_out(DRAFTS[0], alone=True)
    assert numbers(shares.begin(DRAFTS)) == [2]
    assert numbers(shares.begin(DRAFTS[2:])) == [3]
    assert shares.of(DRAFTS[2]).usd == pytest.approx(0.09)


def test_nobody_goes_on_when_every_share_is_used_up() -> None:
    shares = Shares(job(usd=0.31))
    for draft in shares.begin(DRAFTS):
        shares.ran_out(draft, alone=True)
    assert shares.begin(DRAFTS) == ()


def test_a_share_is_never_more_than_the_job_has_left() -> None:
    record = job(usd=0.05)
    shares = Shares(record)
    shares.begin(DRAFTS[:2])
    for _ in range(3):
        used(record)
    assert shares.of(DRAFTS[1]).usd == pytest.approx(0.01)


def test_another_budget_is_shared_out_anew() -> None:
    record = job(usd=0.31)
    shares = Shares(record)
    for draft in shares.begin(DRAFTS):
        shares.book(draft, CALL)
        shares.ran_out(draft, alone=True)
    assert not shares.outdated()
    record.budget_usd = 0.61
    assert shares.outdated()
    assert numbers(shares.begin(DRAFTS)) == [1, 2, 3]
    assert shares.of(DRAFTS[0]).usd == pytest.approx(0.2)


def test_a_shared_account_starts_no_call_that_might_go_over() -> None:
    account = Account(allowance=Allowance(tokens=250), shared=True)
    assert account.may_start(CALL)
    account.reserve("a", CALL)
    account.settle("a", CALL)
    account.reserve("a", CALL)
    account.settle("a", CALL)
    assert not account.may_start(CALL)
    assert account.has_no_room(CALL)
    assert account.used_up() == ""


def test_an_account_of_ones_own_lets_one_call_go_over() -> None:
    account = Account(allowance=Allowance(tokens=50))
    assert account.may_start(CALL)
    assert not account.has_no_room(CALL)


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (Allowance(), Allowance(), Allowance()),
        (Allowance(usd=1), Allowance(tokens=5), Allowance(usd=1, tokens=5)),
        (Allowance(usd=1, tokens=5), Allowance(usd=2, tokens=0), Allowance(usd=1, tokens=0)),
    ],
)
def test_what_two_allow(one: Allowance, other: Allowance, both: Allowance) -> None:
    assert least(one, other) == both
