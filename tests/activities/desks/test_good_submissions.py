"""A good submission of each phase becomes an artifact that the mechanical review approves."""

from typing import Any

from activities.deterministic.reviewer import MechanicalReviewer
from activities.index.shelf import IndexShelf
from states.agents import AgentEnd
from states.artifacts.base import Artifact
from states.artifacts.clarification import ClarificationArtifact
from states.artifacts.contracts import ContractDesignArtifact
from states.artifacts.discovery import ContextDiscoveryArtifact
from states.artifacts.implementation import ImplementationPlanArtifact
from states.artifacts.validation import ValidationArtifact
from states.people import BEST_GUESS
from states.words import WORK_PHASES, Level, Phase
from tests.activities.desks.good import EXPIRES, LINKS, QUESTION, REFUSES, SUBMISSIONS, TESTS
from tests.activities.desks.offices import MODEL, Office, answered, changed, without


async def made(office: Office, phase: Phase, **more: Any) -> Artifact:
    """What becomes of the good submission of a phase."""
    return await office.artifact(await office.submit(await office.plan(phase, **more), SUBMISSIONS[phase]))


async def test_all_phases_pass_the_mechanical_review(office: Office) -> None:
    artifacts: dict[Phase, Artifact] = {}
    digests: dict[Phase, str] = {}
    for phase in WORK_PHASES:
        order = await office.plan(phase, feedback=("say more",))
        given = await office.submit(order, SUBMISSIONS[phase])
        artifacts[phase] = await office.artifact(given)
        digests[phase] = given.answer["handover"].digest
        assert order.work is not None
        digests.update(order.work.built_from)
        artifacts.update(await office.briefing.artifacts(order.work.built_from))
        review = MechanicalReviewer(IndexShelf(None)).review(
            phase, artifacts, digests, office.root, office.commit
        )
        assert [f.what for f in review.findings if f.blocking] == []
        assert given.answer["end"] is AgentEnd.SUBMITTED
        assert given.answer["handover"].made_by == f"model:{MODEL}" == artifacts[phase].made_by
        assert artifacts[phase].feedback_answered == ("say more",)


async def test_equal_submissions_give_equal_digests(office: Office) -> None:
    for phase in WORK_PHASES:
        order = await office.plan(phase)
        first = await office.submit(order, SUBMISSIONS[phase])
        assert await office.submit(order, SUBMISSIONS[phase]) == first


async def test_discovery_reads_what_the_model_points_at(office: Office) -> None:
    found = await made(office, Phase.DISCOVERY)
    assert isinstance(found, ContextDiscoveryArtifact)
    assert found.commit == office.commit
    assert (found.files_total, found.languages["python"]) == (7, 5)
    understood = found.codebase_understanding
    assert understood.relevant_files == (LINKS, TESTS)
    assert [(f.role, f.tests) for f in understood.ranking] == [("source", (TESTS,)), ("test", ())]
    assert understood.integration_points[0].line == 16
    assert ("src/shop/links.py", "src/shop/store.py") in {
        (d.source, d.target) for d in understood.dependencies
    }
    context = found.extracted_context
    lines = (office.root / LINKS).read_text().splitlines()
    assert context.code_snippets == {f"{LINKS}:27-35": "\n".join(lines[26:35])}
    assert [(m.qualified, m.line) for m in context.existing_methods] == [
        ("LinkService.create_link", 27),
        ("LinkService.resolve_link", 35),
    ]
    assert [f.name for f in context.data_models[0].fields] == ["token", "url", "hits"]
    assert [a.id for a in found.ambiguities_discovered] == ["q1"]


async def test_a_question_keeps_its_id_and_never_takes_another(office: Office) -> None:
    known = (answered("q1", "Which of the two is meant here?", "both"), answered("q4", QUESTION, "no"))
    found = await made(office, Phase.DISCOVERY, answers=known)
    assert isinstance(found, ContextDiscoveryArtifact)
    assert [a.id for a in found.ambiguities_discovered] == ["q4"]
    other = changed(
        Phase.DISCOVERY, "ambiguities_discovered", 0, "question", to="Is a week seven times 24 hours?"
    )
    given = await office.submit(await office.plan(Phase.DISCOVERY, answers=known), other)
    again = await office.artifact(given)
    assert isinstance(again, ContextDiscoveryArtifact)
    assert [a.id for a in again.ambiguities_discovered] == ["q2"]


async def test_a_small_estimate_does_not_hide_a_new_interface(office: Office) -> None:
    task = {"task": "Add a function `expire_all` to the links.", "requirements": [], "constraints": []}
    office.task = task
    found = await made(office, Phase.DISCOVERY)
    assert isinstance(found, ContextDiscoveryArtifact)
    assert found.estimate.new_api is True


async def test_clarification_takes_nobody_for_a_person(office: Office) -> None:
    guessed = await made(office, Phase.CLARIFICATION)
    assert isinstance(guessed, ClarificationArtifact)
    (entry,) = guessed.resolved_ambiguities
    assert (entry.original_question, entry.human_response, entry.answered_by) == (QUESTION, "", BEST_GUESS)
    assert guessed.open_points[0].why.startswith("nobody answered; read by best guess as")
    said = (answered("q1", QUESTION, "new ones"), answered("follow-up-1-1", "In which zone?", "UTC"))
    order = await office.plan(Phase.CLARIFICATION, answers=said, says=("we are in Porto",))
    body = changed(
        Phase.CLARIFICATION,
        "resolved_ambiguities",
        to=[{"question_id": a.question_id, "clarification": f"so {a.text}"} for a in said],
    )
    clarified = await office.artifact(await office.submit(order, body))
    assert isinstance(clarified, ClarificationArtifact)
    assert [(r.human_response, r.answered_by) for r in clarified.resolved_ambiguities] == [
        ("new ones", "mia"),
        ("UTC", "mia"),
    ]
    assert clarified.domain_knowledge_gained == ("we are in Porto",)
    assert clarified.open_points == ()


