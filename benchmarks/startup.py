"""Starting up: help, server, worker, and `phasegate dev` to the first job that it accepts.

    python -m benchmarks.startup [--repeat 5]

Everything is a process of its own, as a user starts it, with a new state folder each time.
"""

import asyncio
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.stage import ROOT, environment
from benchmarks.table import Table, arguments, show
from phasegate.server import EmbeddedServer
from phasegate.server_options import ServerOptions
from workflows.attributes import REGISTERED

PROGRAM = str(Path(sysconfig.get_path("scripts")) / "phasegate")
HELPS = 20
TASK = "Update authentication so that sessions expire after 30 minutes of inactivity."
CAPTION = (
    "From the start of the process. A worker takes tasks when its log says so, having connected and checked "
    "the search attributes; `phasegate dev` is ready when it prints its address, with server and worker up; "
    "a job is accepted when `phasegate plan --detach`, started then, has ended."
)


def run(*words: str, **variables: str) -> None:
    """A process to its end. Raises CalledProcessError."""
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env=environment(**variables))


def seconds_of(what: Callable[[], object]) -> float:
    """How long it takes."""
    began = time.perf_counter()
    what()
    return time.perf_counter() - began


def until_line(stream: "subprocess.Popen[str]", pipe: str, holds: Callable[[str], bool]) -> str:
    """The first line of stdout or stderr for which something holds. Raises RuntimeError without one."""
    seen = []
    for line in getattr(stream, pipe):
        seen.append(line)
        if holds(line):
            return str(line)
    raise RuntimeError(f"ended before it was ready: {''.join(seen)[-500:]}")


def start_program(*words: str, **variables: str) -> "subprocess.Popen[str]":
    """phasegate with these words, both outputs to be read."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [PROGRAM, *words], stdout=pipe, stderr=pipe, text=True, env=environment(**variables)
    )


def stop(process: "subprocess.Popen[str]") -> None:
    """SIGTERM, and wait until it has drained."""
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)


async def server_starts(folder: Path, repeat: int) -> tuple[list[float], list[float]]:
    """Until healthy: on a new database, and on one that is there."""
    new: list[float] = []
    again: list[float] = []
    for number in range(repeat):
        options = ServerOptions(database=folder / f"{number}.db", search_attributes=REGISTERED)
        for took in (new, again):
            began = time.perf_counter()
            async with EmbeddedServer(options):
                took.append(time.perf_counter() - began)
    return new, again


async def worker_starts(folder: Path, repeat: int) -> list[float]:
    """Until it takes tasks of a server that runs."""
    options = ServerOptions(database=folder / "for-workers.db", search_attributes=REGISTERED)
    async with EmbeddedServer(options) as server:
        return [await asyncio.to_thread(worker_start, server.address, folder) for _ in range(repeat)]


def worker_start(address: str, folder: Path) -> float:
    """One worker."""
    began = time.perf_counter()
    variables = {"TEMPORAL_ADDRESS": address, "PHASEGATE_LOG_FORMAT": "json"}
    worker = start_program("worker", PHASEGATE_STATE_DIR=str(folder / "worker"), **variables)
    try:
        until_line(worker, "stderr", lambda line: "worker started" in line)
        return time.perf_counter() - began
    finally:
        stop(worker)


def dev_start(state: Path, sample: Path) -> tuple[float, float]:
    """Seconds until `phasegate dev` is ready, and until it has accepted a job."""
    began = time.perf_counter()
    dev = start_program("dev", "--json", PHASEGATE_STATE_DIR=str(state))
    try:
        address = json.loads(until_line(dev, "stdout", lambda line: line.startswith("{")))["address"]
        ready = time.perf_counter() - began
        words = ("plan", "--repo", str(sample), "--detach", "--json", TASK)
        run(PROGRAM, *words, PHASEGATE_STATE_DIR=str(state), TEMPORAL_ADDRESS=address)
        return ready, time.perf_counter() - began
    finally:
        stop(dev)


def main(repeat: int) -> list[Table]:
    """Measure all of it."""
    with tempfile.TemporaryDirectory(prefix="phasegate-bench-") as name:
        folder = Path(name)
        sample = shutil.copytree(ROOT / "phasegate" / "sample", folder / "sample")
        python = [seconds_of(lambda: run(sys.executable, "-c", "pass")) for _ in range(HELPS)]
        helps = [seconds_of(lambda: run(PROGRAM, "--help")) for _ in range(HELPS)]
        new, again = asyncio.run(server_starts(folder, repeat))
        workers = asyncio.run(worker_starts(folder, repeat))
        devs = [dev_start(folder / f"dev-{number}", sample) for number in range(repeat)]
    measured = {
        "python -c pass": python,
        "phasegate --help": helps,
        "embedded server, new database, until healthy": new,
        "embedded server, existing database, until healthy": again,
        "phasegate worker, until it takes tasks": workers,
        "phasegate dev, until server and worker are ready": [ready for ready, _ in devs],
        "phasegate dev, until a first job is accepted": [accepted for _, accepted in devs],
    }
    base = statistics.median(python)
    rows = [
        [what, statistics.median(took), min(took), max(took), len(took), statistics.median(took) / base]
        for what, took in measured.items()
    ]
    heads = ["", "median s", "fastest s", "slowest s", "times", "/ python -c pass"]
    return [Table("Starting up", heads, list(rows), CAPTION)]


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    given = parser.parse_args()
    os.chdir(tempfile.gettempdir())  # so that no phasegate.toml of the place it is run in counts
    show(main(given.repeat), given.json)
