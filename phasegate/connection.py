"""How to reach Temporal: its own profiles and TEMPORAL_* variables, else the `phasegate dev` of this user."""

from typing import TYPE_CHECKING

from phasegate.dev_record import DevRecord
from phasegate.settings import Settings, SettingsError

if TYPE_CHECKING:
    from temporalio.envconfig import ClientConnectConfig

DEFAULT_ADDRESS = "127.0.0.1:7233"


def connect_config(settings: Settings) -> "ClientConnectConfig":
    """Keyword arguments for `Client.connect`; `target_host` and `namespace` are always there.

    Raises SettingsError when a profile that was asked for is missing or cannot be read.
    """
    from temporalio.envconfig import ClientConfig  # takes 0.4 s, which `--help` must not pay

    try:
        config = ClientConfig.load_client_connect_config()
    except (RuntimeError, OSError) as wrong:
        raise SettingsError(f"Temporal's connection settings cannot be read: {wrong}.") from None
    if not config.get("target_host"):
        dev = DevRecord.read(settings.state_dir)
        config["target_host"] = dev.address if dev else DEFAULT_ADDRESS
    config["namespace"] = config.get("namespace") or "default"
    return config
