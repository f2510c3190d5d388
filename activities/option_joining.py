"""Options that agents drafted, put into the artifact that they were drafted for."""

from collections.abc import Iterable, Sequence

from activities.brief import Brief
from activities.deterministic.options import joined
from activities.deterministic.refining import REFINEMENT
from states.artifacts.base import Artifact, OpenPoint
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.plan import PlanOption
from states.artifacts.validation import ValidationArtifact
from states.option_checks import Optional, sound
from states.options import ranked


def with_drafts(
    base: Artifact, drafts: Sequence[PlanOption], left_out: Iterable[tuple[str, str]], brief: Brief
) -> Artifact:
    """The artifact with drafts in place of its own options; without any draft its own stay.

    What is left out is an open point. Raises TypeError for artifacts without options.
    """
    points = tuple(OpenPoint(subject=f"option {name}", why=f"left out: {why}") for name, why in left_out)
    found: Optional
    if isinstance(base, ImplementationPlanArtifact):
        found = joined(base.model_copy(update={"options": ()}), drafts, brief) if drafts else base
    elif isinstance(base, ValidationArtifact):
        found = _refined(base, drafts, brief)
    else:
        raise TypeError(f"{type(base).__name__} has no options")
    together = tuple(dict.fromkeys((*found.open_points, *points)))
    return found.model_copy(update={"open_points": together})


def _refined(base: ValidationArtifact, drafts: Sequence[PlanOption], brief: Brief) -> ValidationArtifact:
    """Each option replaced by its refinement, best first."""
    fresh = {draft.id: draft for draft in drafts}
    options = [fresh.get(option.id, option) for option in base.options]
    kept, wrong = sound(options, [s.subtask_id for s in brief.planned().subtasks])
    points = tuple(OpenPoint(subject=f"option {name}", why=f"left out: {why}") for name, why in wrong)
    # What could not be done without a model was done by one.
    before = [p for p in base.open_points if not (fresh and p.subject.startswith(REFINEMENT))]
    return base.model_copy(
        update={
            "options": tuple(each.option for each in ranked(kept, brief.ranking)),
            "open_points": (*before, *points),
        }
    )
