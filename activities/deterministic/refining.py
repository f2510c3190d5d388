"""Options after feedback, without a model: what it plainly asks for is done, the rest is marked as open."""

import re
from collections.abc import Callable, Iterator, Sequence

from activities.brief import Brief
from activities.deterministic.names import files_named
from activities.deterministic.wording import cut, listed
from activities.index.model import Index
from activities.option_joining import mended
from states.artifacts.base import OpenPoint
from states.artifacts.plan import Plan, PlanOption, PlanStep, StepType
from states.artifacts.validation import ValidationArtifact
from states.option_checks import REFINEMENT, concerns, left_out_point, sound
from states.options import ranked
from states.steps import dependency_graph, refined
from states.words import Phase

PER_ADDED = 10.0
"""minutes for a file or a command that feedback adds"""
_RUN = re.compile(r"\b(?:run|execute)\s+`([^`\n]{1,300})`", re.I)
_CLAUSE = re.compile(r"(?<=[.!?;])\s+|\n+|,\s+(?:and|but)\s+|,?\s+but\s+", re.I)
_DROP = re.compile(r"\b(?:drop|remove|skip|omit|leave out|without)\b(.{0,200})", re.I | re.S)
_LOOKS = (StepType.TESTING, StepType.VALIDATION, StepType.CODE_ANALYSIS)
Standing = tuple[tuple[PlanOption, ...], tuple[OpenPoint, ...]]


def standing_options(brief: Brief, index: Callable[[], Index]) -> Standing:
    """The options that VALIDATION stands on, best first: refined by what people asked, sound ones only.

    They are those of the refused version where it was about the same plan, else the plan's, as people mended
    them since.
    """
    options, done = _before(brief)
    asked = [text for text in brief.refine if text not in done]
    points: list[OpenPoint] = []
    if asked and options:
        made = index()
        names = [option.id for option in options]
        options = tuple(
            _refined(option, about, made)
            if (about := [text for text in asked if concerns(text, option.id, names)])
            else option
            for option in options
        )
        points = list(_left_open(asked, made))
    kept, left_out = sound(options, [s.subtask_id for s in brief.planned().subtasks])
    points += [left_out_point(name, why) for name, why in left_out]
    return tuple(each.option for each in ranked(kept, brief.ranking)), tuple(points)


def _before(brief: Brief) -> tuple[tuple[PlanOption, ...], tuple[str, ...]]:
    previous, plan = brief.previous, brief.planned()
    same = (
        isinstance(previous, ValidationArtifact)
        and previous.plan_digest == brief.digests[Phase.IMPLEMENTATION_PLAN]
    )
    if same and isinstance(previous, ValidationArtifact) and previous.options:
        return previous.options, previous.feedback_answered
    return mended(plan.options, brief.brought), ()


def _refined(option: PlanOption, asked: Sequence[str], index: Index) -> PlanOption:
    """One option after feedback; its version says that it was refined even where nothing could be done."""
    plan = option.plan
    for text in asked:
        for clause in _clauses(text):
            plan = _without(plan, clause)
            plan = _with(plan, list(_added(plan, clause, index)))
    minutes = sum(step.estimated_minutes for step in plan.steps)
    plan = plan.model_copy(
        update={"estimates": plan.estimates.model_copy(update={"duration_minutes": minutes})}
    )
    return option.model_copy(update={"plan": refined(option.plan, plan)})


def _clauses(text: str) -> list[str]:
    """The parts of feedback that ask for one thing each."""
    return [part for part in _CLAUSE.split(text) if part.strip()]


def _without(plan: Plan, text: str) -> Plan:
    """Steps that the feedback drops by id, number or title; what waited for them waits for what they did."""
    dropped = {step.id for wish in _DROP.findall(text) for step in _named(plan, wish)}
    if not dropped or len(dropped) == len(plan.steps):
        return plan
    waits = dependency_graph(plan)

    def kept(names: Sequence[str]) -> Iterator[str]:
        for name in names:
            if name in dropped:
                yield from kept(waits[name])
            else:
                yield name

    steps = [
        step.model_copy(update={"dependencies": tuple(dict.fromkeys(kept(waits[step.id])))})
        for step in plan.steps
        if step.id not in dropped and not (step.condition and step.condition.step in dropped)
    ]
    return plan.model_copy(update={"steps": tuple(steps)})


def _named(plan: Plan, wish: str) -> Iterator[PlanStep]:
    for number, step in enumerate(plan.steps, start=1):
        by_number = re.search(rf"\bstep\s+#?{number}\b", wish, re.I)
        by_id = re.search(rf"(?<![\w-]){re.escape(step.id)}(?![\w-])", wish)
        if by_number or by_id or step.title.casefold() in wish.casefold():
            yield step


def _added(plan: Plan, text: str, index: Index) -> Iterator[PlanStep]:
    """A step for each command that is to run, and each file that the plan does not work on.

    A file beside a word such as `without` is not one to change.
    """
    said = "\n".join(f"{step.title} {step.action} {step.description}" for step in plan.steps)
    taken = {step.id for step in plan.steps}
    writing = tuple(step.id for step in plan.steps if step.type not in _LOOKS)
    for path in () if _DROP.search(text) else files_named(index, text):
        if path not in said:
            name = _free("asked", taken)
            yield PlanStep(
                id=name,
                title=f"Take up the feedback in {path}",
                action=f'In {path}: "{cut(text, 400)}"',
                type=StepType.CODE_GENERATION,
                estimated_minutes=PER_ADDED,
            )
    for command in dict.fromkeys(_RUN.findall(text)):
        if all(command != step.command for step in plan.steps):
            yield PlanStep(
                id=_free("run", taken),
                title=f"Run {cut(command, 60)}",
                action=f"Run `{command}`",
                type=StepType.SHELL_COMMAND,
                command=command,
                dependencies=writing,
                estimated_minutes=PER_ADDED,
            )


def _with(plan: Plan, added: Sequence[PlanStep]) -> Plan:
    """New steps after those that write; whatever looks at the outcome waits for new code."""
    code = tuple(step.id for step in added if step.type is StepType.CODE_GENERATION)
    last = max((n for n, step in enumerate(plan.steps) if step.type not in _LOOKS), default=-1)
    steps = [
        step.model_copy(update={"dependencies": tuple(dict.fromkeys((*step.dependencies, *code)))})
        if step.type in _LOOKS and code and not step.condition
        else step
        for step in plan.steps
    ]
    return plan.model_copy(update={"steps": (*steps[: last + 1], *added, *steps[last + 1 :])})


def _free(stem: str, taken: set[str]) -> str:
    number = next(n for n in range(1, len(taken) + 2) if f"{stem}-{n}" not in taken)
    taken.add(f"{stem}-{number}")
    return f"{stem}-{number}"


def _left_open(asked: Sequence[str], index: Index) -> Iterator[OpenPoint]:
    for text in asked:
        dropped = ["steps left out"] if _DROP.search(text) else []
        done = [*files_named(index, text), *_RUN.findall(text), *dropped]
        why = (
            f"taken up in the options: {listed(done)}; whether that answers it, a person judges"
            if done
            else "it names no file, step or command, so the steps of the options stayed as they were"
        )
        yield OpenPoint(subject=f'{REFINEMENT} "{cut(text, 200)}"', why=why)
