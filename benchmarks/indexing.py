"""Indexing: how long a repository takes cold, warm and after a change, a query, and memory, as ratios.

    python -m benchmarks.indexing [--repo PATH ...] [--size FILES ...] [--runs N] [--json]

PATH is a clone, bare or not, which is only read. Without any, repositories of 400 and 5,000 files are
generated, so that nothing needs a network. Each index is made in a process of its own, which also tells its
memory.

The floor is `rg --files | xargs cat > /dev/null` over the same files: reading, and nothing else. The other
comparison is `ctags -R` (Universal Ctags), where that is on PATH: it writes definitions, and neither words,
uses, imports nor a ranking. The files are read once before anything is timed.
"""

import json
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from activities.ripgrep import find_ripgrep
from benchmarks.generated_repository import generate, git
from benchmarks.table import Table, arguments, show

RUNS = 3
SIZES = (400, 5_000)
_CHILD = Path(__file__).with_name("indexing_process.py")


@dataclass(frozen=True)
class Figures:
    """Of one repository. Times in seconds with the start of a process, but for `open` and queries, which
    are those within it; `_cpu` is processor time of all processes; `ctags` None when it is not there."""

    name: str
    files: int
    megabytes: float
    floor: float
    ctags: float | None
    cold: float
    ctags_cpu: float | None
    cold_cpu: float
    warm: float
    warm_open: float
    change: float
    query_p50: float
    query_p95: float
    first_query: float
    memory_cold: float
    memory_warm: float
    cache_megabytes: float


@dataclass(frozen=True)
class Run:
    """Of one process, in seconds and megabytes; `wall` with its start and its first query."""

    open: float
    first: float
    queries: list[float]
    memory: float
    cpu: float
    wall: float


def measure(name: str, clone: Path, folder: Path, runs: int) -> Figures:
    """All figures of the newest commit of a clone; `folder` takes a checkout and a cache."""
    checkout = folder / "checkout"
    subprocess.run(["git", "clone", "-q", "--shared", str(clone), str(checkout)], check=True)
    listed = subprocess.run(["git", "-C", str(checkout), "ls-files", "-z"], check=True, capture_output=True)
    paths = [checkout / path for path in listed.stdout.decode("utf-8", "replace").split("\0") if path]
    size = sum(path.lstat().st_size for path in paths if path.exists())
    floor = min(_floor(checkout) for _ in range(runs))
    tagged = [_ctags(checkout, folder) for _ in range(runs)] if _has_ctags() else []
    colds = [_index(checkout, folder / f"cache{n}") for n in range(runs)]
    cache = folder / "cache0"
    cache_bytes = sum(file.stat().st_size for file in cache.rglob("*") if file.is_file())
    warms = [_index(checkout, cache) for _ in range(runs)]
    changes = [_changed(checkout, cache, n) for n in range(runs)]
    warm = min(warms, key=lambda run: run.wall)
    return Figures(
        name,
        len(paths),
        size / 1e6,
        floor,
        min((wall for wall, _ in tagged), default=None),
        min(run.wall for run in colds),
        min((cpu for _, cpu in tagged), default=None),
        min(run.cpu for run in colds),
        warm.wall,
        warm.open,
        min(run.wall for run in changes),
        statistics.median(warm.queries),
        statistics.quantiles(warm.queries, n=20)[-1],
        warm.first,
        max(each.memory for each in colds),
        max(each.memory for each in warms),
        cache_bytes / 1e6,
    )


def _floor(checkout: Path) -> float:
    # sh gets the program's path as an argument, never as text of its own
    script = '"$1" --files --hidden --no-ignore -0 -g "!.git" | xargs -0 cat > /dev/null'
    return _timed(["sh", "-c", script, "sh", str(find_ripgrep())], checkout)[0]


def _has_ctags() -> bool:
    found = shutil.which("ctags")
    version = (
        subprocess.run([found, "--version"], capture_output=True, text=True, check=False) if found else None
    )
    return version is not None and "Universal Ctags" in version.stdout


