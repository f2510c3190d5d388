"""When DISCOVERY asks, what it asks, and when it must not ask."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from activities.brief import Answered, Brief
from activities.deterministic.discovery import discover
from activities.index.build import open_index
from states.artifacts.discovery import Ambiguity
from tests.activities.conftest import MakeRepo

AUTH = {
    "app/oauth.py": 'class OAuth2Service:\n    """Tokens of the API."""\n\n    def check(self, token): ...\n',
    "app/legacy.py": 'class LegacyAuthService:\n    """Sessions of the web."""\n\n'
    "    def check(self, session): ...\n",
    "app/api.py": "from app.oauth import OAuth2Service\n\n\ndef call(auth: OAuth2Service): ...\n",
    "app/web.py": "from app.legacy import LegacyAuthService\n\n\ndef page(auth: LegacyAuthService): ...\n",
    "app/mail.py": "def send_mail(to): ...\n\n\nclass MailQueue: ...\n",
    "tests/test_legacy.py": "from app.legacy import LegacyAuthService\n\nLegacyAuthService()\n",
}
Ask = Callable[..., tuple[Ambiguity, ...]]
VAGUE = "Update authentication so that sessions expire."


@pytest.fixture
def asked(make_repo: MakeRepo) -> Ask:
    """The questions about a task in a small repository."""

    def run(task: str, files: Mapping[str, str] = AUTH, **more: Any) -> tuple[Ambiguity, ...]:
        root = make_repo(files)
        brief = Brief(job="j", task=task, root=root, commit="c", **more)
        return discover(brief, open_index(root, "HEAD")).ambiguities_discovered

    return run


def test_two_services_that_fit_are_asked_about(asked: Ask) -> None:
    (question,) = asked(VAGUE)
    assert question.id == "q1"
    assert question.question == (
        "I found two authentication services: `LegacyAuthService` and `OAuth2Service`. The task does not say "
        "which one it means. Which should I focus on, or do you want both changed?"
    )
    assert "`LegacyAuthService` (app/legacy.py:1): Sessions of the web." in question.context
    assert "class OAuth2Service\n   used by `app/api.py`" in question.context
    assert [c.label for c in question.candidates] == ["LegacyAuthService", "OAuth2Service", "both"]
    assert [c.path for c in question.candidates] == ["app/legacy.py", "app/oauth.py", ""]
    assert question.recommended == "LegacyAuthService"
    assert "keeps today's behaviour" in question.impact_if_wrong


def test_three_are_all_of_them(asked: Ask) -> None:
    more = {"app/basic.py": "class BasicAuthService: ...\n"}
    (question,) = asked("Update authentication", {**AUTH, **more})
    assert question.question.startswith("I found three authentication services: ")
    assert question.candidates[-1].label == "all of them"


@pytest.mark.parametrize(
    ("task", "more"),
    [
        ("Update OAuth2Service so that sessions expire", {}),
        ("Update authentication in app/legacy.py so that sessions expire", {}),
        ("Update both authentication services so that sessions expire", {}),
        ("Send mail twice", {}),
        (VAGUE, {"requirements": ("Only LegacyAuthService is affected",)}),
        (VAGUE, {"feedback": ("I mean `app/oauth.py`.",)}),
        (VAGUE, {"changes": ("All authentication services are to change now",)}),
        (VAGUE, {"says": ("the legacyauthservice, please",)}),
        (VAGUE, {"answers": (Answered("q1", "Which?", "LegacyAuthService", "ada"),)}),
    ],
)
def test_what_is_said_is_not_asked(asked: Ask, task: str, more: dict[str, Any]) -> None:
    assert asked(task, **more) == ()


def test_a_question_that_was_answered_is_not_asked_again(asked: Ask) -> None:
    for task in (VAGUE, "Fix `LegacyAuthServce.check`", "Teach bananas to juggle"):
        (question,) = asked(task)
        answer = Answered(question.id, question.question, "both, all or as you like", "ada")
        assert asked(task, answers=(answer,)) == ()


def test_an_id_is_never_used_for_another_question(asked: Ask) -> None:
    (first,) = asked(VAGUE)
    answer = Answered(first.id, first.question, "LegacyAuthService", "ada")
    (second,) = asked("Rename `check` in the mail queue to `verify`", answers=(answer,))
    assert (first.id, second.id) == ("q1", "q2")
    (again,) = asked(VAGUE, answers=(answer,), invalidated=("LegacyAuthService",))
    assert again == first


def test_an_answer_that_no_longer_holds_is_asked_again(asked: Ask) -> None:
    answers = (Answered("q1", "Which?", "LegacyAuthService", "ada"),)
    assert len(asked(VAGUE, answers=answers, invalidated=("LegacyAuthService",))) == 1


def test_a_better_fit_is_not_asked_about(asked: Ask) -> None:
    more = {"app/sessions.py": "class SessionAuthService:\n    def expire(self): ...\n"}
    assert asked(VAGUE, {**AUTH, **more}) == ()


def test_a_base_class_is_no_rival_of_its_heirs(asked: Ask) -> None:
    files = {
        "a.py": "class AuthService: ...\n",
        "b.py": "from a import AuthService\n\n\nclass TokenAuthService(AuthService): ...\n",
    }
    assert asked("Update authentication", files) == ()


def test_a_name_with_two_definitions_is_asked_about(asked: Ask) -> None:
    (question,) = asked("Rename `check` to `verify`")
    assert question.question.startswith("`check` is defined in two places, ")
    labels = [c.label for c in question.candidates]
    assert sorted(labels[:2]) == ["LegacyAuthService.check", "OAuth2Service.check"]
    assert question.recommended == labels[0]


def test_a_name_that_two_modules_share_is_told_apart_by_path(asked: Ask) -> None:
    files = {"a/one.py": "def load(): ...\n", "b/two.py": "def load(): ...\n"}
    (question,) = asked("Make `load` faster", files)
    assert [c.label for c in question.candidates] == ["load in a/one.py", "load in b/two.py", "both"]


@pytest.mark.parametrize(
    "task", ["Fix `OAuth2Service.check`", "Fix `check` of `OAuth2Service`", "Fix `check` in app/legacy.py"]
)
def test_a_name_that_is_told_apart_is_not_asked_about(asked: Ask, task: str) -> None:
    assert asked(task) == ()


def test_an_override_follows_its_base(asked: Ask) -> None:
    files = {
        "a.py": "class Base:\n    def render(self): ...\n",
        "b.py": "from a import Base\n\n\nclass Page(Base):\n    def render(self): ...\n",
    }
    assert asked("Make `render` faster", files) == ()


def test_modules_of_one_name_are_asked_about(asked: Ask) -> None:
    files = {
        "web/forms.py": "def forms_shown(): ...\n",
        "mail/forms.py": "def forms_shown_in_mail(): ...\n",
        "web/other.py": "def other(): ...\n",
    }
    (question,) = asked("Validate forms", files)
    assert question.question.startswith("I found two form modules: ")
    assert {c.path for c in question.candidates} == {"web/forms.py", "mail/forms.py", ""}


def test_a_misspelt_symbol_is_asked_about(asked: Ask) -> None:
    (question,) = asked("Fix `LegacyAuthServce.check` for empty sessions")
    assert question.question == (
        "The task names the symbol `LegacyAuthServce.check`, which does not exist. "
        "Do you mean `LegacyAuthService.check`, or a new symbol?"
    )
    assert (question.recommended, question.candidates[0].path) == ("LegacyAuthService.check", "app/legacy.py")


def test_a_misspelt_path_is_asked_about_and_leads_to_the_file(make_repo: MakeRepo, asked: Ask) -> None:
    (question,) = asked("Change app/legaci.py to log every refusal")
    assert [c.label for c in question.candidates] == ["app/legacy.py", "a new file"]
    root = make_repo(AUTH)
    brief = Brief(job="j", task="Change app/legaci.py to log every refusal", root=root, commit="c")
    assert (
        discover(brief, open_index(root, "HEAD")).codebase_understanding.relevant_files[0] == "app/legacy.py"
    )


@pytest.mark.parametrize(
    "task",
    [
        "Add a `retry_mail` function to app/mail.py",
        "Create app/mails.py with a `Mailer` class",
        "Let `send_mail` take a `reply_to` parameter",
        "Rename `send_mail` to `post_letter`",
        "Make `send_mail` raise `ValueError` and use `pathlib.Path`",
        "Run `pip install requests` and set `--verbose` for `send_mail`",
    ],
)
def test_new_names_builtins_and_commands_are_not_asked_about(asked: Ask, task: str) -> None:
    assert asked(task) == ()


def test_a_correction_settles_a_misspelt_name(asked: Ask) -> None:
    task = "Fix `LegacyAuthServce.check` for empty sessions"
    assert asked(task, feedback=("Sorry, LegacyAuthService.check",)) == ()


def test_a_task_about_nothing_here_is_asked_about(asked: Ask) -> None:
    (question,) = asked("Teach the quantum compensator to juggle bananas")
    assert question.question == (
        'Nothing in the repository matches "Teach the quantum compensator to juggle bananas". '
        "Which part should change?"
    )
    assert [c.label for c in question.candidates] == ["something new", "app"]


def test_at_most_five_questions_in_a_stable_order(asked: Ask) -> None:
    files = {f"{place}.py": "".join(f"def work{n}(): ...\n" for n in range(8)) for place in ("a", "b")}
    task = "Change " + ", ".join(f"`work{n}`" for n in range(8))
    questions = asked(task, files)
    assert [q.id for q in questions] == ["q1", "q2", "q3", "q4", "q5"]
    assert ["work0" in q.question for q in questions] == [True, False, False, False, False]
    assert questions == asked(task, files)


def test_a_long_description_is_not_questioned_word_by_word(asked: Ask) -> None:
    task = (
        "Cache the mail queue\n\n"
        + "The cache keeps `MailCache` and `_mail_cache_size` per `QueueSlot`. " * 40
    )
    assert asked(task) == ()
