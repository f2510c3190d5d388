"""The plan as markdown: files, subtasks, tests."""

from states.artifacts.implementation import ImplementationPlanArtifact, Subtask
from states.render_options import option_lines
from states.render_parts import bullets, code, line, models, opening, section, table


def plan_lines(plan: ImplementationPlanArtifact, full: bool) -> list[str]:
    """The lines of an IMPLEMENTATION_PLAN artifact."""
    files = [
        (
            o.operation,
            o.file_path,
            line(", ".join(o.affected_methods), 60),
            line(o.changes_description, 0 if full else 90),
        )
        for o in plan.file_operations
    ]
    tests = [
        (kind, t.path, t.name, line(t.proves, 0 if full else 80))
        for kind, group in (
            ("unit", plan.test_plan.unit_tests),
            ("integration", plan.test_plan.integration_tests),
        )
        for t in group
    ]
    return [
        *opening("Implementation plan", plan, full),
        *section("Files", table(("operation", "file", "symbols", "what"), files)),
        *section("Subtasks", [part for s in plan.subtasks for part in _subtask(s, full)]),
        *section("Tests", table(("kind", "file", "test", "proves"), tests)),
        *section("Test data", bullets(plan.test_plan.test_data_requirements, full)),
        *section("Notes", bullets(plan.implementation_notes, full)),
        *option_lines(plan.options, full),
    ]


def _subtask(subtask: Subtask, full: bool) -> list[str]:
    ranges = [f"{path} {_lines(found)}" for path, found in subtask.edits.items()]
    needs = [f"**depends on {', '.join(subtask.dependencies)}**"] if subtask.dependencies else []
    return [
        f"### {subtask.subtask_id}: {line(subtask.title)}",
        "",
        f"{subtask.operation} {subtask.location}" + (f"; edits {'; '.join(ranges)}" if ranges else ""),
        "",
        *bullets(needs),
        *bullets(subtask.specification.exact_changes, full),
        "",
        *_listed(
            "Methods",
            [
                f"`{m.method_name}`: {m.implementation_approach}"
                for m in subtask.specification.method_implementations
            ],
            full,
        ),
        *_listed("Done when", subtask.acceptance_criteria, full),
        *_listed("Check", subtask.testing.verification_steps, full),
        *_context(subtask, full),
    ]


def _listed(title: str, items: tuple[str, ...] | list[str], full: bool) -> list[str]:
    return [f"{title}:", *bullets(items, full), ""] if items else []


def _context(subtask: Subtask, full: bool) -> list[str]:
    """The context bundle: one line of what it holds, and all of it when `full`."""
    bundle = subtask.context_bundle
    held = [
        (len(bundle.existing_code.splitlines()), "lines of existing code"),
        (len(bundle.related_code_snippets), "related snippets"),
        (len(bundle.data_models), "data models"),
        (len(bundle.utility_functions), "helpers"),
    ]
    summary = "Context: " + (", ".join(f"{n} {what}" for n, what in held if n) or "none")
    if not full:
        return [summary, ""]
    related = [
        part
        for place, text in bundle.related_code_snippets.items()
        for part in (f"{place}:", *code(text, full))
    ]
    return [
        summary,
        "",
        *(
            [f"{subtask.location} today:", *code(bundle.existing_code, full), ""]
            if bundle.existing_code
            else []
        ),
        *([*related, ""] if related else []),
        *models(bundle.data_models),
        *_listed("Helpers", bundle.utility_functions, full),
        *([*code(bundle.testing_patterns, full), ""] if bundle.testing_patterns else []),
        *([*code(bundle.error_handling_patterns, full), ""] if bundle.error_handling_patterns else []),
    ]


def _lines(ranges: tuple[tuple[float, float], ...]) -> str:
    """Old-file ranges for people: `27-33, after 40`; an insertion has a half in it."""
    if not ranges:
        return "(new)"
    return ", ".join(f"after {int(a)}" if a == b and a % 1 else f"{a:g}-{b:g}" for a, b in ranges)
