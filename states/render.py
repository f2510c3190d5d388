"""Artifacts as markdown that people read in a terminal or a browser."""

from states.amounts import counted
from states.artifacts.base import Artifact
from states.artifacts.clarification import ClarificationArtifact
from states.artifacts.contracts import ContractDesignArtifact, MethodContract
from states.artifacts.discovery import Ambiguity, ContextDiscoveryArtifact
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.validation import ValidationArtifact
from states.option_checks import about_options, stand_alone
from states.render_options import option_lines
from states.render_parts import bullets, code, line, models, opening, section, table, undecided
from states.render_plan import plan_lines

BESIDE = "Beside it: the planner's own plan"
"""heads what a planner found where people brought their plan along"""


def markdown(artifact: Artifact, full: bool = False) -> str:
    """The artifact of any phase. `full` unfolds code and long lists."""
    match artifact:
        case ContextDiscoveryArtifact():
            lines = _discovery(artifact, full)
        case ClarificationArtifact():
            lines = _clarification(artifact, full)
        case ContractDesignArtifact():
            lines = _contracts(artifact, full)
        case ImplementationPlanArtifact():
            lines = plan_lines(artifact, full)
        case ValidationArtifact():
            lines = _validation(artifact, full)
        case _:
            raise TypeError(
                f"no rendering is known for {type(artifact).__name__}; add a case to states/render.py"
            )
    return "\n".join(lines).rstrip() + "\n"


def _discovery(found: ContextDiscoveryArtifact, full: bool) -> list[str]:
    understood, context = found.codebase_understanding, found.extracted_context
    ranked = [
        (str(n), r.path, r.role, line("; ".join(r.reasons), 70), line(", ".join(r.tests), 50))
        for n, r in enumerate(understood.ranking, 1)
    ]
    spoken = "".join(f", {name} {count}" for name, count in found.languages.items())
    methods = [
        f"`{m.qualified}` {m.path}:{m.line} `{line(m.signature, 120)}`" for m in context.existing_methods
    ]
    snippets = [
        part for place, text in context.code_snippets.items() for part in (f"{place}:", *code(text, full), "")
    ]
    return [
        *opening("Discovery", found, full),
        f"Commit {found.commit[:12]} ({found.source}), {counted(found.files_total, 'file')}{spoken}.",
        "",
        *section("Questions", [part for q in found.ambiguities_discovered for part in _question(q, full)]),
        *section("Relevant files", table(("#", "file", "role", "why", "tests"), ranked)),
        *section("Symbols", bullets(methods, full)),
        *section("Data models", models(context.data_models)),
        *section(
            "Patterns",
            bullets(
                (
                    f"{p.name}: {p.description}{f' ({p.example})' if p.example else ''}"
                    for p in understood.existing_patterns
                ),
                full,
            ),
        ),
        *section(
            "Who uses what",
            bullets(
                (
                    f"{i.path}{f':{i.line}' if i.line else ''} {i.kind} {i.target}"
                    for i in understood.integration_points
                ),
                full,
            ),
        ),
        *section(
            "Dependencies",
            bullets(
                (
                    f"{d.source} -> {d.target}{' (external)' if d.external else ''}"
                    for d in understood.dependencies
                ),
                full,
            ),
        ),
        *section("Conventions", bullets(found.conventions, full)),
        *section("Code", snippets),
    ]


def _question(ambiguity: Ambiguity, full: bool) -> list[str]:
    choices = [
        f"{n}. {c.label}{' (recommended)' if c.label == ambiguity.recommended else ''}"
        f"{f' - {line(c.summary)}' if c.summary else ''}"
        for n, c in enumerate(ambiguity.candidates, 1)
    ]
    return [
        f"### {ambiguity.id}: {line(ambiguity.question)}",
        "",
        *choices,
        *([""] if choices else []),
        f"If wrong: {line(ambiguity.impact_if_wrong)}",
        "",
        *([*code(ambiguity.context, full), ""] if ambiguity.context.strip() else []),
    ]


def _clarification(clarified: ClarificationArtifact, full: bool) -> list[str]:
    wanted = clarified.updated_requirements
    answers = []
    for resolved in clarified.resolved_ambiguities:
        answers += [
            f"- {line(resolved.original_question)}",
            f"  - {resolved.answered_by}: {line(resolved.clarification)}",
        ]
        if resolved.human_response and line(resolved.human_response) != line(resolved.clarification):
            answers.append(f'  - in their words: "{line(resolved.human_response)}"')
    return [
        *opening("Clarification", clarified, full),
        *section("Task", [line(wanted.task, 0 if full else 600)]),
        *section("Requirements", [f"{n}. {line(r)}" for n, r in enumerate(wanted.requirements, 1)]),
        *section("Constraints", bullets(wanted.constraints, full)),
        *section("Questions and answers", answers),
        *section("Learned in the dialogue", bullets(clarified.domain_knowledge_gained, full)),
    ]


