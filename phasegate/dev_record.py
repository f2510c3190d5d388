"""dev.json: what `phasegate dev` leaves in the state folder so that other commands find its server."""

import json
import os
import socket
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

_NAME = "dev.json"


@dataclass(frozen=True)
class DevRecord:
    """A running development server. `owner` is the process that started it and will stop it."""

    address: str
    pid: int
    owner: int
    ui: str = ""

    def write(self, state_dir: Path) -> None:
        """Leave the record, replacing an older one in one step."""
        state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = state_dir / f"{_NAME}.{self.owner}"
        fresh.write_text(json.dumps(asdict(self)) + "\n", encoding="utf-8")
        fresh.replace(state_dir / _NAME)

    @classmethod
    def read(cls, state_dir: Path) -> Self | None:
        """The record of a server that is running now; None when there is none or it is stale."""
        try:
            record = cls(**json.loads((state_dir / _NAME).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            # no record, half a record, or one of another release: all mean that no server is known
            return None
        return record if is_alive(record.pid) and _listens(record.address) else None

    def remove(self, state_dir: Path) -> None:
        """Take the record away, unless another server has replaced it since."""
        if self.read(state_dir) in (None, self):
            (state_dir / _NAME).unlink(missing_ok=True)


def is_alive(pid: int) -> bool:
    """Whether this process exists and belongs to this user."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError, OverflowError):
        # a pid that another user has now is not the process that was recorded
        return False
    return True


def _listens(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
    except (OSError, ValueError):
        # nobody answers, or the record does not hold an address: stale either way
        return False
    return True
