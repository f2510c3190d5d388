"""Reads a task of the public dataset. Its setup.sh is read for what it names; nothing in it is run."""

import re
import shlex
from pathlib import Path

from phasegate.cooperbench.interface import FileInterface
from phasegate.problems import WrongUse
from states.bench import BenchTask, FeatureText

_ASSIGNED = re.compile(
    r"^[ \t]*(?:export\s+|readonly\s+|local\s+)?([A-Za-z_]\w*)=(\"[^\"\n]*\"|'[^'\n]*'|[^\s#;]*)", re.M
)
_NAMED = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_MOST = 1_000_000
"""bytes of one file of a task that are read"""


class WrongDataset(WrongUse):
    """The dataset does not hold what was asked for."""


def read_task(given: FileInterface, max_iterations: int) -> BenchTask:
    """The task that was asked for. Raises WrongDataset naming the file that is missing or wrong."""
    folder = Path(given.dataset) / given.repo_name / f"task{given.task_id}"
    if not folder.is_dir():
        raise WrongDataset(f"there is no {folder}; name the dataset's folder with --dataset")
    repository, commit = read_setup(_read(folder / "setup.sh"), folder / "setup.sh")
    features = [
        FeatureText(id=number, text=_read(folder / f"feature{number}" / "feature.md"))
        for number in given.feature_ids
    ]
    for feature in features:
        if not feature.text.strip():
            raise WrongDataset(f"{folder / f'feature{feature.id}' / 'feature.md'} is empty")
    return BenchTask(
        setting=given.setting,
        repo_name=given.repo_name,
        task_id=given.task_id,
        k=given.k,
        repository=repository,
        commit=commit,
        features=tuple(features),
        models=given.models,
        max_iterations=max_iterations,
    )


def read_setup(text: str, where: Path) -> tuple[str, str]:
    """The address of the repository and the base commit that a setup.sh names. Raises WrongDataset."""
    variables: dict[str, str] = {}
    for name, value in _ASSIGNED.findall(text):
        variables.setdefault(name, _expanded(value.strip("\"'"), variables))
    lines = [_words(_expanded(line, variables)) for line in text.replace("\\\n", " ").splitlines()]
    repository = next((found for words in lines if (found := _cloned(words))), "")
    if not repository:
        raise WrongDataset(f"{where} has no `git clone` with the address of a repository")
    commit = _base_commit(lines, variables)
    if not commit:
        raise WrongDataset(f"{where} names no base commit of 40 hex digits; it should set BASE_COMMIT")
    return repository, commit


def _base_commit(lines: list[list[str]], variables: dict[str, str]) -> str:
    """BASE_COMMIT, else what is checked out or reset to."""
    if _COMMIT.fullmatch(variables.get("BASE_COMMIT", "")):
        return variables["BASE_COMMIT"]
    for words in lines:
        if "git" in words and {"checkout", "reset", "switch"} & set(words):
            for word in words:
                if _COMMIT.fullmatch(word):
                    return word
    return ""


def _cloned(words: list[str]) -> str:
    """The address in a `git clone` of any options."""
    if "git" not in words or "clone" not in words:
        return ""
    for word in words[words.index("clone") + 1 :]:
        if "://" in word or re.match(r"[\w.-]+@[\w.-]+:", word) or word.startswith("/"):
            return word.removeprefix("file://")
    return ""


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line, comments=True)
    except ValueError:
        # a line that ends within quotes, as in a text of several lines: it clones nothing
        return []


def _expanded(text: str, variables: dict[str, str]) -> str:
    return _NAMED.sub(lambda found: variables.get(found[1] or found[2], ""), text)


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST + 1)
    except OSError as error:
        there = _neighbours(path)
        raise WrongDataset(f"cannot read {path}: {error.strerror}{there}") from None
    if len(data) > _MOST:
        raise WrongDataset(f"{path} has more than {_MOST:,} bytes")
    return data.decode("utf-8", "replace")


def _neighbours(path: Path) -> str:
    """Which features there are, where one was named that there is not."""
    if path.name != "feature.md":
        return ""
    known = sorted(
        int(each.name.removeprefix("feature"))
        for each in path.parent.parent.glob("feature*")
        if each.name.removeprefix("feature").isdigit()
    )
    return f"; the task has the features {', '.join(map(str, known))}" if known else ""
