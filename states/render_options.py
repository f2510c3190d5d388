"""Options as markdown: side by side, then each with its steps."""

import json
from collections.abc import Iterator, Sequence

from states.amounts import estimate_words
from states.artifacts.plan import Plan, PlanOption, PlanStep
from states.comparison import compare
from states.options import rank
from states.people import people_wrote
from states.render_parts import bullets, line, section, table

EDIT = 200
"""characters of either side of an edit, and of a new file, that are shown"""
HEAD = ("#", "option", "complexity", "duration", "confidence", "risk", "score", "steps", "what")


def option_lines(options: Sequence[PlanOption], full: bool) -> list[str]:
    """The lines of an artifact that holds options, in their order; none without options.

    With its steps, in short too, what people wrote themselves and what an approval selects: the only one.
    """
    if not options:
        return []
    whole = [option for option in options if full or with_steps(option.source, len(options))]
    body = [*table(HEAD, option_rows(options)), "", summary(options), ""]
    if short := bullets(_in_short(option) for option in options if option not in whole):
        body += [*short, ""]
    body += [part for option in whole for part in _option(option)]
    return section("Options", body)


def with_steps(source: str, offered: int) -> bool:
    """Whether an option is told with its steps: people wrote it, or an approval selects it, the only one."""
    return people_wrote(source) or offered == 1


def option_rows(options: Sequence[PlanOption]) -> list[tuple[str, ...]]:
    """One row per option, in the columns of HEAD."""
    rows = []
    for number, (option, cells) in enumerate(zip(options, compare(options).matrix, strict=True), 1):
        values = {cell.criterion: cell.value for cell in cells}
        # The seed's form of a duration is for programs.
        values["Duration"] = estimate_words(option.plan.estimates.duration_minutes)
        rows.append(
            (
                str(number),
                option.id,
                *values.values(),
                str(len(option.plan.steps)),
                line(option.title or option.id, 60),
            )
        )
    return rows


def summary(options: Sequence[PlanOption]) -> str:
    """What the comparison comes down to, in the order that the options are in."""
    best = rank(options)[0].option
    if best == options[0]:
        return line(compare(options).summary)
    return (
        f"Option {options[0].id} comes first by the job's own weights; by score alone it would be {best.id}."
    )


def step_line(number: int, step: PlanStep) -> str:
    """`2. [testing] t: Run the tests, after S1; 2m`, without a duration where none is estimated."""
    after = f", after {', '.join(step.dependencies)}" if step.dependencies else ""
    takes = f"; {estimate_words(step.estimated_minutes)}" if step.estimated_minutes else ""
    return f"{number}. [{step.type}] {step.id}: {line(step.title, 120)}{after}{when(step)}{takes}"


def when(step: PlanStep) -> str:
    """Under which condition a step runs, with a comma before it; blank without one."""
    condition = step.condition
    if condition is None:
        return ""
    parts = [f"if {condition.step} is {condition.status}"] if condition.step else []
    if condition.path:
        parts.append(f"if {condition.path} {'exists' if condition.exists else 'does not exist'}")
    return f", {' and '.join(parts)}" if parts else ""


def _in_short(option: PlanOption) -> str:
    parts = [f"for: {text}" for text in option.pros] + [f"against: {text}" for text in option.cons]
    return f"{option.id}, v{option.plan.version}: {'; '.join(parts) or 'nothing is said for or against it'}"


def _option(option: PlanOption) -> list[str]:
    plan = option.plan
    source = f" ({line(option.source)})" if option.source else ""
    risks = [
        f"risk ({risk.impact} x {risk.likelihood}): {risk.description}"
        + (f": {risk.mitigation}" if risk.mitigation else "")
        for risk in plan.risks
    ]
    return [
        f"### {option.id}: {line(option.title or plan.title)}, v{plan.version}{source}",
        "",
        *([line(option.description), ""] if option.description.strip() else []),
        *(f"{step_line(number, step)}" for number, step in enumerate(plan.steps, 1)),
        "",
        *bullets(
            (*(f"for: {text}" for text in option.pros), *(f"against: {text}" for text in option.cons)),
            full=True,
        ),
        *bullets(risks, full=True),
        *_done(plan),
        "",
    ]


def doings(step: PlanStep) -> tuple[str, ...]:
    """What a step runs, then what it does to files, for whoever approves it."""
    return (*_runs(step), *_changes(step))


def _done(plan: Plan) -> list[str]:
    """What the steps run, then what they do to files."""
    run = [f"`{step.id}` {text}" for step in plan.steps for text in _runs(step)]
    changed = [f"`{step.id}`: {text}" for step in plan.steps for text in _changes(step)]
    return bullets((*run, *changed), full=True)


def _runs(step: PlanStep) -> list[str]:
    return [f"runs `{step.command}`"] if step.command else []


def _changes(step: PlanStep) -> Iterator[str]:
    """What a step does to files: each file, how a new one begins, and each edit as it is written."""
    for file in step.files:
        to = f" to `{file.to}`" if file.to else ""
        filled = f" with {_quoted(file.content)}" if file.content else ""
        yield f"{file.kind} `{file.path}`{to}{filled}"
        for edit in file.edits:
            yield f"in `{file.path}`, {_quoted(edit.old)} becomes {_quoted(edit.new)}"


def _quoted(text: str) -> str:
    return line(json.dumps(text, ensure_ascii=False), EDIT)
