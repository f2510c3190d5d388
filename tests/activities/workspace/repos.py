"""Repositories made as a person would make them, and what can be seen of a folder."""

import os
import subprocess
from pathlib import Path

HERE = Path(__file__).parents[3]


def git(where: Path, *arguments: str, stdin: bytes = b"") -> str:
    """Run git as a person would."""
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *identity, *arguments], cwd=where, input=stdin, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().strip()


def commit(repository: Path, name: str, text: str, message: str = "change") -> str:
    (repository / name).parent.mkdir(parents=True, exist_ok=True)
    (repository / name).write_text(text)
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", message)
    return git(repository, "rev-parse", "HEAD")


def contents(folder: Path) -> dict[str, object]:
    """Everything in a folder that a writer could have changed; links are not followed."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            found[str(path.relative_to(folder))] = os.readlink(path)
        elif path.is_file():
            found[str(path.relative_to(folder))] = (path.read_bytes(), path.stat().st_mtime_ns)
        else:
            found[str(path.relative_to(folder))] = path.stat().st_mtime_ns if path.is_dir() else "special"
    return found


def code_of(checkout: Path) -> dict[str, str]:
    return {
        str(path.relative_to(checkout)): path.read_text()
        for path in sorted(checkout.rglob("*"))
        if path.is_file() and path.name != ".git"
    }


def nothing_is_left(root: Path) -> bool:
    """Whether no job folder and nothing half-made is there."""
    jobs = [path for path in root.iterdir() if not path.name.startswith(".")] if root.exists() else []
    return not jobs and not list(root.glob(".tmp/*"))
