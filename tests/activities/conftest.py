"""Small real git repositories for tests that read code."""

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from activities.index.build import open_index
from activities.index.model import Index

MakeRepo = Callable[[Mapping[str, str | bytes]], Path]
MakeIndex = Callable[[Mapping[str, str | bytes]], Index]


def git(root: Path, *arguments: str) -> str:
    """Run git in a repository with an identity of its own; gives what it printed."""
    command = [
        "git",
        "-C",
        str(root),
        "-c",
        "user.name=Test",
        "-c",
        "user.email=test@example.invalid",
        *arguments,
    ]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files below a folder."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.fixture
def make_repo(tmp_path: Path) -> MakeRepo:
    """Commit files to a new repository; gives its folder."""

    def make(files: Mapping[str, str | bytes]) -> Path:
        root = tmp_path / f"repo{len(list(tmp_path.iterdir()))}"
        root.mkdir()
        git(root, "init", "-q", "-b", "main")
        write(root, files)
        git(root, "add", "-A")
        git(root, "commit", "-q", "--allow-empty", "-m", "first")
        return root

    return make


@pytest.fixture
def make_index(make_repo: MakeRepo) -> MakeIndex:
    """The index of a new repository with these files."""
    return lambda files: open_index(make_repo(files), "HEAD")