async def test_what_people_gave_explicitly_cannot_be_dropped(office: Office) -> None:
    office.task["requirements"] = ["Hits are still counted"]
    clarified = await made(office, Phase.CLARIFICATION)
    assert isinstance(clarified, ClarificationArtifact)
    wanted = clarified.updated_requirements
    assert wanted.task == office.task["task"]
    assert wanted.requirements == ("Hits are still counted", EXPIRES, REFUSES)
    assert wanted.constraints == ("Keep the public API", "Links that exist already do not expire")


async def test_contracts_quote_the_code_and_not_the_model(office: Office) -> None:
    designed = await made(office, Phase.CONTRACTS)
    assert isinstance(designed, ContractDesignArtifact)
    create, expired, resolve = designed.method_contracts
    assert (create.line, create.current) == (27, 'def create_link(self, url: str, token: str = "") -> Link')
    assert create.callers == ("src/shop/api.py:11", "tests/test_links.py:13")
    assert (expired.line, expired.current, expired.callers) == (0, "", ())
    assert resolve.signature == resolve.current == "def resolve_link(self, token) -> (not annotated)"
    assert designed.data_models[0].line == 13
    assert designed.follows_patterns is False, "a new method departs from what is there"


async def test_the_plan_carries_the_code_of_every_bundle(office: Office) -> None:
    plan = await made(office, Phase.IMPLEMENTATION_PLAN)
    assert isinstance(plan, ImplementationPlanArtifact)
    first, second = plan.subtasks
    text = (office.root / LINKS).read_text()
    assert plan.file_operations[0].existing_code_context == text.rstrip("\n")
    assert first.context_bundle.existing_code == text.rstrip("\n")
    assert list(first.context_bundle.related_code_snippets) == ["src/shop/api.py:9-11"]
    assert [f.name for f in first.context_bundle.data_models[0].fields] == ["expires_at"], "as designed"
    assert first.context_bundle.utility_functions == (
        "src/shop/store.py:11 def get(self, key: str) -> object",
    )
    assert "test_create_link" in first.context_bundle.testing_patterns
    assert "ValueError" in first.context_bundle.error_handling_patterns
    assert first.edits == {LINKS: ((29.0, 35.0), (18.5, 18.5))}
    assert second.edits == {TESTS: ((16.5, 16.5),)}
    assert plan.test_plan.unit_tests[0].extends is True


async def test_a_new_file_may_be_planned(office: Office) -> None:
    body = changed(Phase.IMPLEMENTATION_PLAN, "subtasks", 1, "location", to="tests/test_expiry.py")
    body["subtasks"][1] |= {"operation": "CREATE", "edits": ["tests/test_expiry.py"]}
    body["file_operations"][1] |= {"file_path": "tests/test_expiry.py", "operation": "CREATE"}
    body["test_plan"]["unit_tests"][0]["path"] = "tests/test_expiry.py"
    plan = await office.artifact(await office.submit(await office.plan(Phase.IMPLEMENTATION_PLAN), body))
    assert isinstance(plan, ImplementationPlanArtifact)
    assert plan.subtasks[1].edits == {"tests/test_expiry.py": ()}
    assert "A test of tests/test_links.py" in plan.subtasks[1].context_bundle.testing_patterns


async def test_validation_counts_and_believes_no_confidence_without_a_subtask(office: Office) -> None:
    validated = await made(office, Phase.VALIDATION)
    assert isinstance(validated, ValidationArtifact)
    summary = validated.plan_summary
    assert (summary.files_affected, summary.tests_planned) == (2, 1)
    assert [c.requirement for c in validated.requirement_coverage] == [EXPIRES, REFUSES]
    assert [c.is_independent for c in validated.subtask_independence_check] == [True, True]
    assert summary.estimated_complexity in (Level.LOW, Level.MEDIUM)
    assert validated.warnings == ("nobody said what a day is", f"weakly covered (0.6): {EXPIRES!r}")
    risks = [r.risk for r in validated.risk_assessment]
    assert risks[0] == "clocks differ"
    assert any("a guess may be wrong" in risk for risk in risks), "counted ones cannot be left out"


async def test_new_requirements_of_a_restart_are_assessed_too(office: Office) -> None:
    order = await office.plan(Phase.VALIDATION, changes=("Links must survive a restart",))
    refused = await office.submit(order, SUBMISSIONS[Phase.VALIDATION])
    assert "this requirement is not assessed (given: 'Links must survive a restart" in refused.error
    body = changed(Phase.VALIDATION, "risk_assessment", to=[])
    claim = {"requirement": "Links must survive a restart", "implementation_approach": "they do"}
    body["requirement_coverage"].append({**claim, "coverage_confidence": 1})
    validated = await office.artifact(await office.submit(order, body))
    assert isinstance(validated, ValidationArtifact)
    assert validated.requirement_coverage[-1].coverage_confidence == 0, "no subtask covers it"


async def test_what_may_be_left_out(office: Office) -> None:
    for phase, field in ((Phase.DISCOVERY, "ambiguities_discovered"), (Phase.CONTRACTS, "data_models")):
        given = await office.submit(await office.plan(phase), without(phase, field))
        assert given.error == ""
