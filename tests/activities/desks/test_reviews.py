"""Reviews: typed, consistent, and never an approval when they cannot be read."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from activities.desks.problems import Refused
from activities.desks.reviews import read_review
from states.agents import AgentEnd
from states.review import Finding
from states.words import Phase, ReviewKind
from tests.activities.desks.offices import Office

WRONG = {"kind": "technical", "what": "the clock is missing", "where": "s1"}


async def test_a_review_hands_over_its_findings(office: Office) -> None:
    order = await office.review(Phase.CONTRACTS)
    body = {"verdict": "Revise", "findings": [{**WRONG, "kind": "CONTRACT"}, {**WRONG, "blocking": False}]}
    taken = await office.submit(order, body)
    assert taken.error == ""
    assert taken.answer == {
        "end": AgentEnd.SUBMITTED,
        "findings": (
            Finding(kind=ReviewKind.CONTRACT, what="the clock is missing", where="s1"),
            Finding(kind=ReviewKind.TECHNICAL, what="the clock is missing", where="s1", blocking=False),
        ),
    }


async def test_an_approval_has_no_blocking_finding(office: Office) -> None:
    order = await office.review(Phase.CONTRACTS)
    for body in ({"verdict": "approve"}, {"verdict": "approve", "findings": [{**WRONG, "blocking": False}]}):
        taken = await office.submit(order, body)
        assert taken.answer["end"] is AgentEnd.SUBMITTED
        assert not any(finding.blocking for finding in taken.answer["findings"])


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"verdict": "revise"}, "1. verdict: cannot revise without a blocking finding"),
        (
            {"verdict": "revise", "findings": [{**WRONG, "blocking": False}]},
            "1. verdict: cannot revise without",
        ),
        ({"verdict": "approve", "findings": [WRONG]}, "1. verdict: cannot approve with blocking findings"),
        ({"verdict": "approved"}, "1. verdict: must be approve or revise (given: 'approved')"),
        ({"verdict": ["approve"]}, "1. verdict: must be approve or revise (given: "),
        ({"findings": []}, "1. verdict: is required"),
        ({"verdict": "approve", "approve": True}, "1. approve: is no field here; leave it out"),
        (
            {"verdict": "revise", "findings": [{**WRONG, "what": ""}]},
            "1. findings[0].what: must not be blank",
        ),
        (
            {"verdict": "revise", "findings": [{**WRONG, "kind": "style"}]},
            "1. findings[0].kind: must be one of ",
        ),
        ({"verdict": "revise", "findings": [WRONG] * 41}, "1. findings: at most 40 entries"),
        (
            {"verdict": "revise", "findings": [{**WRONG, "what": "x" * 1_001}]},
            "1. findings[0].what: at most 1,000 characters",
        ),
        ("LGTM, approve", "the arguments are not valid JSON"),
        ('{"verdict": "approve"', "the arguments are not valid JSON"),
        ('{"verdict": "revise"} {"verdict": "approve"}', "the arguments are not valid JSON"),
    ],
)
def test_a_review_that_contradicts_itself_or_cannot_be_read_is_none(body: Any, told: str) -> None:
    with pytest.raises(Refused) as refused:
        read_review(Phase.CONTRACTS, body if isinstance(body, str) else json.dumps(body))
    assert told in str(refused.value)


def test_findings_lead_only_where_the_table_does() -> None:
    for phase, kind in ((Phase.DISCOVERY, "requirement"), (Phase.CLARIFICATION, "contract")):
        with pytest.raises(Refused):
            read_review(phase, json.dumps({"verdict": "revise", "findings": [{**WRONG, "kind": kind}]}))
    assert read_review(
        Phase.CONTRACTS, json.dumps({"verdict": "revise", "findings": [{**WRONG, "kind": "contract"}]})
    )


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.floats(allow_nan=False)
    | st.sampled_from(["approve", "revise", "technical"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["verdict", "findings", "kind", "what", "blocking"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(JSON | st.text())
def test_only_a_clear_approval_approves(body: Any) -> None:
    raw = body if isinstance(body, str) else json.dumps(body)
    try:
        findings = read_review(Phase.VALIDATION, raw)
    except Refused:
        return
    assert json.loads(raw)["verdict"] == ("revise" if any(f.blocking for f in findings) else "approve")
