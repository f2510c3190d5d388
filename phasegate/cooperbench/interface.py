"""FileInterface: one experiment of the benchmark, and where its files are (seed, Output Files)."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from phasegate.problems import WrongUse
from states.bench import BenchSetting

_SHORT = (("minimax", "minimax"), ("claude", "claude"), ("gemini", "gemini"))
_UNSAFE = re.compile(r"[^A-Za-z0-9.-]+")
_LONGEST = 60
_REPO_NAME = re.compile(r"(?!\.)[A-Za-z0-9._-]{1,100}")


class WrongExperiment(WrongUse, ValueError):
    """Settings, features and models that do not fit together."""


def setting_of(name: str) -> BenchSetting:
    """A setting by its name. Raises WrongExperiment naming the choices."""
    try:
        return BenchSetting(name)
    except ValueError:
        known = ", ".join(BenchSetting)
        raise WrongExperiment(f"unknown setting {str(name)[:60]!r}; settings are {known}") from None


def short_model(model: str) -> str:
    """A model's name in file names: the seed project's, or a form of the name that no other model has."""
    name = model.lower()
    for part, short in _SHORT:
        if part in name:
            return short
    if "qwen" in name:
        return "qwen_coder" if "coder" in name else "qwen"
    if "gpt-5" in name or name == "gpt5":
        return "gpt5"
    safe = _UNSAFE.sub("_", model).strip("._")[:_LONGEST]
    if safe == model:
        return safe
    return f"{safe or 'model'}-{hashlib.sha256(model.encode()).hexdigest()[:6]}"


@dataclass(kw_only=True)
class FileInterface:
    """Which features are planned how, and by whom. Raises WrongExperiment, which is a ValueError."""

    setting: BenchSetting
    repo_name: str
    task_id: int
    feature1_id: int
    model1: str
    feature2_id: int | None = None
    model2: str | None = None
    k: int = 1
    save_to_hf: bool = True
    """upload the files, where a target and a token are configured"""
    create_pr: bool = False
    """as a pull request and not as a direct commit"""
    dataset: Path | str = "dataset"
    output: Path | str = "logs"

    def __post_init__(self) -> None:
        self.setting = setting_of(self.setting)
        self.dataset, self.output = Path(self.dataset).expanduser(), Path(self.output).expanduser()
        _check_names(self)
        _check_features(self)
        if len(self.setting.seats) == 2:
            self.model2 = self.model2 or self.model1

    @property
    def models(self) -> tuple[str, ...]:
        """One for each agent."""
        return tuple(model for model in (self.model1, self.model2) if model)

    @property
    def feature_ids(self) -> tuple[int, ...]:
        """As given; the first agent's first."""
        return tuple(number for number in (self.feature1_id, self.feature2_id) if number is not None)

    @property
    def folder(self) -> Path:
        """Below `output`; in its name the features are in order."""
        features = "_".join(f"feature{number}" for number in sorted(self.feature_ids))
        return Path(self.setting.value) / self.repo_name / f"task{self.task_id}" / features

    @property
    def file_paths(self) -> dict[str, Path]:
        """`plan1`, `plan2` with two agents, and `planning_traj`; relative to `output`."""
        models = [short_model(model) for model in self.models]
        features = "_".join(f"feature{number}" for number in self.feature_ids)
        names = {
            f"plan{n}": f"plan_{model}_k{self.k}_feature{feature}.md"
            for n, (model, feature) in enumerate(zip(models, self.feature_ids, strict=False), 1)
        }
        who = "_".join(f"model{n}{model}" for n, model in enumerate(models, 1)) if models[1:] else models[0]
        names["planning_traj"] = f"planning_traj_{who}_k{self.k}_{features}.json"
        return {key: self.folder / name for key, name in names.items()}

    def path(self, key: str) -> Path:
        """One of `file_paths`, below `output`. Raises KeyError."""
        return Path(self.output) / self.file_paths[key]


def _check_names(given: FileInterface) -> None:
    if not _REPO_NAME.fullmatch(given.repo_name):
        raise WrongExperiment(
            f"{given.repo_name[:60]!r} is no repository of a dataset; give the name of its folder"
        )
    for name, number in (("task", given.task_id), ("k", given.k), ("feature 1", given.feature1_id)):
        if number < 0:
            raise WrongExperiment(f"{name} is {number}, and must be a number from 0 on")
    if not given.model1.strip():
        raise WrongExperiment("no model is named; give one as litellm names it, with --model1")


def _check_features(given: FileInterface) -> None:
    """The four combinations that are wrong, each with its way out."""
    setting, two = given.setting, given.feature2_id is not None
    if setting.features == 2 and not two:
        raise WrongExperiment(f"{setting} plans two features; name the second one with --feature2-id")
    if setting.features == 1 and two:
        raise WrongExperiment(
            f"{setting} plans one feature; leave --feature2-id out, or choose --setting solo or coop"
        )
    if two and given.feature1_id == given.feature2_id:
        raise WrongExperiment(f"both features are {given.feature1_id}; name two different ones")
    if len(setting.seats) == 1 and given.model2:
        raise WrongExperiment(f"{setting} has one agent; leave --model2 out, or choose --setting coop")
