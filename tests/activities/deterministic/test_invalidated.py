"""Decisions that a restart invalidated are recognised, and nothing else is."""

import pytest

from activities.deterministic.invalidated import answers, states, surviving, without


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("We will use sessions, not tokens", "use sessions"),
        ("Keep the sessions in Redis", "redis_sessions"),
        ("USE   Sessions", "use sessions"),
    ],
)
def test_a_text_that_says_a_decision(text: str, decision: str) -> None:
    assert states(text, (decision,))


def test_one_shared_word_is_no_decision() -> None:
    assert not states("Support SAML besides OAuth", ("oauth_only_approach",))


def test_an_answer_is_recognised_by_slug_id_or_part() -> None:
    assert answers("q1", "OAuth2Service", ("oauth_only_approach",))
    assert answers("q1", "LegacyAuthService", ("q1",))
    assert not answers("q1", "LegacyAuthService", ("oauth_only_approach",))


def test_what_survives_keeps_its_order() -> None:
    assert surviving(("a b", "use sessions", "c"), ("use sessions",)) == ("a b", "c")


def test_a_text_loses_only_the_sentences_that_say_it() -> None:
    text = "Add a login. Use sessions for it.\n\nKeep it small."
    assert without(text, ("use sessions",)) == "Add a login.\n\nKeep it small."
