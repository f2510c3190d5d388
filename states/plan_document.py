"""The whole plan as one document in the CooperBench format (CooperBench seed, Plan Format)."""

from collections.abc import Iterator

from states.approvals import approvals, warning
from states.artifacts.clarification import ClarificationArtifact
from states.artifacts.contracts import ContractDesignArtifact
from states.artifacts.implementation import FileOperation, ImplementationPlanArtifact, Subtask
from states.artifacts.validation import ValidationArtifact
from states.option_checks import stand_alone
from states.option_diagram import plan_diagram
from states.record import JobRecord
from states.render_options import HEAD, option_rows, step_line
from states.render_parts import code, line, old_lines, table
from states.spending import in_words, spending
from states.words import Operation

_ACTIONS = {Operation.CREATE: "Create", Operation.MODIFY: "Modify", Operation.DELETE: "Delete"}
MOST_LINES = 200
BESIDE = (
    "A person brought the plan along: what is carried out are its steps, under OPTIONS. "
    "The rest is the planner's own plan, which stands beside it."
)


def plan_document(
    clarification: ClarificationArtifact,
    contracts: ContractDesignArtifact | None,
    plan: ImplementationPlanArtifact,
    validation: ValidationArtifact | None,
    record: JobRecord,
) -> str:
    """What an implementer needs, in one text. `[to be written: ...]` marks code that is not there yet."""
    steps = [part for n, step in enumerate(_steps(plan), 1) for part in _step(n, *step)]
    lines = [
        "# FEATURE IMPLEMENTATION PLAN",
        "",
        *([f"> {first}", ""] if (first := warning(record)) else []),
        *([f"> {BESIDE}", ""] if validation and stand_alone(validation.options) else []),
        "## CONTEXT",
        *_context(clarification, plan),
        "",
        "## TECHNICAL DETAILS",
        "Architecture:",
        *_architecture(contracts, plan),
        "",
        "Critical Notes:",
        *_notes(clarification, plan, validation),
        "",
        "## STEP-BY-STEP IMPLEMENTATION",
        "",
        *(steps or ["No step is planned: see the critical notes for what has to be decided first."]),
        *_options(validation, record),
        "## APPROVALS",
        "",
        *(f"- {line(each)}" for each in approvals(record)),
        "",
        *_models(record),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _options(validation: ValidationArtifact | None, record: JobRecord) -> Iterator[str]:
    """The ways to carry it out, with steps and picture of the one that is selected, else of the best."""
    if validation is None or not validation.options:
        return
    chosen = record.selected
    shown = next((o for o in validation.options if chosen and o.id == chosen.option), validation.options[0])
    said = f"selected by {line(chosen.by)}" if chosen else "ranked first; none is selected yet"
    yield "## OPTIONS"
    yield ""
    yield from table(HEAD, option_rows(validation.options))
    yield ""
    yield f"Steps of option {shown.id}, {said}:"
    yield ""
    yield from (step_line(number, step) for number, step in enumerate(shown.plan.steps, 1))
    yield ""
    yield from ("```mermaid", plan_diagram(shown.plan).rstrip(), "```", "")


def _models(record: JobRecord) -> Iterator[str]:
    """What models did and what it cost, by phase and agent; nothing for a job without models."""
    if not record.agents:
        return
    yield "## MODELS"
    yield ""
    yield f"{in_words(record.spent(), record.budget_usd, record.budget_tokens)}."
    yield ""
    for phase, used in spending(record).items():
        current = record.current(phase)
        made = f" Made by {current.made_by}." if current else ""
        yield f"- {phase.name}: {in_words(used)}.{made}"
        for agent in record.agents:
            if agent.phase is phase:
                names = ", ".join(agent.used) or "no reply"
                end = agent.end or "still at work"
                yield f"  - {line(f'{agent.id} ({names}), {end}: {in_words(agent.usage)}')}"


def _context(clarification: ClarificationArtifact, plan: ImplementationPlanArtifact) -> Iterator[str]:
    wanted = clarification.updated_requirements
    files = len(plan.file_operations)
    yield f"Problem: {line(wanted.task, 1500)}"
    changed = "one file" if files == 1 else f"{files} files"
    yield f"Goal: after changes to {changed} every requirement below holds and all tests pass."
    yield "Requirements:"
    yield from (f"{n}. {line(r)}" for n, r in enumerate(wanted.requirements, 1))


def _architecture(
    contracts: ContractDesignArtifact | None, plan: ImplementationPlanArtifact
) -> Iterator[str]:
    for operation in plan.file_operations:
        yield f"- `{operation.file_path}` ({operation.operation}): {line(operation.changes_description)}"
    if contracts is None:
        yield "- Contracts were skipped: the task is simple."
        return
    for relied in contracts.integration_contracts:
        yield f"- `{relied.component}` is relied on by {', '.join(relied.dependencies)}"
    for model in contracts.data_models:
        fields = ", ".join(f"{f.name}{f': {f.type}' if f.type else ''}" for f in model.fields)
        yield f"- Data model `{model.name}`{f' ({model.path})' if model.path else ''}: {fields}"


def _notes(
    clarification: ClarificationArtifact,
    plan: ImplementationPlanArtifact,
    validation: ValidationArtifact | None,
) -> Iterator[str]:
    yield from (f"- Constraint: {line(c)}" for c in clarification.updated_requirements.constraints)
    for resolved in clarification.resolved_ambiguities:
        said = f"{resolved.answered_by}: {line(resolved.clarification)}"
        yield f"- {line(resolved.original_question, 160)} {said}"
    yield from (f"- OPEN {line(p.subject, 160)}: {line(p.why)}" for p in plan.open_points)
    yield from (
        f"- {line(n)}" for n in plan.implementation_notes if not n.startswith(("Constraint", "Known"))
    )
    for risk in validation.risk_assessment if validation else ():
        yield f"- RISK ({risk.probability} x {risk.impact}) {line(risk.risk)}: {line(risk.mitigation)}"


def _steps(plan: ImplementationPlanArtifact) -> Iterator[tuple[Subtask, str, FileOperation | None]]:
    """One step per file that a subtask edits, its own file first."""
    operations = {o.file_path: o for o in plan.file_operations}
    for subtask in plan.subtasks:
        for path in dict.fromkeys((subtask.location, *subtask.edits)):
            yield subtask, path, operations.get(path)


def _step(number: int, subtask: Subtask, path: str, operation: FileOperation | None) -> Iterator[str]:
    action = operation.operation if operation else subtask.operation
    main = path == subtask.location
    ranges = subtask.edits.get(path, ())
    title = subtask.title if main else f"{_ACTIONS[action]} {path}"
    yield f"### Step {number}: {line(title)}"
    yield f"File: `{path}`"
    yield f"Location: {_location(ranges, action)}"
    yield f"Action: {'Add' if action is Operation.MODIFY and _inserts(ranges) else _ACTIONS[action]}"
    yield from _before(ranges, operation, action)
    yield from _after(subtask, path, action)
    yield "Critical Details:"
    yield from (f"- {line(d)}" for d in _details(subtask, main))
    yield ""


def _inserts(ranges: tuple[tuple[float, float], ...]) -> bool:
    """Whether everything is inserted between old lines."""
    return bool(ranges) and all(a == b and a % 1 for a, b in ranges)


def _location(ranges: tuple[tuple[float, float], ...], action: Operation) -> str:
    if action is Operation.CREATE or not ranges:
        return "the whole file"
    places = [
        f"after line {int(a)}" if a == b and a % 1 else f"Lines {max(1, int(a))}-{int(b)}" for a, b in ranges
    ]
    return ", ".join(places)


def _before(
    ranges: tuple[tuple[float, float], ...], operation: FileOperation | None, action: Operation
) -> Iterator[str]:
    if action is Operation.CREATE or _inserts(ranges) or operation is None:
        yield "Before Code: [none - new addition]"
        return
    context = operation.existing_code_context
    quoted = {(a, b): old_lines(context, max(1, a), b) for a, b in ranges if not (a == b and a % 1)}
    found = {place: text for place, text in quoted.items() if text}
    yield "Before Code:"
    for (first, last), text in found.items():
        if len(found) > 1:
            yield f"(lines {first:g}-{last:g})"
        yield from code(text, most=MOST_LINES)
    if not found:
        yield from code(context, most=MOST_LINES)


def _after(subtask: Subtask, path: str, action: Operation) -> Iterator[str]:
    if action is Operation.DELETE:
        yield "After Code: [none - the file is deleted]"
        return
    if path != subtask.location:
        names = ", ".join(t.rpartition(": ")[2] for t in subtask.testing.unit_tests_to_create)
        yield f"After Code: [to be written: {names or 'the tests of this subtask'}]"
        return
    methods = [f"`{m.signature or m.method_name}`" for m in subtask.specification.method_implementations]
    what = ", ".join(methods) or f"the change of {path}"
    purpose = "; ".join(line(c) for c in subtask.covers)
    yield f"After Code: [to be written: {what}{f', so that: {purpose}' if purpose else ''}]"


def _details(subtask: Subtask, main: bool) -> Iterator[str]:
    if not main:
        yield from subtask.testing.unit_tests_to_create
        yield from subtask.testing.verification_steps
        return
    yield from subtask.specification.exact_changes
    for method in subtask.specification.method_implementations:
        yield from (f"{method.method_name}: {case}" for case in method.edge_cases)
    yield from subtask.specification.integration_points
    yield from (f"done when: {c}" for c in subtask.acceptance_criteria)
    yield from subtask.testing.verification_steps
