"""Which model does what in a job: a ladder for each phase, and one for reviews."""

from typing import Annotated, Any

from pydantic import BeforeValidator

from states.agents import AgentKind
from states.words import WORK_PHASES, Phase

REVIEW = "review"
"""the name, beside those of the phases, under which the models of AI reviews are given"""
OPTIONS = "options"
"""likewise of the agents that draft options; without one, those of the phase"""
CODE = "code"
"""likewise of the agents that write code while a plan is carried out; without one, those of the job"""
NO_MODEL = "none"
"""the word for planning or reviewing a phase without a model, whatever the rest of the job does"""
MOST_RUNGS = 8
LONGEST_NAME = 200


def _ladder(value: Any) -> tuple[str, ...]:
    """`a` or `a,b` or a list, the preferred model first."""
    given = value.split(",") if isinstance(value, str) else value
    if not isinstance(given, (list, tuple)) or not all(isinstance(name, str) for name in given):
        raise ValueError("models are a name, names with commas between, or a list of names")
    names = tuple(dict.fromkeys(name.strip() for name in given if name.strip()))
    for name in names:
        if len(name) > LONGEST_NAME or not name.isprintable() or any(c.isspace() for c in name):
            raise ValueError(
                f"{name[:60]!r} is no model name; write it as litellm does, such as openai/gpt-5"
            )
    if len(names) > MOST_RUNGS:
        raise ValueError(f"at most {MOST_RUNGS} models can stand in for each other")
    if NO_MODEL in names and len(names) > 1:
        raise ValueError(f"{NO_MODEL!r} stands alone: it means to do without a model")
    return names


def _by_use(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("models are given by phase, and by `review`")
    return {_use(str(name)): given for name, given in value.items()}


def _use(name: str) -> str:
    if name.strip().lower() in (REVIEW, OPTIONS, CODE):
        return name.strip().lower()
    phase = Phase.parse(name)
    if phase not in WORK_PHASES:
        raise ValueError(f"{phase.name} has no work that a model could do")
    return phase.value


Ladder = Annotated[tuple[str, ...], BeforeValidator(_ladder)]
"""models in the order in which they are tried"""
LadderByUse = Annotated[dict[str, Ladder], BeforeValidator(_by_use)]
"""ladders by phase name or `review`"""


def ladders_in_words(model: tuple[str, ...], models: dict[str, tuple[str, ...]]) -> str:
    """`a, then b; CONTRACTS: c; reviews: none`"""
    names = {REVIEW: "reviews", OPTIONS: "options"}
    others = [f"{names.get(use, use.upper())}: {ladder_words(found)}" for use, found in models.items()]
    return "; ".join([ladder_words(model), *others])


def ladder_words(names: tuple[str, ...]) -> str:
    """`a, then b`; `none` where there is no model."""
    return ", then ".join(names) or NO_MODEL


def ladder_for(
    model: tuple[str, ...], models: dict[str, tuple[str, ...]], kind: AgentKind, phase: Phase
) -> tuple[str, ...]:
    """The models that do this; empty where it is done without one.

    A review is made by the model of `review`, else by the one that made the artifact; options by
    `options`, code by `code`.
    """
    found = models.get(phase.value) or model
    if kind is AgentKind.OPTION and found != (NO_MODEL,):
        found = models.get(OPTIONS) or found
    if kind is AgentKind.REVIEW:
        found = models.get(REVIEW) or found
    if kind is AgentKind.CODE:
        found = models.get(CODE) or found
    return () if found == (NO_MODEL,) else found
