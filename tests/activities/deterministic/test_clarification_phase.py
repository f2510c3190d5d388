"""CLARIFICATION: answers in any order, partial, corrected; messages; guesses; restarts."""

from pathlib import Path

import pytest

from activities.brief import Answered, Brief
from activities.deterministic.clarification import clarify
from activities.orders import SHOWED
from states.artifacts.clarification import ClarificationArtifact
from states.artifacts.discovery import Ambiguity, Candidate, ContextDiscoveryArtifact
from states.words import Phase
from tests.activities.deterministic.small_repos import SHOP, make

WHICH = Ambiguity(
    id="q1",
    question="Which authentication is meant?",
    context="class OAuth2Service ...",
    impact_if_wrong="the wrong one changes",
    candidates=(
        Candidate(label="OAuth2Service", path="auth/oauth2.py"),
        Candidate(label="LegacyAuthService", path="auth/legacy.py"),
        Candidate(label="both", summary="change each of them"),
    ),
    recommended="OAuth2Service",
)
HOW_LONG = Ambiguity(
    id="q2", question="How long is a link valid?", context="", impact_if_wrong="links die early"
)


def brief(**fields: object) -> Brief:
    found = ContextDiscoveryArtifact(commit="c", ambiguities_discovered=(WHICH, HOW_LONG))
    given = {"task": "Update authentication. Users must sign in again after a day.", **fields}
    return Brief(job="j", root=Path("."), commit="c", upstream={Phase.DISCOVERY: found}, **given)  # type: ignore[arg-type]


def entry(artifact: ClarificationArtifact, question: str) -> tuple[str, str, str]:
    found = next(r for r in artifact.resolved_ambiguities if r.question_id == question)
    return found.human_response, found.clarification, found.answered_by


def answered(question: str, text: str, by: str = "ana") -> Answered:
    return Answered(question, "", text, by)


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("OAuth2Service", "`OAuth2Service` in auth/oauth2.py is meant, not `LegacyAuthService`"),
        ("2", "`LegacyAuthService` in auth/legacy.py is meant, not `OAuth2Service`"),
        (
            "the legacyauthservice please",
            "`LegacyAuthService` in auth/legacy.py is meant, not `OAuth2Service`",
        ),
        (
            "OAuth2Service, not LegacyAuthService",
            "`OAuth2Service` in auth/oauth2.py is meant, not `LegacyAuthService`",
        ),
        ("both", "`OAuth2Service` in auth/oauth2.py and `LegacyAuthService` in auth/legacy.py are meant"),
        (
            "Both of them",
            "`OAuth2Service` in auth/oauth2.py and `LegacyAuthService` in auth/legacy.py are meant",
        ),
        ("something else entirely", "something else entirely"),
    ],
)
def test_an_answer_is_read_as_people_mean_it(text: str, reading: str) -> None:
    made = clarify(brief(answers=(answered("q1", text),)))
    assert entry(made, "q1") == (text, reading, "ana")


def test_open_questions_are_guesses_by_name_and_stay_open() -> None:
    made = clarify(brief(answers=(answered("q2", "Seven days"),)))
    assert entry(made, "q1")[0] == ""
    assert entry(made, "q1")[2] == "best guess"
    assert [p.subject for p in made.open_points] == [WHICH.question]
    assert entry(made, "q2") == ("Seven days", "Seven days", "ana")


def test_a_policy_is_named_and_no_person() -> None:
    made = clarify(brief(answers=(answered("q1", "OAuth2Service", "policy:best_guess"),)))
    assert entry(made, "q1")[2] == "policy:best_guess"
    assert entry(made, "q1")[0] == ""


def test_order_of_answers_does_not_matter_and_the_last_correction_holds() -> None:
    a, b = answered("q1", "2"), answered("q2", "one day")
    assert clarify(brief(answers=(a, b))) == clarify(brief(answers=(b, a)))
    assert entry(clarify(brief(answers=(a, b, answered("q1", "1")))), "q1")[0] == "1"


def test_messages_are_kept_word_for_word_and_their_wishes_become_requirements() -> None:
    said = "Marketing calls these magic links. They must work offline. Do not log them."
    made = clarify(brief(says=(said,)))
    assert said in made.domain_knowledge_gained
    assert "They must work offline." in made.updated_requirements.requirements
    assert "Do not log them." in made.updated_requirements.constraints
    assert not any("Marketing" in r for r in made.updated_requirements.requirements)


def test_explicit_requirements_replace_those_of_the_task() -> None:
    made = clarify(brief(requirements=("Tokens live an hour",), constraints=("No new packages",)))
    assert made.updated_requirements.requirements == ("Tokens live an hour",)
    assert made.updated_requirements.constraints[0] == "No new packages"
    assert clarify(brief()).updated_requirements.requirements == (
        "Update authentication.",
        "Users must sign in again after a day.",
    )


def test_what_a_restart_changes_is_a_requirement_and_what_it_invalidates_is_gone() -> None:
    made = clarify(
        brief(
            answers=(answered("q1", "OAuth2Service"), answered("q2", "a day")),
            says=("We use OAuth only.", "Keep it small."),
            feedback=("oauth only is fine",),
            changes=("Now need to support SAML authentication",),
            invalidated=("oauth_only_approach", "oauth only"),
        )
    )
    assert "Now need to support SAML authentication" in made.updated_requirements.requirements
    text = made.model_dump_json()
    assert "We use OAuth only" not in text
    assert "oauth only is fine" not in text
    assert entry(made, "q1")[2] == "best guess"
    assert entry(made, "q1")[1].startswith("`LegacyAuthService`"), (
        "the invalidated choice is not guessed again"
    )
    assert entry(made, "q2")[0] == "a day"
    assert "Keep it small." in made.domain_knowledge_gained


def test_what_act_has_shown_is_known_and_nobody_asked_for_it() -> None:
    showed = SHOWED + "step tests (Run the tests): command failed: exit status 1"
    made = clarify(brief(changes=("Use the new client", showed)))
    assert "Use the new client" in made.updated_requirements.requirements
    assert showed in made.domain_knowledge_gained
    assert not any("exit status" in text for text in made.updated_requirements.requirements)


def test_feedback_is_quoted_and_its_wishes_enter() -> None:
    refused = clarify(brief())
    made = clarify(brief(feedback=("It must also work for guests.",), previous=refused))
    assert made.feedback_answered == ("It must also work for guests.",)
    assert "It must also work for guests." in made.updated_requirements.requirements
    assert made != refused


def test_feedback_that_asks_for_nothing_is_an_open_point() -> None:
    made = clarify(
        brief(feedback=("no subtask covers the requirement 'x'; cover it, or drop it in CLARIFICATION",))
    )
    assert made.updated_requirements.constraints == clarify(brief()).updated_requirements.constraints
    assert any(p.subject.startswith("feedback:") for p in made.open_points)


def test_an_answer_to_a_question_that_is_no_longer_asked_is_kept() -> None:
    made = clarify(brief(answers=(Answered("q9", "Which colour?", "blue", "ana"),)))
    assert entry(made, "q9") == ("blue", "blue", "ana")


def test_it_needs_no_repository(tmp_path: Path) -> None:
    make(tmp_path, SHOP)
    assert clarify(brief()) == clarify(brief())
