"""Options on their way into the store: each plan under a digest of its own, a person's versions checked."""

from collections.abc import Iterable, Mapping

from activities.store import Store
from states.artifacts.base import Artifact, canonical_json
from states.artifacts.plan import PlanOption
from states.option_checks import Optional, option_problems, options_of, sound
from states.options import Criterion, ranked
from states.policy import MOST_OPTIONS
from states.steps import refined


class BadOption(ValueError):
    """An option that a person wrote cannot be carried out. The text names the option and the step."""


async def store_plans(store: Store, options: Iterable[PlanOption]) -> dict[str, str]:
    """Option -> digest under which its plan alone is stored, for whoever carries it out."""
    return {each.id: await store.put(canonical_json(each.plan.model_dump(mode="json"))) for each in options}


async def store_option(store: Store, option: PlanOption) -> str:
    """An option on its own, for a job that it is brought along to; gives its digest."""
    return await store.put(canonical_json(option.model_dump(mode="json")))


def peoples_own(
    options: Iterable[PlanOption], before: Iterable[PlanOption], brought: Iterable[PlanOption]
) -> tuple[PlanOption, ...]:
    """Those of an edit's options that no planner drew up: what was `brought` along, as the edit has it, and
    what the edit adds to the options `before`."""
    theirs, drawn_up = {each.id for each in brought}, {each.id for each in before}
    return tuple(each for each in options if each.id in theirs or each.id not in drawn_up)


def edited(
    artifact: Optional,
    previous: Artifact | None,
    subtasks: Iterable[str],
    by: str,
    ranking: Mapping[Criterion, float],
) -> Optional:
    """A person's version of the options, each checked, a changed plan one version up, best first.

    Raises BadOption for the first that cannot be carried out.
    """
    if (count := len(artifact.options)) > MOST_OPTIONS:
        raise BadOption(f"there are {count} options; people can compare {MOST_OPTIONS} at most")
    known = list(subtasks)
    for option in artifact.options:
        if problems := option_problems(option, known):
            raise BadOption(f"option {option.id[:60]}: {problems[0]}")
    _, repeated = sound(artifact.options, known)
    if repeated:
        raise BadOption(f"option {repeated[0][0][:60]}: {repeated[0][1]}")
    before = {each.id: each for each in options_of(previous)}
    versions = [_version(each, before.get(each.id), by) for each in artifact.options]
    return artifact.model_copy(update={"options": tuple(each.option for each in ranked(versions, ranking))})


def _version(option: PlanOption, before: PlanOption | None, by: str) -> PlanOption:
    if before is None:
        return option.model_copy(update={"source": f"person:{by}"})
    unchanged = option.plan.model_copy(update={"version": before.plan.version}) == before.plan
    if unchanged:
        return option.model_copy(update={"plan": before.plan})
    return option.model_copy(update={"plan": refined(before.plan, option.plan), "source": f"person:{by}"})
