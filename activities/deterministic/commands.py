"""How a repository runs its tests, as its own files say."""

import json
import re
from pathlib import PurePosixPath

from activities.index.model import Index
from activities.index.records import Role

_PYTEST_SPEAKS = ("pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "requirements-dev.txt", "setup.py")


def suite(index: Index) -> str:
    """The command for all tests; blank when nothing in the repository tells."""
    if re.search(r"^test\s*:", _text(index, "Makefile"), re.M):
        return "make test"
    for language in index.languages:
        command = _of_language(index, language)
        if command:
            return command
    return ""


def for_file(index: Index, test: str) -> str:
    """The command for one test file, existing or planned; the whole suite where there is no narrower one."""
    suffix = PurePosixPath(test).suffix
    folder = str(PurePosixPath(test).parent)
    if suffix == ".py":
        runner = python_runner(index)
        return f"{runner} {test}" if runner.endswith("pytest") else runner
    if suffix == ".go":
        return f"go test ./{folder}" if folder != "." else "go test ."
    if suffix in (".js", ".jsx", ".ts", ".tsx", ".mjs") and suite(index).endswith(" test"):
        return f"{suite(index)} -- {test}" if not suite(index).startswith("make") else suite(index)
    if suffix == ".rb":
        return f"bundle exec rspec {test}" if test.endswith("_spec.rb") else f"ruby -Itest {test}"
    return suite(index)


def python_runner(index: Index) -> str:
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


def _of_language(index: Index, language: str) -> str:
    tested = any(e.role is Role.TEST and e.language == language for e in index.files.values())
    if language == "python":
        return python_runner(index) if tested else ""
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
