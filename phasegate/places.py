"""Where phasegate looks for its settings and keeps its things on this machine."""

import os
from pathlib import Path

CONFIG_NAME = "phasegate.toml"


def default_state_dir() -> Path:
    """The user's state folder; nothing is created."""
    return _xdg("XDG_STATE_HOME", ".local/state") / "phasegate"


def user_config() -> Path:
    """The settings file that applies where no project has one; it need not exist."""
    return _xdg("XDG_CONFIG_HOME", ".config") / "phasegate" / CONFIG_NAME


def project_config(start: Path) -> Path | None:
    """The nearest phasegate.toml from `start` up to the root of its git repository, else None.

    Outside of a repository only `start` itself counts, so that a file in a shared parent folder
    (/tmp, a home folder) never steers somebody else's job.
    """
    folders = [start, *start.parents]
    root = next((at for at, folder in enumerate(folders) if (folder / ".git").exists()), 0)
    candidates = (folder / CONFIG_NAME for folder in folders[: root + 1])
    return next((path for path in candidates if path.is_file()), None)


def find_config() -> Path | None:
    """The one settings file in force: PHASEGATE_CONFIG, the project's, or the user's, in this order."""
    if explicit := os.environ.get("PHASEGATE_CONFIG"):
        return Path(explicit).expanduser().absolute()
    found = project_config(Path.cwd()) or user_config()
    return found if found.is_file() else None


def may_come_along(config: Path) -> bool:
    """Whether a settings file may have come with a repository that somebody else wrote."""
    chosen = bool(os.environ.get("PHASEGATE_CONFIG")) or config == user_config()
    return not chosen and any((folder / ".git").exists() for folder in config.parents)


def _xdg(variable: str, default: str) -> Path:
    folder = Path(os.environ.get(variable, ""))
    # the XDG specification says to ignore folders that are not absolute
    return folder if folder.is_absolute() else Path.home() / default
