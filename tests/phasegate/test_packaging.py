"""What is installed: the lock is complete and names no place, and our top-level names are ours alone."""

import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")


def normalised(name: str) -> str:
    """A package's name as all tools agree on it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_lock_names_no_index_and_no_path() -> None:
    assert re.findall(r"^.*(?:://|file:|\s/).*$", LOCK, re.M) == []
    assert re.findall(r"^-.*$", LOCK, re.M) == []


def test_every_locked_package_has_hashes() -> None:
    entries = re.split(r"^(?=[a-z0-9])", LOCK, flags=re.M)[1:]
    assert len(entries) > 40
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_the_lock_holds_every_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = project["dependencies"] + project["optional-dependencies"]["dev"]
    names = {normalised(re.split(r"[\s<>=!~\[;]", line)[0]) for line in declared}
    locked = {normalised(name) for name in re.findall(r"^([A-Za-z0-9._-]+)==", LOCK, re.M)}
    assert names - locked == set(), "run `make lock`"


@pytest.mark.parametrize("name", ["states", "workflows", "activities", "worker", "phasegate"])
def test_no_dependency_brings_a_name_of_ours(name: str) -> None:
    assert set(packages_distributions().get(name, ["phasegate"])) == {"phasegate"}