def _ctags(checkout: Path, folder: Path) -> tuple[float, float]:
    return _timed(["ctags", "-R", "--exclude=.git", "-f", str(folder / "tags"), "."], checkout)


def _timed(command: list[str], folder: Path) -> tuple[float, float]:
    """Seconds on the clock and of the processor."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - began, cpu


def _index(checkout: Path, cache: Path) -> Run:
    began = time.perf_counter()
    command = [sys.executable, str(_CHILD), str(checkout), str(cache)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    told = json.loads(done.stdout)
    # Only the first query is part of it: the process is done once the index answers.
    return Run(**told, wall=time.perf_counter() - began - sum(told["queries"]))


def _changed(checkout: Path, cache: Path, number: int) -> Run:
    listed = subprocess.run(["git", "-C", str(checkout), "ls-files", "-z"], check=True, capture_output=True)
    codes = [
        p
        for p in listed.stdout.decode("utf-8", "replace").split("\0")
        if p.endswith((".py", ".go", ".ts", ".c"))
    ]
    changed = codes[len(codes) // 2] if codes else "NEW.md"
    with (checkout / changed).open("a", encoding="utf-8") as file:
        file.write(f"\n\n# {number}\n" if changed.endswith(".py") else f"\n\n// {number}\n")
    git(checkout, "add", "-A")
    git(checkout, "commit", "-q", "-m", "One file")
    return _index(checkout, cache)


def tables(all_figures: Iterable[Figures]) -> list[Table]:
    """Times, and what they are against the comparisons of the same run."""
    rows = list(all_figures)
    return [
        Table(
            "Indexing, seconds",
            ["", "files", "MB", "cat", "ctags -R", "cold", "warm", "of it opening", "one file changed"],
            [
                [f.name, f.files, f.megabytes, f.floor, f.ctags, f.cold, f.warm, f.warm_open, f.change]
                for f in rows
            ],
            "The best of some runs, each in a process of its own, whose start and first query are counted.\n"
            + (
                "" if rows and rows[0].ctags else "No Universal Ctags on PATH: `apt install universal-ctags`."
            ),
        ),
        Table(
            "Ratios, queries and memory",
            [
                "",
                "cold / cat",
                "cold / ctags",
                "in CPU",
                "warm / cold",
                "query ms p50",
                "p95",
                "first",
                "MB cold",
                "warm",
                "disk",
            ],
            [
                [
                    *(
                        f.name,
                        f.cold / f.floor,
                        f.cold / f.ctags if f.ctags else None,
                        f.cold_cpu / f.ctags_cpu if f.ctags_cpu else None,
                        f.warm / f.cold,
                    ),
                    *(f.query_p50 * 1000, f.query_p95 * 1000, f.first_query * 1000),
                    *(f.memory_cold, f.memory_warm, f.cache_megabytes),
                ]
                for f in rows
            ],
            "A query: Index.rank on tasks of some sentences. Memory: peak resident, the largest process.",
        ),
    ]


def main(repos: list[Path], sizes: list[int], runs: int, as_json: bool) -> None:
    """Measure and print."""
    found = []
    with tempfile.TemporaryDirectory(prefix="phasegate-indexing-") as name:
        for number, size in enumerate(() if repos else sizes):
            root = Path(name, f"generated{number}")
            root.mkdir()
            generate(root, size)
            found.append(measure(f"generated, {size}", root, _folder(Path(name, f"work{number}")), runs))
        for number, repo in enumerate(repos):
            label = next(part for part in reversed(repo.absolute().parts) if part not in ("repo", ".git"))
            found.append(measure(label, repo.absolute(), _folder(Path(name, f"clone{number}")), runs))
    if as_json:
        print(json.dumps({"repositories": [asdict(each) for each in found]}))
    else:
        show(tables(found), as_json=False)


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--repo", type=Path, action="append", default=[], help="a clone; may be given again")
    parser.add_argument(
        "--size", type=int, action="append", default=[], help="generate a repository of that many files"
    )
    parser.add_argument("--runs", type=int, default=RUNS, help="how often each is done; the best counts")
    given = parser.parse_args()
    main(given.repo, given.size or list(SIZES), given.runs, given.json)
