"""What a text names, how files are ranked, and the reasons given."""

import pytest

from activities.index.naming import named_in, symbol_of
from activities.index.words import parts, query_terms, stem
from tests.activities.conftest import MakeIndex

FILES = {
    "src/app/session.py": "class SessionStore:\n"
    "    def touch(self, session): ...\n\n    def expire(self): ...\n",
    "src/app/mail.py": "def send_mail(to, body):\n    session = 1\n    return to\n",
    "src/app/errors.py": "class AppError(Exception): ...\n",
    "tests/test_session.py": "from app.session import SessionStore\n\n\n"
    "def test_session_expire_session():\n    SessionStore().expire()\n",
    "docs/session.md": "# Sessions\n\nSessions expire. Sessions are stored. Session session session.\n",
    "README.md": "An app.\n",
}


def test_sources_come_before_tests_and_docs(make_index: MakeIndex) -> None:
    ranked = make_index(FILES).rank("Make sessions expire after a while")
    assert ranked[0].path == "src/app/session.py"
    assert ranked[0].reasons == (
        "its path speaks of sessions",
        "defines `SessionStore`, `SessionStore.expire`",
        "uses the task's words sessions, expire",
        "`tests/test_session.py` speaks of the task and covers it",
    )


def test_what_is_named_comes_first_with_the_reason(make_index: MakeIndex) -> None:
    index = make_index(FILES)
    by_symbol = index.rank("Sessions: see `send_mail` for the sessions session session")
    assert by_symbol[0].path == "src/app/mail.py"
    assert by_symbol[0].reasons[0] == "defines `send_mail`, named in the task"
    by_path = index.rank("Session expiry is a mess; look at docs/session.md and README.md")
    assert {r.path for r in by_path[:2]} == {"docs/session.md", "README.md"}
    assert "`docs/session.md` is named in the task" in by_path[0].reasons
    by_call = index.rank("```python\nsend_mail('a', 'b')\n```\n")
    assert "defines `send_mail`, used in the task's code" in by_call[0].reasons


def test_an_everyday_word_that_is_a_name_counts_in_a_short_task(make_index: MakeIndex) -> None:
    index = make_index({"a.py": "def echo(x): ...\n", "b.py": "# echo echo echo echo\ny = 1\n"})
    ranked = index.rank("Make echo faster")
    assert ranked[0].path == "a.py"
    assert "defines `echo`, a word of the task" in ranked[0].reasons


def test_equal_files_are_ordered_by_path_and_runs_agree(make_index: MakeIndex) -> None:
    files = {f"{name}.py": "def handle(order): ...\n" for name in "dbca"}
    index = make_index(files)
    assert [r.path for r in index.rank("handle orders")] == ["a.py", "b.py", "c.py", "d.py"]
    assert index.rank("handle orders") == make_index(files).rank("handle orders")
    assert len(index.rank("handle orders", limit=2)) == 2


@pytest.mark.parametrize(
    "query", ["", "   ", "the of and", "`", "```", "\0", "x" * 300_000, "`" * 10_001, "a/" * 20_000]
)
def test_any_text_can_be_a_query(make_index: MakeIndex, query: str) -> None:
    assert isinstance(make_index(FILES).rank(query), tuple)


def test_names_are_read_out_of_a_text() -> None:
    named = named_in(
        "Fix `Context.invoke(self)` and `./src/a.py`, then call run_all() of CliRunner in docs/guide.md; "
        "run `pip install x`, set `--flag` to `None`.\n```\nhidden_name(1)\n```\n"
    )
    assert named.quoted == ("Context.invoke", "None")
    assert named.prose == ("run_all", "CliRunner")
    assert named.fenced == ("hidden_name",)
    assert named.paths == ("src/a.py", "docs/guide.md")


@pytest.mark.parametrize(
    ("span", "name"),
    [
        ("def go(a: int) -> str:", "go"),
        ("def go(a)", "go"),
        ("class Foo(Bar):", "Foo"),
        ("Foo::bar", "Foo.bar"),
        ("@decorated", "decorated"),
        ("a + b", ""),
        ("'text'", ""),
        ("foo[0]", "foo"),
    ],
)
def test_code_spans_name_symbols(span: str, name: str) -> None:
    assert symbol_of(span) == name


def test_words_meet() -> None:
    assert stem("sessions") == stem("session")
    assert stem("expires") == stem("expiry") == stem("expired") == stem("expire")
    assert stem("policies") == stem("policy")
    assert stem("authentication") == "auth"
    assert parts("OAuth2Service") == ("auth", stem("service"), "oauth2service")
    assert "the" not in query_terms("the session")
