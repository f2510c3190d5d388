"""Where clients connect to: Temporal's own settings first, then this user's `phasegate dev`."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from phasegate.connection import connect_config
from phasegate.dev_record import DevRecord
from phasegate.settings import Settings, SettingsError


@pytest.fixture
def listening() -> Iterator[str]:
    """The address of something that listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"127.0.0.1:{listener.getsockname()[1]}"


def dead_pid() -> int:
    """The id of a process that has just ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_default_address() -> None:
    assert connect_config(Settings.load()) == {"target_host": "127.0.0.1:7233", "namespace": "default"}


def test_a_running_dev_server_is_found(listening: str) -> None:
    settings = Settings.load()
    record = DevRecord(listening, os.getpid(), os.getpid(), "http://ui")
    record.write(settings.state_dir)
    assert DevRecord.read(settings.state_dir) == record
    assert connect_config(settings).get("target_host") == listening


def test_a_stale_record_is_ignored(listening: str) -> None:
    settings = Settings.load()
    DevRecord(listening, dead_pid(), os.getpid()).write(settings.state_dir)
    assert connect_config(settings).get("target_host") == "127.0.0.1:7233"
    DevRecord("127.0.0.1:1", os.getpid(), os.getpid()).write(settings.state_dir)
    assert connect_config(settings).get("target_host") == "127.0.0.1:7233"
    (settings.state_dir / "dev.json").write_text("{half")
    assert connect_config(settings).get("target_host") == "127.0.0.1:7233"


def test_a_record_is_only_removed_by_its_server(listening: str, tmp_path: Path) -> None:
    newer = DevRecord(listening, os.getpid(), os.getpid(), "newer")
    newer.write(tmp_path)
    DevRecord(listening, os.getpid(), os.getpid(), "older").remove(tmp_path)
    assert DevRecord.read(tmp_path) == newer
    newer.remove(tmp_path)
    assert not (tmp_path / "dev.json").exists()


def test_variables_and_profiles_win_over_the_dev_server(
    listening: str, own_settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings.load()
    DevRecord(listening, os.getpid(), os.getpid()).write(settings.state_dir)
    (own_settings / "temporal.toml").write_text(
        '[profile.default]\naddress = "one:1"\n[profile.cloud]\naddress = "two:2"\nnamespace = "ns"\n'
    )
    assert connect_config(settings).get("target_host") == "one:1"
    monkeypatch.setenv("TEMPORAL_PROFILE", "cloud")
    config = connect_config(settings)
    assert (config.get("target_host"), config.get("namespace")) == ("two:2", "ns")
    monkeypatch.setenv("TEMPORAL_ADDRESS", "three:3")
    assert connect_config(settings).get("target_host") == "three:3"


def test_a_profile_that_does_not_exist_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEMPORAL_PROFILE", "nowhere")
    with pytest.raises(SettingsError, match="nowhere"):
        connect_config(Settings.load())
