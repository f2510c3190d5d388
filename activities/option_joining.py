"""Options put into their artifact: drawn up without a model, drafted by agents, or brought along."""

from collections.abc import Iterable, Sequence

from activities.brief import Brief
from states.artifacts.base import Artifact
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.plan import PlanOption
from states.artifacts.validation import ValidationArtifact
from states.option_checks import REFINEMENT, Optional, left_out_point, sound
from states.options import ranked
from states.policy import MOST_OPTIONS


def joined(
    plan: ImplementationPlanArtifact, drawn_up: Sequence[PlanOption], brief: Brief
) -> ImplementationPlanArtifact:
    """The plan with what people brought along and what was drawn up, as many as were asked for.

    Each bad one is left out and an open point.
    """
    subtasks = [subtask.subtask_id for subtask in plan.subtasks]
    brought, wrong = sound(brief.brought, subtasks)
    kept, left_out = sound((*brought, *drawn_up), subtasks)
    room = min(brief.option_count, MOST_OPTIONS - len(brought))
    fresh = kept[len(brought) :][:room]
    why = tuple(left_out_point(name, reason) for name, reason in (*wrong, *left_out))
    return plan.model_copy(update={"options": (*brought, *fresh), "open_points": (*plan.open_points, *why)})


def mended(options: Sequence[PlanOption], brought: Sequence[PlanOption]) -> tuple[PlanOption, ...]:
    """The options with those that people `brought` along, or mended, in the places of older versions."""
    theirs = {each.id: each for each in brought}
    known = {each.id for each in options}
    added = [each for each in brought if each.id not in known]
    return (*added, *(theirs.get(each.id, each) for each in options))


def with_drafts(
    base: Artifact, drafts: Sequence[PlanOption], left_out: Iterable[tuple[str, str]], brief: Brief
) -> Artifact:
    """The artifact with drafts in place of its own options; without any draft its own stay.

    What is left out is an open point. Raises TypeError for artifacts without options.
    """
    points = tuple(left_out_point(name, why) for name, why in left_out)
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
    points = tuple(left_out_point(name, why) for name, why in wrong)
    # What could not be done without a model was done by one.
    before = [p for p in base.open_points if not (fresh and p.subject.startswith(REFINEMENT))]
    return base.model_copy(
        update={
            "options": tuple(each.option for each in ranked(kept, brief.ranking)),
            "open_points": (*before, *points),
        }
    )
