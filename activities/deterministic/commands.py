"""How a repository runs its tests, as its own files say."""

import json
import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from activities.index.model import Index
from activities.index.records import Role

_NODE = (".js", ".jsx", ".ts", ".tsx", ".mjs")
_PYTEST_SPEAKS = ("pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "requirements-dev.txt", "setup.py")


@dataclass(frozen=True)
class TestCommands:
    """`suite` runs all tests, blank when nothing in the repository tells; `python` runs those of Python."""

    __test__ = False

    suite: str
    python: str

    def for_file(self, test: str) -> str:
        """The command for one test file, existing or planned; all tests where there is no narrower one."""
        suffix = PurePosixPath(test).suffix
        folder = str(PurePosixPath(test).parent)
        if suffix == ".py":
            return f"{self.python} {test}" if self.python.endswith("pytest") else self.python
        if suffix == ".go":
            return f"go test ./{folder}" if folder != "." else "go test ."
        if suffix == ".rb":
            return f"bundle exec rspec {test}" if test.endswith("_spec.rb") else f"ruby -Itest {test}"
        if suffix in _NODE and self.suite.endswith(" test") and not self.suite.startswith("make"):
            return f"{self.suite} -- {test}"
        return self.suite


def read(index: Index) -> TestCommands:
    """What the repository's own files say; its Makefile first, then its languages, most used first."""
    python = _python_runner(index)
    if re.search(r"^test\s*:", _text(index, "Makefile"), re.M):
        return TestCommands("make test", python)
    commands = (_of_language(index, language, python) for language in index.languages)
    return TestCommands(next((c for c in commands if c), ""), python)


def _python_runner(index: Index) -> str:
    """pytest when the repository speaks of it anywhere a test runner is named, else unittest."""
    if any("pytest" in _text(index, p) for p in _PYTEST_SPEAKS):
        return "python -m pytest"
    for entry in index.files.values():
        if entry.path.endswith("conftest.py"):
            return "python -m pytest"
        functions = [s for s in entry.symbols if not s.parent] if entry.role is Role.TEST else []
        if entry.path.endswith(".py") and any(s.name.startswith("test") for s in functions):
            return "python -m pytest"  # unittest knows no tests outside of classes
    return "python -m unittest"


def _of_language(index: Index, language: str, python: str) -> str:
    tested = any(e.role is Role.TEST and e.language == language for e in index.files.values())
    if language == "python":
        return python if tested else ""
    if language in ("javascript", "typescript", "tsx"):
        return _node(index)
    for kind, sign, command in (
        ("go", "go.mod", "go test ./..."),
        ("rust", "Cargo.toml", "cargo test"),
        ("java", "pom.xml", "mvn test"),
        ("java", "gradlew", "./gradlew test"),
        ("java", "build.gradle", "gradle test"),
        ("java", "build.gradle.kts", "gradle test"),
        ("ruby", "spec/spec_helper.rb", "bundle exec rspec"),
        ("ruby", "Rakefile", "rake test"),
        ("c", "CMakeLists.txt", "ctest"),
        ("cpp", "CMakeLists.txt", "ctest"),
    ):
        if language == kind and sign in index.paths:
            return command
    return ""


def _node(index: Index) -> str:
    try:
        package = json.loads(_text(index, "package.json") or "{}")
    except ValueError:  # a package.json that nobody can read names no command
        return ""
    scripts = package.get("scripts") if isinstance(package, dict) else None
    if not isinstance(scripts, dict) or "test" not in scripts:
        return ""
    for lock, tool in (("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn")):
        if lock in index.paths:
            return f"{tool} test"
    return "npm test"


def _text(index: Index, path: str) -> str:
    return index.text(path) if path in index.paths else ""
