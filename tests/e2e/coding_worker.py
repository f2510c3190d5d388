"""The product's worker as a process that carries plans out with code of models, and stops where a test wants.

Its places are those of `tests.e2e.agent_worker` and `tests.e2e.act_worker`, and these inside of activities.
`JOB.applying-PATH`: of the changes of a step the first one is made; the last one, of this path, is not.
`JOB.bringing`: the branch is where a worktree is to be, and the worktree is not. `JOB.following`: both are,
and git does not show it.
"""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from temporalio.client import Client

import activities.execution.steps as steps
import tests.e2e.act_worker as act_worker
import tests.e2e.agent_worker as agent_worker
from activities.execution.files import apply_changes
from activities.execution.worktree import Worktree
from activities.models.provider import LiteLlmProvider
from activities.store import open_store
from phasegate.settings import Settings
from states.artifacts.plan import FileChange
from tests.confinement import CONFINED
from worker import build_worker, connect, wired

APPLYING, BRINGING, FOLLOWING = "applying", "bringing", "following"


def run(folder: Path, environment: Mapping[str, str]) -> None:
    """Be the worker, in a process that was forked for it; its output goes to `worker.log`."""
    os.environ.update(environment)
    log = os.open(folder / "worker.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(log, stream.fileno())
    asyncio.run(main(folder))


async def main(folder: Path) -> None:
    """Run until SIGTERM. Settings and models come from the environment."""
    visible = (Path(sys.prefix), Path(sys.base_prefix))
    settings = Settings.load(command_paths=visible, unconfined_commands=not CONFINED)
    provider = LiteLlmProvider()
    await provider.warm()
    _stop_inside(folder, settings.workspaces)
    config = (await connect(settings)).temporal.config()
    config["interceptors"] = [
        agent_worker.Holds(folder, open_store(settings.store)),
        act_worker.Holds(folder),
    ]
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with build_worker(Client(**config), settings, *wired(settings, provider)):
        (folder / f"worker-{os.getpid()}.ready").touch()
        await stop.wait()


def _stop_inside(folder: Path, workspaces: Path) -> None:
    """Let the parts of this process stop where no interceptor looks."""
    bring, follow = Worktree.bring, Worktree.follow

    def place(path: Path, what: str) -> str:
        return f"{path.relative_to(workspaces).parts[0]}.{what}"

    def applying(root: Path, changes: Sequence[FileChange]) -> None:
        apply_changes(root, changes[:1])
        hold = folder / f"{place(root, APPLYING)}-{changes[-1].path}.hold"
        if hold.exists():
            hold.with_suffix(".reached").touch()
        while hold.exists():
            time.sleep(0.02)
        apply_changes(root, changes[1:])

    async def bringing(self: Worktree, head: str, snapshot: str) -> tuple[str, ...]:
        await agent_worker.stop_at(folder, place(self.path, BRINGING))
        return await bring(self, head, snapshot)

    async def following(self: Worktree, head: str) -> None:
        await agent_worker.stop_at(folder, place(self.path, FOLLOWING))
        await follow(self, head)

    vars(steps)["apply_changes"] = applying
    Worktree.bring, Worktree.follow = bringing, following  # type: ignore[method-assign]
