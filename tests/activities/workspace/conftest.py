"""A repository, a plain folder, and workspaces to open them in."""

from pathlib import Path

import pytest

from activities.workspace import Workspaces
from tests.activities.workspace.repos import commit, git


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    path = tmp_path / "project"
    path.mkdir()
    git(path, "init", "-q")
    commit(path, "a.py", "a = 1\n", "first")
    commit(path, "pkg/b.py", "b = 1\n", "Add b, größer")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "plain"
    (path / "src").mkdir(parents=True)
    (path / "src" / "a.py").write_text("a = 1\n")
    (path / "README").write_text("plain\n")
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "state" / "workspaces"


@pytest.fixture
def workspaces(root: Path) -> Workspaces:
    return Workspaces(root)
