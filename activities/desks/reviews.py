"""`submit_review`: a typed verdict. What cannot be read or contradicts itself is never an approval."""

from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, StringConstraints, create_model

from activities.desks.problems import Problems
from activities.desks.submissions import read_as
from activities.desks.submitted import Submitted
from states.artifacts.base import Text, lower
from states.coherence import MOST_FINDINGS
from states.review import Finding
from states.words import Phase, ReviewKind

_KINDS: dict[Phase, tuple[ReviewKind, ...]] = {
    Phase.DISCOVERY: (ReviewKind.TECHNICAL,),
    Phase.CLARIFICATION: (ReviewKind.TECHNICAL, ReviewKind.REQUIREMENT),
}
"""what a revision may be about, where not everything lies behind yet (design, the phase table)"""


class Verdict(StrEnum):
    """Whether the artifact is good enough for the next step."""

    APPROVE = "approve"
    REVISE = "revise"


class SubmittedFinding(Submitted):
    """One thing that is wrong or weak."""

    kind: ReviewKind
    what: Annotated[Text, StringConstraints(max_length=1_000)]
    """what is wrong, and what to do about it"""
    where: Annotated[str, StringConstraints(max_length=200)] = ""
    """the field, file or subtask"""
    blocking: bool = True
    """whether the artifact must not pass with it"""


class SubmittedReview(Submitted):
    """The outcome of one review."""

    verdict: Annotated[Verdict, BeforeValidator(lower)]
    findings: tuple[Any, ...]


@cache
def review_of(phase: Phase) -> type[SubmittedReview]:
    """What a reviewer of a phase submits: only revisions that can lead somewhere."""
    kinds = tuple(kind.value for kind in _KINDS.get(phase, tuple(ReviewKind)))
    said = "technical leads back to this phase, requirement to CLARIFICATION, contract to CONTRACTS"
    kind: Any = Annotated[Literal[kinds], BeforeValidator(lower), Field(description=said)]
    finding: Any = create_model(
        "SubmittedFinding", __base__=SubmittedFinding, __doc__=SubmittedFinding.__doc__, kind=(kind, ...)
    )
    findings: Any = Annotated[tuple[finding, ...], Field(max_length=MOST_FINDINGS)]
    return create_model(
        "SubmittedReview", __base__=SubmittedReview, __doc__=SubmittedReview.__doc__, findings=(findings, ())
    )


def read_review(phase: Phase, raw: str) -> tuple[Finding, ...]:
    """The findings of a review; it approves when none of them blocks. Raises Refused."""
    given = read_as(review_of(phase), raw)
    blocking = [finding for finding in given.findings if finding.blocking]
    problems = Problems()
    if given.verdict is Verdict.APPROVE and blocking:
        problems.add("verdict", "cannot approve with blocking findings; revise, or mark them as not blocking")
    if given.verdict is Verdict.REVISE and not blocking:
        problems.add(
            "verdict", "cannot revise without a blocking finding that says what to do; add it, or approve"
        )
    problems.raise_any()
    return tuple(
        Finding(kind=ReviewKind(f.kind), what=f.what, where=f.where, blocking=f.blocking)
        for f in given.findings
    )
