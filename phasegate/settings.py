"""Every setting of phasegate: from PHASEGATE_* variables, then phasegate.toml, then the defaults here."""

import difflib
import os
import re
import tomllib
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict
from pydantic_settings import SettingsError as SourceError

from phasegate.places import default_state_dir, find_config, may_come_along, user_config
from states.wrong_input import rule_of

_ENV_PREFIX = "PHASEGATE_"
_VARIABLES_ONLY = ("unconfined_commands", "command_paths")
_PLACES = ("state_dir", "store", "workspaces", "cache")
_OWNERS = (*_PLACES, "hf_repo")
"""where a machine keeps and sends what other repositories and tasks are about: not a repository's to say"""


class SettingsError(Exception):
    """A setting is wrong. The text is one sentence for the person who wrote it."""


class Settings(BaseSettings):
    """Get one by `Settings.load()`; nothing is created on disk by loading."""

    model_config = SettingsConfigDict(
        env_prefix=_ENV_PREFIX,
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
    )

    state_dir: Path = Field(default_factory=default_state_dir)
    """Folder of everything that phasegate keeps on this machine; made on first use."""

    store: str = Field(default_factory=lambda known: _inside(known, "store"))
    """Where artifacts live: a folder, or a URL (s3://, gs://, az://). Default: `store` in state_dir."""

    workspaces: Path = Field(default_factory=lambda known: Path(_inside(known, "workspaces")))
    """Folder of the checkouts that jobs read. Default: `workspaces` in state_dir."""

    cache: Path = Field(default_factory=lambda known: Path(_inside(known, "cache")))
    """Folder of what can be made again, such as indexes of repositories. Default: `cache` in state_dir."""

    index_cache_bytes: int = Field(default=2_000_000_000, ge=0)
    """How much of `cache` the indexes of repositories may take; those used longest ago are removed. An index
    takes 3 to 4 KB for each file; the one that was made last is always kept."""

    task_queue: str = Field(default="phasegate", min_length=1)
    """Name of the Temporal task queue that jobs are put on and workers take from."""

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The least severe log event that is written."""

    log_format: Literal["auto", "console", "json"] = "auto"
    """`console` is for reading, `json` for machines, `auto` picks console on a terminal."""

    max_activities: int = Field(default=20, ge=1, le=1000)
    """How many activities one worker runs at once."""

    max_local_activities: int = Field(default=20, ge=1, le=1000)
    """How many short activities within workflow tasks one worker runs at once."""

    max_workflow_tasks: int = Field(default=100, ge=2, le=1000)
    """How many workflow tasks one worker takes on at once."""

    max_cached_jobs: int = Field(default=1000, ge=0)
    """How many jobs a worker keeps in memory between events; others are replayed when something happens."""

    drain_seconds: float = Field(default=30, ge=0)
    """How long a worker that was told to stop waits for running activities."""

    policy: dict[str, Any] = {}
    """Gates, quorum, autonomy and budgets for new jobs; `states/policy.py` says what may stand here."""

    model: str = ""
    """The model that plans new jobs, named as litellm does; in `a,b` b stands in. Blank: none."""

    models: dict[str, str] = {}
    """Other models for single phases and for `review`; `none` does without one."""

    progress_bar: bool = True
    """Whether terminals show a bar for the progress of an execution."""

    unconfined_commands: bool = False
    """Whether commands of plans may run without a sandbox where the machine offers none, and without asking.
    Only as a variable: a settings file may come with the repository that is planned for."""

    command_paths: tuple[Path, ...] = ()
    """Folders that commands of plans may read in the sandbox although they lie in a home or below /tmp, such
    as a toolchain. Only as a variable, a JSON list."""

    hf_repo: str = ""
    """Dataset of the Hugging Face Hub, `owner/name`, to which `cooperbench plan` uploads. Blank: nowhere."""

    def private_folders(self) -> tuple[Path, ...]:
        """What no command of a plan may see: artifacts, indexes, and whatever else is kept here."""
        store = () if "://" in self.store else (Path(self.store),)
        return (self.state_dir, self.cache, *store)

    @field_validator("state_dir", "workspaces", "cache", mode="after")
    @classmethod
    def _absolute(cls, path: Path) -> Path:
        return path.expanduser().absolute()

    @field_validator("store", mode="after")
    @classmethod
    def _absolute_or_url(cls, store: str) -> str:
        return store if "://" in store else str(Path(store).expanduser().absolute())

    @field_validator("log_level", "log_format", mode="before")
    @classmethod
    def _any_case(cls, value: Any) -> Any:
        return value.strip().lower() if isinstance(value, str) else value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 the base class names it; .env files are not ours
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 likewise
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, then variables, then the file."""
        return init_settings, env_settings, InitSettingsSource(settings_cls, _read_file(find_config()))

    @classmethod
    def load(cls, **overrides: Any) -> Self:
        """The settings in force here and now; `overrides` win. Raises SettingsError."""
        try:
            return cls(**overrides)
        except ValidationError as wrong:
            raise SettingsError(_explain(wrong, find_config(), overrides)) from None
        except SourceError as wrong:
            # pydantic-settings raises this for a variable whose value should be JSON and is not
            field = re.search(r'field "(\w+)"', str(wrong))
            variable = _ENV_PREFIX + (field.group(1).upper() if field else "*")
            raise SettingsError(
                f"The variable {variable} must hold JSON, and what it holds is not."
            ) from None


