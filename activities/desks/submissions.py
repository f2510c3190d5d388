"""From the raw arguments of `submit_artifact` to a whole artifact, or to what is wrong with them."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from activities.brief import Brief
from activities.desks.arguments import read_arguments, unpack
from activities.desks.drafts import draft_of
from activities.desks.filling import clarification, contracts, discovery, implementation, validation
from activities.desks.problems import Refused, problems_of
from activities.desks.sources import Body, Sources
from activities.deterministic.options import with_options
from activities.deterministic.refining import standing_options
from activities.deterministic.voice import answering
from activities.index.model import Index
from states.artifacts.base import Artifact, canonical_json
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.kinds import KIND
from states.artifacts.validation import ValidationArtifact
from states.coherence import review
from states.words import Phase

MOST_BYTES = 4_000_000
"""of an artifact with the code that was filled in"""

_FILL: Mapping[Phase, Callable[[Body, Sources], Body]] = {
    Phase.DISCOVERY: discovery.fill,
    Phase.CLARIFICATION: clarification.fill,
    Phase.CONTRACTS: contracts.fill,
    Phase.IMPLEMENTATION_PLAN: implementation.fill,
    Phase.VALIDATION: validation.fill,
}

M = TypeVar("M", bound=BaseModel)


def read_as(kind: type[M], raw: str) -> M:
    """Raw arguments as a pydantic model. Raises Refused with a list of what is wrong."""
    given = read_arguments(raw)
    while True:
        try:
            return kind.model_validate(given)
        except ValidationError as error:
            if not unpack(given, error):
                raise Refused(problems_of(error).text()) from None


def whole_artifact(phase: Phase, raw: str, brief: Brief, index: Index, model: str) -> Artifact:
    """The artifact of a phase, with everything that the machine fills. Raises Refused.

    Equal arguments give equal artifacts.
    """
    draft = read_as(draft_of(KIND[phase]), raw)
    at = Sources(brief, index)
    body: dict[str, Any] = _FILL[phase](draft.model_dump(mode="json"), at)
    at.problems.raise_any()
    body |= {"made_by": f"model:{model}", "feedback_answered": answering(brief)}
    try:
        artifact = KIND[phase].model_validate(body)
    except ValidationError as error:
        raise Refused(problems_of(error).text()) from None
    _check_size(artifact)
    _check(phase, artifact, at)
    return _with_options(artifact, brief, index)


def _with_options(artifact: Artifact, brief: Brief, index: Index) -> Artifact:
    """The options that need no model; agents may draft others in their place."""
    if isinstance(artifact, ImplementationPlanArtifact):
        return with_options(artifact, brief, index)
    if isinstance(artifact, ValidationArtifact):
        options, points = standing_options(brief, lambda: index)
        more = {"options": options, "open_points": (*artifact.open_points, *points)}
        return artifact.model_copy(update=more)
    return artifact


def _check_size(artifact: Artifact) -> None:
    size = len(canonical_json(artifact.model_dump(mode="json")))
    if size > MOST_BYTES:
        raise Refused(
            f"with the code that it points at, the artifact has {size:,} bytes, at most {MOST_BYTES:,} are "
            "kept; point at less code"
        )


def _check(phase: Phase, artifact: Artifact, at: Sources) -> None:
    """What the review would refuse anyway is mended while the model still has it in mind.

    Not in VALIDATION: what is wrong there is wrong with the plan, and the review says where that leads.
    """
    if phase is Phase.VALIDATION:
        return
    digests = {**at.brief.digests, phase: ""}
    for finding in review(phase, {**at.brief.upstream, phase: artifact}, at.ground, "", digests).findings:
        if finding.blocking:
            at.problems.add(finding.where or "the artifact", finding.what)
    at.problems.raise_any()
