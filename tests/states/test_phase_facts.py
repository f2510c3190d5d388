"""Facts are counted from the artifacts, never taken from their claims."""

import pytest

from states.artifacts.validation import RiskAssessment
from states.sensitive import TOPICS, sensitive_topics
from states.words import Level, Operation, Phase
from tests.states.good_plans import World, good_world


def test_discovery_hands_on_its_questions_and_estimate() -> None:
    facts = good_world(modified=2, created=1).review(Phase.DISCOVERY).facts
    (question,) = facts.questions
    assert (question.id, question.choices, question.recommended) == ("q1", ("first", "last"), "first")
    assert question.why == "the wrong thing runs"
    assert (facts.files_affected, facts.existing_pattern, facts.new_api, facts.new_model) == (
        3,
        True,
        False,
        False,
    )
    assert (facts.coverage, facts.independence) == (1.0, 1.0)


def test_answered_questions_are_no_longer_open_and_later_phases_carry_none() -> None:
    world = good_world()
    for phase in (Phase.CLARIFICATION, Phase.CONTRACTS, Phase.IMPLEMENTATION_PLAN, Phase.VALIDATION):
        assert world.review(phase).facts.questions == ()


def test_contracts_tell_what_is_new() -> None:
    assert good_world(created=1).review(Phase.CONTRACTS).facts.new_api
    assert not good_world(created=0).review(Phase.CONTRACTS).facts.new_api
    assert good_world().review(Phase.CONTRACTS).facts.follows_patterns
    claimed = good_world().with_change(Phase.CONTRACTS, follows_patterns=False)
    assert not claimed.review(Phase.CONTRACTS).facts.follows_patterns


def test_a_claim_to_follow_patterns_needs_a_pattern() -> None:
    world = good_world()
    estimate = world[Phase.DISCOVERY].estimate.model_copy(update={"existing_pattern": False})
    world = world.with_change(Phase.DISCOVERY, estimate=estimate)
    assert not world.review(Phase.CONTRACTS).facts.follows_patterns


@pytest.mark.parametrize(
    ("files", "contracts", "level"),
    [(1, False, Level.LOW), (2, False, Level.LOW), (3, False, Level.MEDIUM), (10, False, Level.HIGH)],
)
def test_complexity_is_counted(files: int, contracts: bool, level: Level) -> None:
    world = good_world(modified=files, created=0, contracts=contracts)
    assert world.review(Phase.IMPLEMENTATION_PLAN).facts.complexity is level
    assert world.review(Phase.IMPLEMENTATION_PLAN).facts.files_affected == files


def test_the_shares_of_a_plan() -> None:
    world = good_world(modified=2, created=1, requirements=4)
    first, second, *others = world[Phase.IMPLEMENTATION_PLAN].subtasks
    subtasks = (first.model_copy(update={"covers": (), "dependencies": ("x",)}), second, *others)
    facts = (
        world.with_change(Phase.IMPLEMENTATION_PLAN, subtasks=subtasks)
        .review(Phase.IMPLEMENTATION_PLAN)
        .facts
    )
    assert facts.coverage == 0.75
    assert facts.independence == 0.75


def test_two_subtasks_in_one_place_depend_on_each_other() -> None:
    world = good_world(modified=1, created=1)
    first, *others, last = world[Phase.IMPLEMENTATION_PLAN].subtasks
    subtasks = (first, *others, last.model_copy(update={"edits": first.edits}))
    facts = (
        world.with_change(Phase.IMPLEMENTATION_PLAN, subtasks=subtasks)
        .review(Phase.IMPLEMENTATION_PLAN)
        .facts
    )
    assert facts.independence == pytest.approx(1 / 3)


def test_confidence_and_risk_come_from_validation() -> None:
    world = good_world(requirements=2)
    one, two = world[Phase.VALIDATION].requirement_coverage
    coverage = (one, two.model_copy(update={"coverage_confidence": 0.4}))
    risky = RiskAssessment(risk="it breaks", probability=Level.HIGH, impact=Level.HIGH, mitigation="care")
    facts = world.review(Phase.VALIDATION).facts
    assert facts.confidence == pytest.approx(0.9)
    assert not facts.high_risk
    changed = world.with_change(Phase.VALIDATION, requirement_coverage=coverage, risk_assessment=(risky,))
    facts = changed.review(Phase.VALIDATION).facts
    assert facts.confidence == pytest.approx(0.65)
    assert facts.high_risk


def retasked(task: str) -> World:
    world = good_world()
    requirements = world[Phase.CLARIFICATION].updated_requirements
    return world.with_change(
        Phase.CLARIFICATION, updated_requirements=requirements.model_copy(update={"task": task})
    )


def test_sensitive_topics_are_found_in_task_contracts_and_paths() -> None:
    assert good_world().review(Phase.VALIDATION).facts.sensitive == ()
    task = retasked("Log in with a password and keep personal data private")
    assert task.review(Phase.VALIDATION).facts.sensitive == ("data privacy", "authentication")
    contracts = good_world()
    method = (
        contracts[Phase.CONTRACTS].method_contracts[0].model_copy(update={"purpose": "checks permissions"})
    )
    contracts = contracts.with_change(Phase.CONTRACTS, method_contracts=(method,))
    assert contracts.review(Phase.CONTRACTS).facts.sensitive == ("security models",)
    operation = good_world()[Phase.IMPLEMENTATION_PLAN].file_operations[0]
    path = operation.model_copy(update={"file_path": "db/migrations/0007_users.py"})
    paths = good_world().with_change(Phase.IMPLEMENTATION_PLAN, file_operations=(path,))
    assert paths.review(Phase.IMPLEMENTATION_PLAN).facts.sensitive == ("database schemas",)


def test_deleting_a_file_counts_as_removing_what_it_offered() -> None:
    world = good_world(deleted=1)
    assert any(o.operation is Operation.DELETE for o in world[Phase.IMPLEMENTATION_PLAN].file_operations)
    assert world.review(Phase.IMPLEMENTATION_PLAN).facts.sensitive == ("API removal",)


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("src/LegacyAuthService.py", ["authentication"]),
        ("OAuth2Service.refresh", ["authentication"]),
        ("Remove the deprecated v1 export endpoint", ["API removal"]),
        ("The /v1/users route is removed", ["API removal"]),
        ("Drop the column `age` from users", ["database schemas"]),
        ("Encrypt secrets at rest", ["security models"]),
        ("Comply with GDPR when exporting users", ["data privacy"]),
        ("db/schema.rb", ["database schemas"]),
        ("Show the author of each book", []),
        ("Tokenize words faster", []),
        ("Validate the JSON schema of the settings file", []),
        ("Remove trailing whitespace from docstrings", []),
        ("Make the table view wider", []),
    ],
)
def test_words_that_call_for_a_person(text: str, topics: list[str]) -> None:
    assert list(sensitive_topics([text])) == topics


def test_topics_come_in_one_order_whatever_the_texts() -> None:
    texts = ["login", "migration", "permissions", "gdpr", "remove the endpoint"]
    assert sensitive_topics(texts) == sensitive_topics(reversed(texts)) == tuple(TOPICS)
