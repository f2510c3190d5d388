"""The steps of a plan as a mermaid flowchart: what waits for what, and under which condition."""

from collections.abc import Iterator

from states.artifacts.plan import Plan, PlanStep, StepType
from states.steps import dependency_graph, resolve

LONGEST = 80
_SHAPES = {
    StepType.TESTING: ("([", "])"),
    StepType.VALIDATION: ("([", "])"),
    StepType.CODE_ANALYSIS: ("[/", "/]"),
}
_SPECIAL = {
    "#": "#35;",
    '"': "#quot;",
    "&": "#amp;",
    "<": "#lt;",
    ">": "#gt;",
    "`": "#96;",
    "\\": "#92;",
    "|": "#124;",
}


def plan_diagram(plan: Plan) -> str:
    """Mermaid text. Nodes are numbered as the steps are; what they are called is only ever a label."""
    return "\n".join(["flowchart TD", *(f"    {each}" for each in _lines(plan))]) + "\n"


def _lines(plan: Plan) -> Iterator[str]:
    nodes = {step.id: f"s{number}" for number, step in enumerate(plan.steps, 1)}
    for number, step in enumerate(plan.steps, 1):
        opening, closing = _SHAPES.get(step.type, ("[", "]"))
        yield f'{nodes[step.id]}{opening}"{_label(number, step)}"{closing}'
    waits = dependency_graph(plan)
    for step in plan.steps:
        yield from (f"{nodes[other]} --> {nodes[step.id]}" for other in waits[step.id])
        condition = step.condition
        found = resolve(plan, condition.step) if condition and condition.step else None
        if condition and found:
            yield f'{nodes[found.id]} -. "{_escaped(condition.status)}" .-> {nodes[step.id]}'


def _label(number: int, step: PlanStep) -> str:
    words = [f"{number}. {_escaped(step.title)}", _escaped(step.type.value.replace("_", " "))]
    if step.condition and step.condition.path:
        there = "is there" if step.condition.exists else "is not there"
        words.append(f"if {_escaped(step.condition.path)} {there}")
    return "<br/>".join(words)


def _escaped(text: str) -> str:
    """One line in which nothing is markup."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    line = line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
    return "".join(_SPECIAL.get(c, c) for c in line)
