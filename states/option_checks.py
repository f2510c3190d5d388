"""Whether an option can be carried out, one by one: a bad one does not discard the others."""

import re
from collections.abc import Iterable, Iterator, Sequence

from states.artifacts.base import Artifact, OpenPoint
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.plan import Plan, PlanOption, PlanStep, StepType
from states.artifacts.validation import ValidationArtifact
from states.people import people_wrote
from states.steps import check_plan, dependency_graph, resolve

OPTION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
Optional = ImplementationPlanArtifact | ValidationArtifact
"""artifacts that hold options"""
REFINEMENT = "refinement:"
"""begins the subject of an open point about feedback on options"""
_LEFT_OUT = "option "
_NAMES = r"(?<![\w-]){0}\s*:|\boption\s+{0}(?![\w-])"
_ENDS = ("completed", "failed", "skipped")
_RUN = (StepType.SHELL_COMMAND, StepType.TESTING)


def options_of(artifact: Artifact | None) -> tuple[PlanOption, ...]:
    """The options of an artifact; none for those that have no such thing."""
    return artifact.options if isinstance(artifact, Optional) else ()


def stand_alone(options: Sequence[PlanOption]) -> bool:
    """Whether people wrote all that is offered and none of it builds on the planner's subtasks: the planner's
    own plan stands beside it then, and nothing of that is carried out."""
    builds = any(step.subtask for option in options for step in option.plan.steps)
    return bool(options) and not builds and all(people_wrote(option.source) for option in options)


def left_out_point(name: str, why: str) -> OpenPoint:
    """The open point that says why an option is not offered."""
    return OpenPoint(subject=f"{_LEFT_OUT}{name}", why=f"left out: {why}")


def about_options(point: OpenPoint) -> bool:
    """Whether an open point is about what is offered, and not about what the planner found."""
    return point.subject.startswith((_LEFT_OUT, REFINEMENT))


def option_problems(option: PlanOption, subtasks: Iterable[str]) -> tuple[str, ...]:
    """What is wrong with one option, for people. `subtasks`: ids that its steps may name."""
    return tuple(_problems(option, frozenset(subtasks)))


def sound(
    options: Iterable[PlanOption], subtasks: Iterable[str]
) -> tuple[tuple[PlanOption, ...], tuple[tuple[str, str], ...]]:
    """The options that can be carried out and differ, and (option, why) of those that are left out."""
    known = frozenset(subtasks)
    kept: list[PlanOption] = []
    left_out: list[tuple[str, str]] = []
    for option in options:
        problems = [*_problems(option, known), *_repeats(option, kept)]
        if problems:
            left_out.append((option.id, "; ".join(problems)))
        else:
            kept.append(option)
    return tuple(kept), tuple(left_out)


def concerns(text: str, option: str, options: Iterable[str]) -> bool:
    """Whether feedback is about an option: it names that one, as `full:` or `option full`, or none at all."""
    named = [name for name in options if re.search(_NAMES.format(re.escape(name)), text, re.I)]
    return not named or option in named


def same_steps(one: Plan, other: Plan) -> bool:
    """Whether two plans do the same things in the same order, whatever they are called."""
    return _shape(one) == _shape(other)


def _problems(option: PlanOption, subtasks: frozenset[str]) -> Iterator[str]:
    if not OPTION_ID.fullmatch(option.id):
        yield f"option id {option.id[:60]!r} has other than letters, digits, '.', '_', '-', or more than 40"
    if not (option.title or option.plan.title).strip():
        yield "option title is required"
    yield from check_plan(option.plan)
    for number, step in enumerate(option.plan.steps, start=1):
        for problem in _step_problems(option.plan, step, subtasks):
            yield f"step {number}: {problem}"


def _step_problems(plan: Plan, step: PlanStep, subtasks: frozenset[str]) -> Iterator[str]:
    if step.subtask and step.subtask not in subtasks:
        yield f"subtask {step.subtask} not found"
    if step.type is StepType.FILE_OPERATION and not step.files:
        yield "a file operation names the files it changes"
    if step.type in _RUN and not step.command.strip():
        yield f"command is required for {step.type}; its action is words for people and is never run"
    condition = step.condition
    if condition is None or not condition.step:
        return
    if resolve(plan, condition.step) is None:
        yield f"condition names step {condition.step}, which is not there"
    if condition.status not in _ENDS:
        yield f"condition status is one of {', '.join(_ENDS)}, not {condition.status}"


def _repeats(option: PlanOption, kept: Iterable[PlanOption]) -> Iterator[str]:
    for other in kept:
        if other.id.casefold() == option.id.casefold():
            yield f"there is an option {other.id} already"
        elif same_steps(other.plan, option.plan):
            yield f"its steps are those of option {other.id}"


def _shape(plan: Plan) -> tuple[object, ...]:
    order = {step.id: number for number, step in enumerate(plan.steps)}
    waits = dependency_graph(plan)
    return tuple(
        (
            step.type,
            step.subtask,
            step.command,
            step.files,
            "" if step.subtask or step.files or step.command else step.action.strip(),
            tuple(sorted(order[each] for each in waits[step.id])),
        )
        for step in plan.steps
    )
