"""One process that opens an index and asks it: started by `indexing` with a checkout and a cache."""

import json
import resource
import sys
import time
from pathlib import Path

_ROUNDS = 10
_TASKS = (
    "Add a retry option with exponential backoff to the client of records, and document `retry_limit`.",
    "The exported report loses the last line when the table has no header. Keep it, and test both forms.",
    "Sessions should expire: make the time configurable, refresh tokens on use, log out on all devices.",
    "Support loading configuration from several files, later ones win. A missing one is an error.",
)


def main(root: Path, cache: Path) -> None:
    """Print what it took, in seconds and megabytes."""
    began = time.perf_counter()
    from activities.index.build import open_index

    index = open_index(root, "HEAD", cache)
    opened = time.perf_counter()
    index.rank(_TASKS[0])
    asked = time.perf_counter()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(each.ru_utime + each.ru_stime for each in used)
    queries = []
    for _ in range(_ROUNDS):
        for task in _TASKS:
            start = time.perf_counter()
            index.rank(task)
            queries.append(time.perf_counter() - start)
    kilobytes = max(
        resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    figures = {"open": opened - began, "first": asked - opened, "queries": queries, "cpu": cpu}
    print(json.dumps({**figures, "memory": kilobytes * 1024 / 1e6}))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    main(Path(sys.argv[1]), Path(sys.argv[2]))
