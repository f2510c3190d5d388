"""What DISCOVERY without a model finds, on the sample repository and on small trees."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import phasegate
from activities.brief import Brief
from activities.deterministic.discovery import discover
from activities.index.build import open_index
from states.artifacts.base import digest_of
from states.artifacts.discovery import ContextDiscoveryArtifact
from states.workspace import WorkspaceSource
from tests.activities.conftest import MakeRepo

SAMPLE = Path(phasegate.__file__).parent / "sample"
TASK = (SAMPLE / "TASK.md").read_text()
LEGACY, OAUTH = "deskly/auth/legacy.py", "deskly/auth/oauth2.py"
Discover = Callable[..., ContextDiscoveryArtifact]


@pytest.fixture
def root(make_repo: MakeRepo) -> Path:
    """The sample as the demo commits it: without the task."""
    files = {
        p.relative_to(SAMPLE).as_posix(): p.read_bytes() for p in sorted(SAMPLE.rglob("*")) if p.is_file()
    }
    return make_repo({n: c for n, c in files.items() if "__pycache__" not in n and n != "TASK.md"})


@pytest.fixture
def found(root: Path) -> Discover:
    """Runs DISCOVERY on the sample; keyword arguments go to the brief."""
    index = open_index(root, "HEAD")

    def run(task: str = TASK, **more: Any) -> ContextDiscoveryArtifact:
        return discover(Brief(job="j", task=task, root=root, commit="c" * 40, **more), index)

    return run


def test_the_demo_task_is_understood(found: Discover) -> None:
    artifact = found()
    understanding = artifact.codebase_understanding
    assert {LEGACY, OAUTH, "deskly/models.py", "deskly/web.py"} <= set(understanding.relevant_files[:6])
    assert [r.path for r in understanding.ranking] == list(understanding.relevant_files)
    legacy = next(r for r in understanding.ranking if r.path == LEGACY)
    assert legacy.tests[0] == "tests/test_legacy.py"
    assert legacy.reasons[0] == "its path speaks of authentication"
    assert (artifact.files_total, artifact.languages["python"]) == (19, 17)
    assert artifact.open_points == ()


def test_the_demo_task_is_not_simple(found: Discover) -> None:
    estimate = found().estimate
    assert estimate.files_affected >= 3
    assert (estimate.new_api, estimate.existing_pattern) == (True, True)


def test_signatures_models_and_snippets_are_real(found: Discover, root: Path) -> None:
    context = found().extracted_context
    signatures = {m.qualified: m.signature for m in context.existing_methods}
    assert signatures["LegacyAuthService.authenticate"] == "def authenticate(self, session_id: str) -> User"
    session = next(m for m in context.data_models if m.name == "Session")
    assert [f.name for f in session.fields] == ["id", "user", "started", "ended"]
    assert [f.type for f in session.fields] == ["str", "str", "datetime", "bool"]
    for place, text in context.code_snippets.items():
        path, _, lines = place.rpartition(":")
        first, last = map(int, lines.split("-"))
        assert text == "\n".join((root / path).read_text().split("\n")[first - 1 : last])


def test_connections_point_at_the_lines_that_make_them(found: Discover, root: Path) -> None:
    understanding = found().codebase_understanding
    calls = {(p.path, p.target): p.line for p in understanding.integration_points if p.kind == "call"}
    line = calls["deskly/web.py", "LegacyAuthService.sign_in"]
    assert "self._auth.sign_in(" in (root / "deskly/web.py").read_text().split("\n")[line - 1]
    assert ("deskly/api.py", "LegacyAuthService.sign_in") not in calls
    assert any(
        p.path == "deskly/auth/__init__.py" and p.target == LEGACY for p in understanding.integration_points
    )
    edges = {(d.source, d.target) for d in understanding.dependencies}
    assert (LEGACY, "deskly/store.py") in edges
    assert ("deskly/auth/__init__.py", LEGACY) in edges


def test_conventions_name_what_they_saw(found: Discover) -> None:
    artifact = found()
    patterns = {p.name: p for p in artifact.codebase_understanding.existing_patterns}
    assert "pytest" in patterns["tests"].description
    assert "`AuthError`" in patterns["errors"].description
    assert patterns["data models"].description == "Data is held in dataclasses (5 of them)"
    assert "snake_case" in patterns["naming"].description
    assert artifact.conventions == tuple(
        p.description for p in artifact.codebase_understanding.existing_patterns
    )


def test_equal_briefs_give_equal_artifacts(found: Discover, root: Path) -> None:
    one, two = found(), found()
    assert digest_of(one.model_dump(mode="json")) == digest_of(two.model_dump(mode="json"))
    assert str(root) not in one.model_dump_json()
    elsewhere = discover(
        Brief(job="another", task=TASK, root=Path("/nowhere"), commit="c" * 40), open_index(root, "HEAD")
    )
    assert elsewhere == one


def test_what_feedback_names_is_in_the_result(found: Discover) -> None:
    assert "deskly/clock.py" not in found().codebase_understanding.relevant_files
    artifact = found(feedback=("Look at deskly/clock.py and at `verify_password` too.", "This is too vague."))
    ranking = {r.path: r for r in artifact.codebase_understanding.ranking}
    assert ranking["deskly/clock.py"].reasons[0] == "`deskly/clock.py` is named in the feedback"
    assert ranking["deskly/passwords.py"].reasons[0] == "defines `verify_password`, named in the feedback"
    assert artifact.feedback_answered == (
        "Look at deskly/clock.py and at `verify_password` too.",
        "This is too vague.",
    )
    assert [p.subject for p in artifact.open_points] == ['feedback: "This is too vague."']


def test_an_invalidated_decision_leads_nowhere(found: Discover) -> None:
    wanted = ("Reuse `hash_password` for session ids", "Keep the API as it is")
    with_it = found(task="Update the web pages", constraints=wanted)
    without = found(task="Update the web pages", constraints=wanted, invalidated=("reuse_hash_password",))
    assert "deskly/passwords.py" in with_it.codebase_understanding.relevant_files
    assert "deskly/passwords.py" not in without.codebase_understanding.relevant_files


def test_restart_changes_are_part_of_the_question(found: Discover) -> None:
    artifact = found(changes=("Tickets must record which `Api` call opened them",))
    ranking = {r.path: r.reasons[0] for r in artifact.codebase_understanding.ranking}
    assert ranking["deskly/api.py"] == "defines `Api`, named in the feedback"


def test_a_plain_folder_is_said(found: Discover) -> None:
    artifact = found(source=WorkspaceSource.FOLDER)
    assert artifact.source == "folder"
    assert "plain folder" in artifact.open_points[0].subject


def test_a_small_change_is_small(found: Discover) -> None:
    estimate = found("Make `hash_password` use 200000 rounds").estimate
    assert (estimate.files_affected, estimate.new_api, estimate.new_model) == (1, False, False)
    assert estimate.existing_pattern


@pytest.mark.parametrize(
    ("task", "api", "model"),
    [
        ("Fix the ticket count in `TicketStore.of`", False, False),
        ("Add a `close` method to TicketStore", True, False),
        ("Add a `closed` field to the ticket model", False, True),
        ("Introduce a `TicketArchive` class for old tickets", True, True),
    ],
)
def test_new_things_are_noticed(found: Discover, task: str, api: bool, model: bool) -> None:
    estimate = found(task).estimate
    assert (estimate.new_api, estimate.new_model) == (api, model)


def test_an_empty_repository_is_no_error(make_repo: MakeRepo) -> None:
    root = make_repo({})
    artifact = discover(Brief(job="j", task="Add a parser", root=root, commit="c"), open_index(root, "HEAD"))
    assert artifact.codebase_understanding.relevant_files == ()
    assert len(artifact.ambiguities_discovered) == 1
    assert artifact.estimate.files_affected == 0


@pytest.mark.parametrize("task", ["x", "`" * 500, "??", "word " * 200_000])
def test_any_task_gives_a_valid_artifact(found: Discover, task: str) -> None:
    artifact = found(task)
    assert type(artifact).model_validate(artifact.model_dump(mode="json")) == artifact
