"""VALIDATION: a model judges; files, methods, tests, coverage and independence are counted."""

from activities.desks.sources import Body, Sources, once
from activities.deterministic.risks import risks
from activities.deterministic.voice import wanted
from states.artifacts.implementation import ImplementationPlanArtifact
from states.checks.words import same
from states.coherence import dependencies_found
from states.complexity import higher, level_of
from states.words import Level, Phase

WEAK = 0.7
"""confidence below which a requirement is named in the warnings"""


def fill(body: Body, at: Sources) -> Body:
    """The whole artifact. Problems are left in `at.problems`."""
    brief, plan = at.brief, at.brief.planned()
    coverage = _coverage(body["requirement_coverage"], plan, at)
    independence = [
        {"subtask_id": name, "is_independent": not others, "dependencies_found": list(others)}
        for name, others in dependencies_found(plan).items()
    ]
    counted = [
        r.model_dump(mode="json") for r in risks(brief.found(), brief.clarified(), brief.designed(), plan)
    ]
    known = {same(risk["risk"]) for risk in body["risk_assessment"]}
    return {
        **body,
        "plan_digest": brief.digests[Phase.IMPLEMENTATION_PLAN],
        "plan_summary": _summary(Level(body["plan_summary"]["estimated_complexity"]), plan, at),
        "requirement_coverage": coverage,
        "risk_assessment": [*body["risk_assessment"], *(r for r in counted if same(r["risk"]) not in known)],
        "subtask_independence_check": independence,
        "warnings": _warnings(body["warnings"], coverage, independence),
        "open_points": once([*(p.model_dump(mode="json") for p in plan.open_points), *body["open_points"]]),
    }


def _coverage(given: list[Body], plan: ImplementationPlanArtifact, at: Sources) -> list[Body]:
    """One entry per requirement, in their order. Where no subtask covers one, no model's word helps."""
    required = {same(text): text for text in wanted(at.brief)}
    claims: dict[str, Body] = {}
    for number, claim in enumerate(given):
        key = same(claim["requirement"])
        where = f"requirement_coverage[{number}].requirement"
        if key not in required:
            at.problems.add(
                where, "no requirement says this; repeat them word for word", claim["requirement"]
            )
        elif key in claims:
            at.problems.add(where, "assessed twice; keep one entry", claim["requirement"])
        claims[key] = claim
    for key, text in required.items():
        if key not in claims:
            at.problems.add("requirement_coverage", "this requirement is not assessed", text)
    covered = {same(text) for subtask in plan.subtasks for text in subtask.covers}
    return [
        {
            "requirement": text,
            "implementation_approach": claims[key]["implementation_approach"],
            "coverage_confidence": claims[key]["coverage_confidence"] if key in covered else 0.0,
        }
        for key, text in required.items()
        if key in claims
    ]


def _summary(claimed: Level, plan: ImplementationPlanArtifact, at: Sources) -> Body:
    files = len({operation.file_path for operation in plan.file_operations})
    methods = {
        (s.location, m.method_name) for s in plan.subtasks for m in s.specification.method_implementations
    }
    created = {(path, name) for path, name in methods if not _has(path, name, at)}
    return {
        "files_affected": files,
        "methods_created": len(created),
        "methods_modified": len(methods) - len(created),
        "tests_planned": len(plan.test_plan.unit_tests) + len(plan.test_plan.integration_tests),
        "estimated_complexity": higher(level_of(files, bool(created)), claimed).value,
    }


def _has(path: str, name: str, at: Sources) -> bool:
    return any(s.path == path for s in at.index.find(name.rpartition("::")[2]))


def _warnings(said: list[str], coverage: list[Body], independence: list[Body]) -> list[str]:
    counted = []
    for claim in coverage:
        if claim["coverage_confidence"] == 0:
            counted.append(f"nothing covers {claim['requirement']!r}")
        elif claim["coverage_confidence"] < WEAK:
            counted.append(f"weakly covered ({claim['coverage_confidence']}): {claim['requirement']!r}")
    for check in independence:
        if not check["is_independent"]:
            others = ", ".join(check["dependencies_found"])
            counted.append(f"subtask {check['subtask_id']} cannot be done alone: {others}")
    return list(dict.fromkeys([*said, *counted]))
