"""What the demo plays on: a folder, a Temporal server and a worker of its own, which all go when it ends."""

import asyncio
import os
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

from phasegate.client import JobClient
from phasegate.problems import Problem
from phasegate.server import EmbeddedServer
from phasegate.server_options import ServerOptions, find_binary
from workflows.attributes import REGISTERED

SAMPLE = Path(__file__).parents[1] / "sample"
TASK = "TASK.md"
QUEUE = "phasegate"
_PATIENCE = 60.0
"""seconds for a process to start or a command to end; a busy machine takes a few"""
_LOOK_SECONDS = 0.05
_COMMITTED = {
    f"GIT_{role}_{field}": value
    for role in ("AUTHOR", "COMMITTER")
    for field, value in (("NAME", "deskly"), ("EMAIL", "deskly@example.org"), ("DATE", "2026-01-05T09:00Z"))
}


class DemoFailed(Problem):
    """What the demo says did not happen."""


class Stage:
    """Nothing that is set for the person's own jobs has a say here: not their store, server or policies."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.state = home / "state"
        self.repository = home / "deskly"
        self.task_file = home / TASK
        self.worker_log = home / "worker.log"
        self.server = EmbeddedServer(
            ServerOptions(database=self.state / "temporal.db", search_attributes=REGISTERED)
        )
        self._worker: subprocess.Popen[bytes] | None = None

    @property
    def worker_pid(self) -> int:
        """The worker that runs, 0 when none does."""
        return self._worker.pid if self._worker else 0

    def settings(self) -> dict[str, str]:
        """The variables by which a shell finds this server and this store."""
        return {"PHASEGATE_STATE_DIR": str(self.state), "TEMPORAL_ADDRESS": self.server.address}

    def exports(self) -> list[str]:
        """What to type in a shell so that the commands are found, and find their way here."""
        lines = [f"export {name}={shlex.quote(value)}" for name, value in self.settings().items()]
        if shutil.which("phasegate") and shutil.which("temporal"):
            return lines
        return [f"export PATH={shlex.quote(sysconfig.get_path('scripts'))}:$PATH", *lines]

    async def lay_out(self) -> str:
        """Copy the sample and make it a git repository; gives the commit. Raises DemoFailed."""
        from activities.git import Git, GitError

        ignored = shutil.ignore_patterns(TASK, "__pycache__", ".*_cache")
        shutil.copytree(SAMPLE, self.repository, ignore=ignored)
        shutil.copyfile(SAMPLE / TASK, self.task_file)
        git = Git(extra=_COMMITTED)
        try:
            for words in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "-m", "A help desk")):
                await git.run("-C", self.repository, *words)
            return await git.line("-C", self.repository, "rev-parse", "HEAD")
        except GitError as error:
            raise DemoFailed(f"the sample could not be made a git repository: {error}") from None

    async def connect(self) -> JobClient:
        """A connection of the kind that every command makes, to this very server."""
        from temporalio.client import Client

        from activities.payloads import data_converter
        from activities.store import open_store
        from phasegate.logs import configure_logs, temporal_runtime

        configure_logs("error")
        store = open_store(str(self.state / "store"))
        client = await Client.connect(
            self.server.address, data_converter=data_converter(store), runtime=temporal_runtime()
        )
        return JobClient(client, store, QUEUE)

    async def start_worker(self) -> int:
        """`phasegate worker` as a process of its own; returns its id when it takes work."""
        with self.worker_log.open("ab") as log:
            before = log.tell()
            self._worker = subprocess.Popen(
                [*_PHASEGATE, "worker"],
                cwd=self.home,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # Ctrl-C in the terminal is for the demo, which then ends the worker
                start_new_session=True,
            )
        deadline = time.monotonic() + _PATIENCE
        while b"worker started" not in (said := self.worker_log.read_bytes()[before:]):
            if self._worker.poll() is not None or time.monotonic() > deadline:
                last = said.decode(errors="replace").strip().splitlines()[-1:]
                raise DemoFailed(f"the worker did not start: {' '.join(last) or 'it said nothing'}")
            await asyncio.sleep(_LOOK_SECONDS)
        return self._worker.pid

    def kill_worker(self) -> int:
        """SIGKILL to it and its children; gives its exit code as Popen counts, 0 when there was none."""
        if self._worker is None:
            return 0
        worker, self._worker = self._worker, None
        if worker.poll() is None:
            os.killpg(worker.pid, signal.SIGKILL)
        return worker.wait()

    async def type(self, command: str) -> str:
        """Run a command line exactly as it was printed, as a shell would. Raises DemoFailed when it fails."""
        program, *words = shlex.split(command)
        known = {"phasegate": _PHASEGATE, "temporal": [str(find_binary())]}
        process = await asyncio.create_subprocess_exec(
            *known[program],
            *words,
            env=self._environment(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            said = (await asyncio.wait_for(process.communicate(), _PATIENCE))[0].decode(errors="replace")
        except TimeoutError:
            raise DemoFailed(f"`{command}` did not end") from None
        finally:
            if process.returncode is None:
                process.kill()
        if process.returncode != 0:
            raise DemoFailed(f"`{command}` failed: {said.strip() or process.returncode}")
        return said.strip()

    def close(self) -> bool:
        """End both processes and remove the folder, at once; True when nothing is left."""
        self.kill_worker()
        self.server.kill()
        deadline = time.monotonic() + 2
        # git may still write for a moment after the worker that started it was killed
        while self.home.exists() and time.monotonic() < deadline:
            shutil.rmtree(self.home, ignore_errors=True)
        return not self.home.exists()

    def _environment(self) -> dict[str, str]:
        """The person's, without their settings of phasegate and Temporal."""
        foreign = ("PHASEGATE_", "TEMPORAL_")
        own = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        nothing = {"PHASEGATE_CONFIG": os.devnull, "TEMPORAL_CONFIG_FILE": os.devnull}
        return {**own, **nothing, **self.settings()}


_PHASEGATE = [sys.executable, "-P", "-m", "phasegate.cli"]
"""the command `phasegate` of this very installation, whatever PATH says"""