def _inside(known: dict[str, Any], name: str) -> str:
    return str(Path(known["state_dir"]) / name)


def _read_file(path: Path | None) -> dict[str, Any]:
    """The file's table, relative places made relative to the file's folder."""
    if path is None:
        return {}
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as wrong:
        raise SettingsError(f"Cannot read the settings file {path}: {wrong.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as wrong:
        raise SettingsError(f"The settings file {path} is not valid TOML: {wrong}.") from None
    for name in values:
        # Whoever fills in the model takes any case; what is not for files must not come in by another.
        if name not in Settings.model_fields:
            raise SettingsError(_unknown(name, path))
        if name in _VARIABLES_ONLY:
            variable = _ENV_PREFIX + name.upper()
            raise SettingsError(f"Setting {name!r} in {path} is not read from a file; set {variable}.")
        if name in _OWNERS and may_come_along(path):
            raise SettingsError(
                f"Setting {name!r} in {path} is not read from a repository's file; set {_ENV_PREFIX}"
                f"{name.upper()}, put it into {user_config()}, or name the file in PHASEGATE_CONFIG."
            )
    for name in _PLACES:
        place = values.get(name)
        if isinstance(place, str) and place and "://" not in place:
            values[name] = str(path.parent / Path(place).expanduser())
    return values


def _unknown(name: str, where: Path | str) -> str:
    near = difflib.get_close_matches(name.lower(), Settings.model_fields, n=1)
    known = f"known are {', '.join(sorted(Settings.model_fields))}."
    return f"Unknown setting {name!r} in {where}; {f'did you mean {near[0]!r}?' if near else known}"


def _explain(wrong: ValidationError, path: Path | None, overrides: dict[str, Any]) -> str:
    """One sentence about the first error: which setting, where it was set, what is wrong."""
    error = wrong.errors(include_url=False)[0]
    name = str(error["loc"][0])
    if error["type"] == "extra_forbidden":
        return _unknown(name, "the arguments")
    variable = _ENV_PREFIX + name.upper()
    if name in overrides:
        where = "as given"
    elif any(known.upper() == variable for known in os.environ):
        where = f"in the variable {variable}"
    else:
        where = f"in {path}"
    rule = rule_of(error, given=False)
    return f"Setting {name!r} {where} is wrong: {rule}, got {str(error['input'])[:80]!r}."