def _contracts(designed: ContractDesignArtifact, full: bool) -> list[str]:
    methods = [part for m in designed.method_contracts for part in _method(m, full)]
    apis = [
        (
            a.method,
            a.endpoint,
            ", ".join(f"{k}: {v}" for k, v in a.request_schema.items()),
            ", ".join(map(str, a.response_schema.values())),
        )
        for a in designed.api_contracts
    ]
    relied = [
        f"{i.component} (`{line(i.interface, 120)}`) is relied on by {', '.join(i.dependencies) or 'nobody'}"
        for i in designed.integration_contracts
    ]
    return [
        *opening("Contracts", designed, full),
        f"Follows existing patterns: {'yes' if designed.follows_patterns else 'no'}.",
        "",
        *section("Methods", methods),
        *section("Data models", models(designed.data_models)),
        *section("Outside interfaces", table(("method", "endpoint", "takes", "gives"), apis)),
        *section("Who relies on it", bullets(relied, full)),
    ]


def _method(method: MethodContract, full: bool) -> list[str]:
    same = method.current == method.signature
    shown = (
        [method.signature] if same or not method.current else [f"- {method.current}", f"+ {method.signature}"]
    )
    place = f"{method.path}:{method.line}" if method.line else method.path
    callers = [", ".join(method.callers if full else method.callers[:6])] if method.callers else []
    more = f" and {len(method.callers) - 6} more" if len(method.callers) > 6 and not full else ""
    return [
        f"### {method.change}: {method.qualified} ({place})",
        "",
        *code("\n".join(shown), full),
        "",
        f"- purpose: {line(method.purpose)}",
        *[f"- used at: {c}{more}" for c in callers],
        *[f"- errors: {line(e)}" for e in method.error_handling],
        *([f"- tests: {line(method.test_approach)}"] if method.test_approach else []),
        "",
    ]


def _validation(checked: ValidationArtifact, full: bool) -> list[str]:
    """What is offered and what stands behind it; a plan that people wrote before what the planner found."""
    head, found = opening("Validation", checked, full), _planned(checked, full)
    options = option_lines(checked.options, full)
    if not stand_alone(checked.options):
        return [*head, *found[:2], *options, *found[2:]]
    mine = tuple(point for point in checked.open_points if about_options(point))
    others = tuple(point for point in checked.open_points if point not in mine)
    return [
        *opening("Validation", checked.model_copy(update={"open_points": mine}), full),
        *options,
        *section(BESIDE, ["Nothing of this is carried out."]),
        *undecided(others, full),
        *found,
    ]


def _planned(checked: ValidationArtifact, full: bool) -> list[str]:
    """What the planner's own plan comes to."""
    summary = checked.plan_summary
    coverage = [
        (
            f"{c.coverage_confidence:.0%}",
            line(c.requirement, 0 if full else 90),
            line(c.implementation_approach, 0 if full else 110),
        )
        for c in checked.requirement_coverage
    ]
    risks = [
        (r.probability, r.impact, line(r.risk, 0 if full else 100), line(r.mitigation, 0 if full else 100))
        for r in checked.risk_assessment
    ]
    dependent = [
        f"{c.subtask_id} depends on {', '.join(c.dependencies_found)}"
        for c in checked.subtask_independence_check
        if not c.is_independent
    ]
    every = len(checked.subtask_independence_check)
    return [
        f"Of plan {checked.plan_digest[:12]}: {counted(summary.files_affected, 'file')}, "
        f"{counted(summary.methods_created, 'new method')}, {summary.methods_modified} changed, "
        f"{counted(summary.tests_planned, 'test')}; "
        f"complexity {summary.estimated_complexity}.",
        "",
        *section("Warnings", bullets(checked.warnings, full)),
        *section("Requirements", table(("sure", "requirement", "how"), coverage)),
        *section("Risks", table(("probability", "impact", "risk", "what to do"), risks)),
        *section(
            "Independence",
            [
                f"{every - len(dependent)} of {counted(every, 'subtask')} can be done alone.",
                *bullets(dependent, full),
            ],
        ),
    ]
