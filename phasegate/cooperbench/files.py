"""Writes plans and trajectory while a run lasts: each file whole, or as it was before."""

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any

from phasegate.bench_client import BenchClient
from phasegate.cooperbench.interface import FileInterface
from phasegate.cooperbench.trajectory import trajectory_of
from phasegate.problems import Problem
from states.bench import BenchTask
from states.cooperation import CooperationState

_SHARE = 10
"""between two writes pass this many times what the last one took: a trajectory repeats each conversation"""


class Unwritable(Problem):
    """A file of the output folder cannot be written."""


class Files:
    """The files of one run."""

    def __init__(self, client: BenchClient, given: FileInterface, task: BenchTask) -> None:
        self._client = client
        self._given = given
        self._task = task
        self._not_before = 0.0

    @property
    def due(self) -> bool:
        """Whether another write is worth its time."""
        return time.monotonic() >= self._not_before

    async def write(self, state: CooperationState) -> dict[str, Any]:
        """The plans that there are, and the trajectory as far as it goes. Raises Unwritable."""
        began = time.monotonic()
        content = await trajectory_of(self._client, self._task, state)
        await asyncio.to_thread(self._write, content)
        self._not_before = time.monotonic() + _SHARE * (time.monotonic() - began)
        return content

    def _write(self, content: dict[str, Any]) -> None:
        for key, plan in content["final_plans"].items():
            _replace(self._given.path("plan1" if key == "plan" else key), f"## Plan\n\n{plan}")
        text = json.dumps(content, indent=2, ensure_ascii=False)
        _replace(self._given.path("planning_traj"), text)


def known_metadata(given: FileInterface) -> dict[str, Any] | None:
    """What the trajectory on disk says of itself; None when there is none that can be read."""
    try:
        metadata = json.loads(given.path("planning_traj").read_text(encoding="utf-8"))["metadata"]
    except (OSError, ValueError, KeyError, TypeError):
        return None  # missing, cut short, or of another program: as if it were not there
    return metadata if isinstance(metadata, dict) else None


def all_there(given: FileInterface) -> bool:
    """Whether every file of an experiment is on disk."""
    return all(given.path(key).is_file() for key in given.file_paths)


def _replace(path: Path, text: str) -> None:
    staged = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            # what a model wrote may hold what UTF-8 has no bytes for
            staged.write_text(text, encoding="utf-8", errors="replace", newline="\n")
            staged.replace(path)
        finally:
            staged.unlink(missing_ok=True)
    except OSError as error:
        raise Unwritable(
            f"cannot write {path}: {error.strerror}; choose another folder with --output"
        ) from None
