"""Settings: which source wins, where places are, and what a person is told about a mistake."""

import subprocess
import sys
from pathlib import Path

import pytest

from phasegate.places import find_config
from phasegate.settings import Settings, SettingsError


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, at the root of a git repository."""
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def test_everything_is_under_the_users_state_folder_and_nothing_is_made(own_settings: Path) -> None:
    settings = Settings.load()
    state = own_settings / "state" / "phasegate"
    assert settings.state_dir == state
    assert settings.store == str(state / "store")
    assert (settings.workspaces, settings.cache) == (state / "workspaces", state / "cache")
    assert not (own_settings / "state").exists()


def test_a_relative_xdg_folder_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert Settings.load().state_dir == Path.home() / ".local/state/phasegate"


def test_other_places_follow_state_dir_unless_they_are_set(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PHASEGATE_STATE_DIR", "here")
    monkeypatch.setenv("PHASEGATE_STORE", "s3://bucket/prefix")
    settings = Settings.load()
    assert settings.cache == project / "here" / "cache"
    assert settings.store == "s3://bucket/prefix"


def test_argument_wins_over_variable_over_file_over_default(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "phasegate.toml").write_text('task_queue = "file"\nlog_level = "error"\nmax_activities = 3\n')
    monkeypatch.setenv("PHASEGATE_LOG_LEVEL", "DEBUG")
    monkeypatch.setenv("PHASEGATE_TASK_QUEUE", "variable")
    settings = Settings.load(task_queue="argument")
    assert (settings.task_queue, settings.log_level, settings.max_activities) == ("argument", "debug", 3)
    assert settings.drain_seconds == 30


def test_an_empty_variable_is_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHASEGATE_TASK_QUEUE", "")
    assert Settings.load().task_queue == "phasegate"


PLACES = 'state_dir = "state"\nstore = "~/artifacts"\n'


def test_places_in_a_file_are_relative_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "phasegate.toml").write_text(PLACES)
    monkeypatch.chdir(tmp_path)
    settings = Settings.load()
    assert settings.state_dir == tmp_path / "state"
    assert settings.store == str(Path.home() / "artifacts")


@pytest.mark.parametrize("name", ["state_dir", "store", "workspaces", "cache", "hf_repo"])
def test_a_repository_does_not_say_where_things_are_kept(
    project: Path, monkeypatch: pytest.MonkeyPatch, own_settings: Path, name: str
) -> None:
    file = project / "phasegate.toml"
    file.write_text(f'{name} = "s3://elsewhere"\n')
    deep = project / "src" / "deep"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    users = own_settings / "config" / "phasegate" / "phasegate.toml"
    with pytest.raises(SettingsError) as refused:
        Settings.load()
    assert str(refused.value) == (
        f"Setting {name!r} in {file} is not read from a repository's file; set PHASEGATE_{name.upper()}, "
        f"put it into {users}, or name the file in PHASEGATE_CONFIG."
    )


def test_the_users_own_file_says_where_in_a_repository_of_their_settings_too(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "phasegate.toml").write_text(PLACES)
    monkeypatch.setenv("PHASEGATE_CONFIG", str(project / "phasegate.toml"))
    assert Settings.load().state_dir == project / "state"
    monkeypatch.delenv("PHASEGATE_CONFIG")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(project))
    (project / "phasegate").mkdir()
    (project / "phasegate.toml").rename(users := project / "phasegate" / "phasegate.toml")
    assert find_config() == users
    assert Settings.load().state_dir == project / "phasegate" / "state"


def test_the_nearest_file_up_to_the_git_root_counts(
    project: Path, monkeypatch: pytest.MonkeyPatch, own_settings: Path
) -> None:
    above = project.parent / "phasegate.toml"
    above.write_text("")
    assert find_config() is None
    users = own_settings / "config" / "phasegate" / "phasegate.toml"
    users.parent.mkdir(parents=True)
    users.write_text("")
    assert find_config() == users
    (project / "phasegate.toml").write_text("")
    deep = project / "deep"
    deep.mkdir()
    monkeypatch.chdir(deep)
    assert find_config() == project / "phasegate.toml"
    (deep / "phasegate.toml").write_text("")
    assert find_config() == deep / "phasegate.toml"
    monkeypatch.setenv("PHASEGATE_CONFIG", str(above))
    assert find_config() == above


def test_outside_of_a_repository_only_the_current_folder_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "phasegate.toml").write_text("")
    inner = tmp_path / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    assert find_config() is None
    monkeypatch.chdir(tmp_path)
    assert find_config() == tmp_path / "phasegate.toml"


def test_policy_is_a_free_table_from_the_file_or_as_json(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "phasegate.toml").write_text('[policy]\ngates = ["contracts"]\n')
    assert Settings.load().policy == {"gates": ["contracts"]}
    monkeypatch.setenv("PHASEGATE_POLICY", '{"quorum": 2}')
    assert Settings.load().policy["quorum"] == 2


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('stroe = "x"', "Unknown setting 'stroe' in {file}; did you mean 'store'?"),
        ('log_level = "loud"', "Setting 'log_level' in {file} is wrong: must be one of debug, "),
        ("max_activities = 0", "Setting 'max_activities' in {file} is wrong: must be 1 or more, got '0'."),
        ("policy = 3", "Setting 'policy' in {file} is wrong"),
        ("task_queue = 3", "Setting 'task_queue' in {file} is wrong"),
        ("task_queue = ", "The settings file {file} is not valid TOML: Invalid value (at "),
        *(
            (f"{name} = true", f"Unknown setting {name!r} in {{file}}; did you mean 'unconfined_commands'?")
            for name in ("UNCONFINED_COMMANDS", "Unconfined_Commands", "unconfined-commands")
        ),
        ('Command_Paths = ["/"]', "Unknown setting 'Command_Paths' in {file}; did you mean 'command_paths'?"),
        (
            "unconfined_commands = true",
            "Setting 'unconfined_commands' in {file} is not read from a file; set ",
        ),
        ("xyzzy = 1", "Unknown setting 'xyzzy' in {file}; known are cache, command_paths, drain_seconds"),
    ],
)
def test_a_mistake_in_the_file_is_one_sentence(project: Path, content: str, told: str) -> None:
    file = project / "phasegate.toml"
    file.write_text(content)
    with pytest.raises(SettingsError) as refused:
        Settings.load()
    assert str(refused.value).startswith(told.format(file=file))
    assert "\n" not in str(refused.value)


def test_a_mistake_in_a_variable_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHASEGATE_DRAIN_SECONDS", "soon")
    with pytest.raises(SettingsError, match=r"in the variable PHASEGATE_DRAIN_SECONDS is wrong.*'soon'"):
        Settings.load()
    monkeypatch.setenv("PHASEGATE_POLICY", "{")
    with pytest.raises(SettingsError, match="The variable PHASEGATE_POLICY must hold JSON"):
        Settings.load()


def test_a_file_that_was_asked_for_and_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHASEGATE_CONFIG", "/nowhere/phasegate.toml")
    with pytest.raises(
        SettingsError, match=r"Cannot read the settings file /nowhere/phasegate.toml: No such"
    ):
        Settings.load()


def test_every_setting_is_described() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def test_loading_does_not_import_temporal() -> None:
    code = "import sys, phasegate.connection, phasegate.server, phasegate.settings as s; s.Settings.load(); "
    code += "sys.exit('temporalio' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
