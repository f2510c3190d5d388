"""Good submissions about the shop of `tests.activities.deterministic.small_repos`: phases and options."""

from typing import Any

from states.words import Phase

LINKS = "src/shop/links.py"
TESTS = "tests/test_links.py"
QUESTION = "Do links that exist already expire too?"
EXPIRES = "A link expires seven days after it was created"
REFUSES = "`resolve_link` refuses an expired link with a LinkError"

SUBMISSIONS: dict[Phase, dict[str, Any]] = {
    Phase.DISCOVERY: {
        "codebase_understanding": {
            "ranking": [
                {"path": LINKS, "reasons": ["defines `create_link` and `resolve_link`"]},
                {"path": TESTS, "reasons": ["tests both"]},
            ],
            "existing_patterns": [
                {"name": "errors", "description": "Bad links raise LinkError", "example": f"{LINKS}:8-9"}
            ],
            "integration_points": [
                {"path": "src/shop/api.py", "target": "LinkService.resolve_link", "kind": "call"}
            ],
        },
        "ambiguities_discovered": [
            {
                "question": QUESTION,
                "context": "`Link` holds no time, so that the age of stored links is unknown",
                "impact_if_wrong": "links that people use would stop working",
                "candidates": [{"label": "all links"}, {"label": "new links only", "path": LINKS}],
                "recommended": "new links only",
            }
        ],
        "extracted_context": {
            "code_snippets": [f"{LINKS}:27-35"],
            "existing_methods": [f"{LINKS}::LinkService.create_link", "LinkService.resolve_link"],
            "data_models": ["Link"],
        },
        "estimate": {"files_affected": 2, "existing_pattern": True},
    },
    Phase.CLARIFICATION: {
        "resolved_ambiguities": [
            {"question_id": "q1", "clarification": "Only links made from now on expire"}
        ],
        "updated_requirements": {
            "requirements": [EXPIRES, REFUSES],
            "constraints": ["Links that exist already do not expire"],
        },
    },
    Phase.CONTRACTS: {
        "method_contracts": [
            {
                "class_name": "LinkService",
                "method_name": "create_link",
                "signature": 'def create_link(self, url: str, token: str = "", days: int = 7) -> Link',
                "purpose": "Make a link that expires after so many days",
                "path": LINKS,
                "change": "modify",
            },
            {
                "class_name": "Link",
                "method_name": "expired",
                "signature": "def expired(self, now: float) -> bool",
                "purpose": "Whether the link is too old",
                "path": LINKS,
                "change": "new",
            },
            {
                "class_name": "LinkService",
                "method_name": "resolve_link",
                "signature": "whatever -> a model says",
                "purpose": "Its callers rely on it",
                "path": LINKS,
                "change": "keep",
            },
        ],
        "data_models": [
            {
                "name": "Link",
                "path": LINKS,
                "fields": [{"name": "expires_at", "type": "float"}],
                "status": "modified",
            }
        ],
        "follows_patterns": True,
    },
    Phase.IMPLEMENTATION_PLAN: {
        "file_operations": [
            {
                "file_path": LINKS,
                "operation": "modify",
                "changes_description": "Links know when they expire",
                "affected_methods": ["LinkService.create_link", "LinkService.resolve_link", "Link.expired"],
            },
            {"file_path": TESTS, "operation": "MODIFY", "changes_description": "Prove both"},
        ],
        "subtasks": [
            {
                "subtask_id": "s1",
                "title": "Let links expire",
                "location": LINKS,
                "operation": "MODIFY",
                "covers": [EXPIRES, REFUSES],
                "edits": [f"{LINKS}:29-35", f"{LINKS}:18+"],
                "context_bundle": {
                    "related_code_snippets": ["src/shop/api.py:9-11"],
                    "data_models": ["Link"],
                    "utility_functions": ["src/shop/store.py::Store.get"],
                },
                "specification": {"exact_changes": ["Add `expires_at` to `Link`"]},
                "testing": {"unit_tests_to_create": [f"{TESTS}::test_expired"]},
                "acceptance_criteria": ["an expired link raises LinkError"],
            },
            {
                "subtask_id": "s2",
                "title": "Prove it",
                "location": TESTS,
                "covers": [REFUSES],
                "edits": [f"{TESTS}:16+"],
                "specification": {"exact_changes": ["Add `test_expired`"]},
                "acceptance_criteria": ["it fails without the change"],
            },
        ],
        "test_plan": {"unit_tests": [{"path": TESTS, "name": "test_expired", "proves": REFUSES}]},
    },
    Phase.VALIDATION: {
        "plan_summary": {"estimated_complexity": "LOW"},
        "requirement_coverage": [
            {"requirement": REFUSES, "implementation_approach": "s1, s2", "coverage_confidence": 0.9},
            {"requirement": EXPIRES, "implementation_approach": "s1", "coverage_confidence": 0.6},
        ],
        "risk_assessment": [
            {"risk": "clocks differ", "probability": "LOW", "impact": "LOW", "mitigation": "use one clock"}
        ],
        "warnings": ["nobody said what a day is"],
    },
}


def _option(title: str, confidence: float, *work: str) -> dict[str, Any]:
    """One step after the other: `work` is ids of subtasks, and `test`."""
    steps: list[dict[str, Any]] = []
    for number, what in enumerate(work, 1):
        step = {"id": f"step{number}", "title": f"{what} {number}", "action": f"do {what}"}
        step |= (
            {"type": "testing", "command": "python -m pytest"}
            if what == "test"
            else {"type": "code_generation", "subtask": what}
        )
        steps.append({**step, "dependencies": [steps[-1]["id"]] if steps else []})
    estimates = {"duration_minutes": 10 * len(work), "complexity": "low", "confidence": confidence}
    return {"title": title, "description": title, "plan": {"steps": steps, "estimates": estimates}}


OPTIONS = (
    _option("Everything, then the tests", 0.6, "s1", "s2", "test"),
    _option("Only the code", 0.9, "s1", "test"),
    _option("Tested after each part", 0.7, "s1", "test", "s2", "test"),
)
"""ways to carry out the plan above, as agents hand them over"""
