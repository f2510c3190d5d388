"""File operations: exact, and never outside of the worktree."""

import os
from pathlib import Path
from typing import Any

import pytest

from activities.execution.files import apply_changes
from activities.execution.outcome import StepFailed
from states.artifacts.plan import ExactEdit, FileChange, FileChangeKind

CREATE, MODIFY, MOVE, DELETE = FileChangeKind


@pytest.fixture
def root(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    (tree / "pkg").mkdir(parents=True)
    (tree / "pkg/a.py").write_text("x = 1\ny = 1\n")
    (tree / "dos.txt").write_bytes(b"one\r\ntwo\r\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text("secret\n")
    (tree / "out").symlink_to("../outside")
    (tree / "leak").symlink_to("../outside/secret")
    return tree


def change(root: Path, kind: FileChangeKind, path: str, **fields: Any) -> None:
    """Apply one change; paths that the model itself refuses are let through to what is tested."""
    apply_changes(root, [FileChange.model_construct(kind=kind, path=path, **{**_EMPTY, **fields})])


_EMPTY: dict[str, Any] = {"content": "", "edits": (), "to": None, "executable": False}


def test_the_four_operations(root: Path) -> None:
    change(root, CREATE, "bin/run", content="#!/bin/sh\n", executable=True)
    assert os.access(root / "bin/run", os.X_OK)
    change(root, MODIFY, "pkg/a.py", edits=(ExactEdit(old=" = 1", new=" = 2", count=2),))
    assert (root / "pkg/a.py").read_text() == "x = 2\ny = 2\n"
    change(root, MOVE, "pkg/a.py", to="lib/deep/b.py")
    change(root, DELETE, "leak")
    assert (root / "lib/deep/b.py").read_text() == "x = 2\ny = 2\n"
    assert not (root / "pkg/a.py").exists()
    assert (root.parent / "outside/secret").exists()


def test_line_ends_stay_as_they_are(root: Path) -> None:
    change(root, MODIFY, "dos.txt", edits=(ExactEdit(old="one\ntwo\n", new="one\nthree\n"),))
    assert (root / "dos.txt").read_bytes() == b"one\r\nthree\r\n"


@pytest.mark.parametrize(
    ("kind", "path", "fields", "why"),
    [
        (CREATE, "pkg/a.py", {}, "cannot create pkg/a.py: it is there already"),
        (CREATE, "leak", {}, "it is there already"),
        (MODIFY, "no.py", {"edits": (ExactEdit(old="a"),)}, "no.py is not there"),
        (MODIFY, "pkg/a.py", {"edits": (ExactEdit(old=" = 1"),)}, "edit 1 is there 2 times, not 1"),
        (MODIFY, "pkg/a.py", {"edits": (ExactEdit(old="zz"),)}, "edit 1 is there 0 times, not 1"),
        (MODIFY, "pkg/a.py", {}, "no edits are given"),
        (MODIFY, "leak", {"edits": (ExactEdit(old="secret"),)}, "it is no regular file"),
        (MOVE, "pkg/a.py", {"to": "dos.txt"}, "dos.txt is there already"),
        (MOVE, "pkg/a.py", {"to": "out/a.py"}, "leads through the link out"),
        (DELETE, "pkg", {}, "it is a folder"),
        (DELETE, "out/secret", {}, "leads through the link out"),
        (CREATE, "out/new", {}, "leads through the link out"),
        (CREATE, "../new", {}, "is outside of the worktree"),
        (CREATE, "pkg/../../new", {}, "is outside of the worktree"),
        (CREATE, "/tmp/new", {}, "is outside of the worktree"),
        (CREATE, ".git/hooks/x", {}, "belongs to git"),
        (CREATE, "pkg/.GIT/x", {}, "belongs to git"),
        (CREATE, "dos.txt/x", {}, "cannot create dos.txt/x: Not a directory"),
        (CREATE, "n" * 300, {}, "File name too long"),
    ],
)
def test_what_cannot_be_is_refused(
    root: Path, kind: FileChangeKind, path: str, fields: dict[str, Any], why: str
) -> None:
    with pytest.raises(StepFailed) as refused:
        change(root, kind, path, **fields)
    assert why in str(refused.value)
    assert sorted(os.listdir(root.parent / "outside")) == ["secret"]
