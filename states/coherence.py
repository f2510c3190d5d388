"""The mechanical review: grounding, coverage, independence, overlap. No model, no I/O, no opinion."""

from collections.abc import Iterator, Mapping
from typing import assert_never

from states.amounts import counted
from states.artifacts.clarification import ClarificationArtifact
from states.artifacts.contracts import ContractDesignArtifact
from states.artifacts.discovery import ContextDiscoveryArtifact
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.validation import ValidationArtifact
from states.checks import clarification, contracts, discovery, plan, validation
from states.checks.subtasks import dependencies_found
from states.checks.words import Artifacts, maybe, need
from states.counting import count
from states.grounding import Ground
from states.overlap import Conflict, conflicts
from states.review import Finding, Review
from states.words import Phase, ReviewKind

__all__ = ["Conflict", "Ground", "conflicts", "dependencies_found", "review"]

MOST_FINDINGS = 40


def review(
    phase: Phase,
    artifacts: Artifacts,
    ground: Ground,
    digest: str,
    digests: Mapping[Phase, str] | None = None,
) -> Review:
    """Check one phase's artifact against those it builds on.

    `artifacts` holds the artifact under review and the current ones before it; `digest` is the stored digest
    of the former, `digests` those of the latter, of which VALIDATION needs the plan's.
    Raises LookupError when an artifact or digest that the review needs is not handed over.
    """
    findings = tuple(_findings(phase, artifacts, ground, digests or {}))
    return Review(digest=digest, findings=bounded(findings), facts=count(phase, artifacts))


def bounded(findings: tuple[Finding, ...], most: int = MOST_FINDINGS) -> tuple[Finding, ...]:
    """At most this many findings, blocking ones first; the last says how many more there are.

    The reviews of a job are in its history, which must stay small whatever a model hands over.
    """
    ordered = sorted(findings, key=lambda finding: not finding.blocking)
    if len(ordered) <= most:
        return tuple(ordered)
    kept, rest = ordered[: most - 1], ordered[most - 1 :]
    # the rest counts as one finding of its most upstream kind, so that the verdict stays what it was
    told = Review(digest="", findings=tuple(rest))
    kind = told.kind if not told.approved else ReviewKind.TECHNICAL
    return (
        *kept,
        Finding(kind=kind, what=f"and {counted(len(rest), 'more finding')}", blocking=not told.approved),
    )


def _findings(
    phase: Phase, artifacts: Artifacts, ground: Ground, digests: Mapping[Phase, str]
) -> Iterator[Finding]:
    match phase:
        case Phase.DISCOVERY:
            yield from discovery.check(need(artifacts, phase, ContextDiscoveryArtifact), ground)
        case Phase.CLARIFICATION:
            found = need(artifacts, Phase.DISCOVERY, ContextDiscoveryArtifact)
            yield from clarification.check(need(artifacts, phase, ClarificationArtifact), found)
        case Phase.CONTRACTS:
            yield from contracts.check(need(artifacts, phase, ContractDesignArtifact), ground)
        case Phase.IMPLEMENTATION_PLAN:
            yield from _plan(artifacts, ground)
        case Phase.VALIDATION:
            yield from _validation(artifacts, digests)
            # a plan that a person edited, or that drifted, must not slip through on its validation's word
            yield from _plan(artifacts, ground)
        case Phase.VERIFIED:
            raise LookupError("VERIFIED hands over no artifact; there is nothing to review")
        case _:
            assert_never(phase)


def _plan(artifacts: Artifacts, ground: Ground) -> Iterator[Finding]:
    yield from plan.check(
        need(artifacts, Phase.IMPLEMENTATION_PLAN, ImplementationPlanArtifact),
        need(artifacts, Phase.CLARIFICATION, ClarificationArtifact),
        maybe(artifacts, Phase.CONTRACTS, ContractDesignArtifact),
        ground,
    )


def _validation(artifacts: Artifacts, digests: Mapping[Phase, str]) -> Iterator[Finding]:
    if Phase.IMPLEMENTATION_PLAN not in digests:
        raise LookupError("the review of VALIDATION needs the digest of the plan; hand it over in `digests`")
    yield from validation.check(
        need(artifacts, Phase.VALIDATION, ValidationArtifact),
        need(artifacts, Phase.IMPLEMENTATION_PLAN, ImplementationPlanArtifact),
        need(artifacts, Phase.CLARIFICATION, ClarificationArtifact),
        digests[Phase.IMPLEMENTATION_PLAN],
    )
