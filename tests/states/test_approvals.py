"""Who let a phase pass, in words."""

import pytest

from states.approvals import accepted, approvals, warning
from states.words import State
from tests.states.job_maker import job_in, verified_job


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ((), "not decided yet"),
        (("ann",), "approved by ann"),
        (("ann", "bob"), "approved by ann, bob"),
        (("ai_review",), "no gate"),
        (("policy:skip_human_reviews",), "waived by policy:skip_human_reviews, not reviewed by a person"),
    ],
)
def test_what_no_person_read_is_never_called_approved(names: tuple[str, ...], text: str) -> None:
    assert accepted(names) == text


@pytest.mark.parametrize("state", State)
def test_only_a_verified_job_comes_without_a_warning(state: State) -> None:
    assert (warning(job_in(state)) == "") is (state is State.VERIFIED)


def test_a_job_without_gates_is_approved_by_nobody() -> None:
    told = list(approvals(verified_job(gates=())))
    assert len(told) == 5
    assert not [each for each in told if "approved" in each]
